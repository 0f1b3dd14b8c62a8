//! Bit error rates.

use superhet_kernels as kernels;
use superhet_runtime::{AnyBlock, Block, BlockError, Context, In, Out, Step, Work, declare};

use crate::error::{Error, check};

/// How many of the bits of two streams of bytes differ: `log10(errors / bits)`, from the beginning on, after each `bytes_per_output`
/// bytes and at the end.
///
/// Or, tested against a limit, once: as soon as there are `min_errors`, the rate; or as soon as it is below `limit`, that limit.
/// Without errors one is counted for this. Then the block ends. It is judged after each byte, so that the outcome does not depend
/// on how the streams come; where they end first, the rate so far comes.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in0`, `in1` | `u8` | bytes |
/// | out `out` | `f32` | decimal logarithm of the rate; −∞ without errors |
///
/// ```
/// use superhet_blocks::{fec::Ber, sinks::VectorSink, sources::VectorSource};
/// use superhet_runtime::Graph;
///
/// let mut graph = Graph::new();
/// let sent = graph.add("sent", VectorSource::new(vec![0u8; 100], false)?);
/// let got = graph.add("got", VectorSource::new([vec![1u8; 8], vec![0; 92]].concat(), false)?);
/// let ber = graph.add("ber", Ber::new(1000)?);
/// let sink = VectorSink::<f32>::new();
/// let items = sink.items();
/// let sink = graph.add("sink", sink);
/// graph.connect(sent.output, ber.input[0]);
/// graph.connect(got.output, ber.input[1]);
/// graph.connect(ber.output, sink.input);
/// graph.run()?;
/// assert_eq!(items.take(), [-2.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct Ber {
    #[port("in")]
    input: Vec<In<u8>>,
    #[port("out")]
    output: Out<f32>,
    bytes_per_output: usize,
    test: Option<Test>,
    errors: u64,
    bytes: u64,
    /// Bytes since the last output.
    since: usize,
    scratch: Vec<u8>,
}

/// Bytes that one call of `work` judges at most.
const JUDGED_AT_ONCE: usize = 4096;

/// When a test ends.
#[derive(Clone, Copy, Debug)]
struct Test {
    min_errors: u64,
    /// A decimal logarithm, and the rate that it is of.
    limit: f64,
    rate: f64,
}

impl Ber {
    /// Gives the rate after each `bytes_per_output` bytes.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where that is 0.
    pub fn new(bytes_per_output: usize) -> Result<Self, Error> {
        check(bytes_per_output > 0, "bytes_per_output", "at least 1", bytes_per_output as f64)?;
        let input = vec![In::new(), In::new()];
        let output = Out::new();
        Ok(Ber {
            input,
            output,
            bytes_per_output,
            test: None,
            errors: 0,
            bytes: 0,
            since: 0,
            scratch: Vec::new(),
        })
    }

    /// Gives one rate and ends: with so many errors, or when it is below `limit`, a decimal logarithm.
    #[must_use]
    pub fn test(mut self, min_errors: u64, limit: f64) -> Self {
        self.test = Some(Test { min_errors, limit, rate: 10f64.powf(limit) });
        self
    }

    fn rate(&self) -> f32 {
        (self.errors as f64 / (8 * self.bytes) as f64).log10() as f32
    }

    /// Takes what differs byte by byte until the test has come to an end; how many bytes, and the verdict, where there is one.
    fn judge(&mut self, test: Test, differing: &[u8]) -> (usize, Option<f32>) {
        for (place, byte) in differing.iter().enumerate() {
            self.errors += u64::from(byte.count_ones());
            self.bytes += 1;
            if self.errors > 0 && self.errors >= test.min_errors {
                return (place + 1, Some(self.rate()));
            }
            if (self.errors.max(1) as f64) < test.rate * (8 * self.bytes) as f64 {
                return (place + 1, Some(test.limit as f32));
            }
        }
        (differing.len(), None)
    }
}

