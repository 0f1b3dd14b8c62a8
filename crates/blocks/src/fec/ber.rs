//! Bit error rates.

use superhet_kernels as kernels;
use superhet_runtime::catalog::{ANY_FLOAT, COUNT, Entry, Kind, input, optional, output};
use superhet_runtime::{AnyBlock, Block, BlockError, Context, In, Out, Step, Work};

use crate::error::{Error, check};

/// How many of the bits of two streams of bytes differ: `log10(errors / bits)`, from the beginning on, after each `bytes_per_output`
/// bytes and at the end.
///
/// Or, tested against a limit, once: as soon as there are `min_errors`, or when without errors the rate must be below
/// `limit`, and then that limit; then the block ends.
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
    test: Option<(u64, f64)>,
    errors: u64,
    bytes: u64,
    /// Bytes since the last output.
    since: usize,
    scratch: Vec<u8>,
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
        self.test = Some((min_errors, limit));
        self
    }

    fn rate(&self) -> f32 {
        (self.errors as f64 / (8 * self.bytes) as f64).log10() as f32
    }

    /// The rate, where the test has come to an end.
    fn verdict(&self) -> Option<f32> {
        let (min_errors, limit) = self.test?;
        // As if the next bit were wrong.
        let least = (1.0 / (8.0 * self.bytes as f64)).log10();
        match self.errors {
            0 if least < limit => Some(limit as f32),
            errors if errors >= min_errors => Some(self.rate()),
            _ => None,
        }
    }
}

impl Work for Ber {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        if self.output.room() == 0 {
            return Ok(Step::NeedOutput);
        }
        let step = if self.test.is_some() { 1 } else { self.bytes_per_output - self.since };
        let [a, b] = [&self.input[0], &self.input[1]].map(In::peek);
        let n = step.min(a.len()).min(b.len());
        if n == 0 {
            return Ok(Step::NeedInput);
        }
        self.scratch.resize(n, 0);
        kernels::xor_u8(&mut self.scratch, &a[..n], &b[..n]);
        self.errors += self.scratch.iter().map(|byte| u64::from(byte.count_ones())).sum::<u64>();
        self.bytes += n as u64;
        self.since += n;
        self.input.iter_mut().for_each(|input| input.consume(n));
        let is_due = self.test.is_none() && self.since == self.bytes_per_output;
        let verdict = self.verdict();
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

/// How files and the command line find [`Ber`].
pub const ENTRY: Entry = Entry {
    name: "ber",
    category: "fec",
    summary: "How many of the bits of two streams of bytes differ: log10(errors / bits).",
    params: &[
        optional("bytes_per_output", COUNT, "bytes", "1024", "A rate comes after so many."),
        optional("test_mode", Kind::Bool, "", "false", "Whether one rate comes, and then the end."),
        optional("min_errors", COUNT, "", "100", "In the test, with so many errors."),
        optional(
            "limit",
            ANY_FLOAT,
            "",
            "-7.0",
            "In the test, or when the rate must be below this: a decimal logarithm.",
        ),
    ],
    ports: &[
        input("in0", "u8", "bytes"),
        input("in1", "u8", "bytes"),
        output("out", "f32", "log10 of the rate"),
    ],
    make: |params| {
        let ber = Ber::new(params.count("bytes_per_output"))?;
        let test = params.flag("test_mode");
        Ok(AnyBlock::new(if test {
            ber.test(params.count("min_errors") as u64, params.float("limit"))
        } else {
            ber
        }))
    },
};

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
}