impl Work for Ber {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        if self.output.room() == 0 {
            return Ok(Step::NeedOutput);
        }
        let step = if self.test.is_some() { JUDGED_AT_ONCE } else { self.bytes_per_output - self.since };
        let [a, b] = [&self.input[0], &self.input[1]].map(In::peek);
        let n = step.min(a.len()).min(b.len());
        if n == 0 {
            return Ok(Step::NeedInput);
        }
        let mut differing = std::mem::take(&mut self.scratch);
        differing.resize(n, 0);
        kernels::xor_u8(&mut differing, &a[..n], &b[..n]);
        let (taken, verdict) = match self.test {
            Some(test) => self.judge(test, &differing),
            None => {
                self.errors += differing.iter().map(|byte| u64::from(byte.count_ones())).sum::<u64>();
                self.bytes += n as u64;
                (n, None)
            }
        };
        self.scratch = differing;
        self.since += taken;
        self.input.iter_mut().for_each(|input| input.consume(taken));
        let is_due = self.test.is_none() && self.since == self.bytes_per_output;
        if let Some(rate) = verdict.or_else(|| is_due.then(|| self.rate())) {
            self.output.reserve()[0] = rate;
            self.output.produce(1);
            self.since = 0;
        }
        Ok(if verdict.is_some() { Step::Done } else { Step::Ran })
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        if self.since > 0 {
            let rate = self.rate();
            let Some(room) = self.output.reserve().first_mut() else { return Ok(Step::NeedOutput) };
            *room = rate;
            self.output.produce(1);
            self.since = 0;
        }
        Ok(Step::Done)
    }
}

#[declare(
    category = "fec",
    summary = "How many of the bits of two streams of bytes differ: log10(errors / bits).",
    ports(
        input("in0", "u8", "bytes"),
        input("in1", "u8", "bytes"),
        output("out", "f32", "log10 of the rate")
    )
)]
fn ber(
    /// A rate comes after so many.
    #[param(unit = "bytes", range = 1.., default = 1024)]
    bytes_per_output: usize,
    /// Whether one rate comes, and then the end.
    #[param(default = false)]
    test_mode: bool,
    /// In the test, with so many errors.
    #[param(range = 1.., default = 100)]
    min_errors: u64,
    /// In the test, or when the rate is below this: a decimal logarithm.
    #[param(default = -7.0)]
    limit: f64,
) -> Result<AnyBlock, BlockError> {
    let ber = Ber::new(bytes_per_output)?;
    Ok(AnyBlock::new(if test_mode { ber.test(min_errors, limit) } else { ber }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_gives_of_two, cuts, run_two};

    #[test]
    fn rates_come_after_so_many_bytes_and_at_the_end() {
        let (a, b) = (vec![0u8; 250], [vec![255u8; 10], vec![0; 240]].concat());
        let rate = |bytes: f64| (10.0 / bytes).log10() as f32;
        let wanted = [rate(100.0), rate(200.0), rate(250.0)];
        assert_gives_of_two::<u8, u8, f32, _, _>(|| Ber::new(100).unwrap(), (&a, &b), &wanted);
    }

    #[test]
    fn a_test_ends_with_enough_errors_or_below_its_limit() {
        for options in cuts() {
            let test = || Ber::new(1).unwrap().test(10, -3.0);
            assert_eq!(
                run_two::<u8, u8, f32, _, _>(test(), &[1; 100], &[0; 100], &options),
                [(1f32 / 8.0).log10()]
            );
            assert_eq!(run_two::<u8, u8, f32, _, _>(test(), &[0; 900], &[0; 900], &options), [-3.0]);
        }
    }

    #[test]
    fn a_test_ends_with_its_limit_where_errors_are_rare() {
        let verdict = |errors: usize, bytes: usize, limit: f64| {
            let got = [vec![1; errors], vec![0; bytes - errors]].concat();
            let test = Ber::new(1).unwrap().test(10, limit);
            run_two::<u8, u8, f32, _, _>(test, &vec![0; bytes], &got, &Default::default())
        };
        // As GNU Radio: an error is less than a hundredth of 13 bytes, not of 12. Where the streams end, the rate comes.
        assert_eq!(verdict(1, 13, -2.0), [-2.0]);
        assert_eq!(verdict(1, 12, -2.0), [(1f32 / 96.0).log10()]);
        assert_eq!(verdict(5, 63, -2.0), [-2.0]);
        assert_eq!(verdict(5, 62, -2.0), [(5f32 / 496.0).log10()]);
        assert_eq!(verdict(0, 12, -2.0), [f32::NEG_INFINITY]);
        assert_eq!(verdict(0, 13, -2.0), [-2.0], "as if the next bit were wrong");
    }

    #[test]
    fn a_test_takes_no_more_than_it_needs() {
        let mut ber = Ber::new(1).unwrap().test(3, -7.0);
        let test = ber.test.unwrap();
        assert_eq!(ber.judge(test, &[0, 1, 0, 3, 1]), (4, Some((3f64 / 32.0).log10() as f32)));
    }
}
