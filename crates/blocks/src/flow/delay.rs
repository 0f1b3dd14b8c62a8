//! Zeros first, then the stream.

use superhet_runtime::{Block, BlockError, Context, In, Item, Out, Step, Work, declare};

use crate::error::{Error, check};
use superhet_runtime::{Tunable, Tuned};

/// The longest delay, in items.
const LONGEST: usize = 1 << 26;

/// Zeros first, then the stream: `y[n] = 0` for `n < delay`, then `y[n] = x[n − delay]`.
///
/// While it runs, a longer delay puts zeros in, and a shorter one leaves items out. Else nothing is cut: the output has `delay` items more than the input. Tags stay on their items. The zeros are there
/// before anything runs, so a delay of at least 1 item also makes a loop possible.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | any | any |
/// | out `out` | the same | that of `in` |
/// | in `set` | messages | new values of `delay_samples`: with [`Tuned`] |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `delay_samples` | items | 0 to 2²⁶; all are held in memory; can be changed while the block runs |
///
/// ```
/// use superhet_blocks::flow::Delay;
/// use superhet_runtime::harness;
///
/// assert_eq!(harness::run(Delay::<u8>::new(2)?, &[1, 2, 3]), [0, 0, 1, 2, 3]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Debug, Block)]
pub struct Delay<T: Item> {
    #[port("in")]
    input: In<T>,
    #[port("out")]
    output: Out<T>,
    delay: usize,
    /// Zeros to be put in, where the delay has become longer.
    zeros: usize,
    /// Items to be left out, where it has become shorter.
    drops: usize,
}

#[declare(
    category = "flow",
    summary = "Zeros first, then the stream.",
    items(any),
    through = Tuned::new,
    ports(
        input("in", "item", "x"),
        output("out", "item", "x, later: n + delay_samples items for n")
    )
)]
impl<T: Item> Delay<T> {
    /// Delays by `delay_samples` items.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] beyond 2²⁶ items.
    pub fn new(
        /// How many zeros come first.
        #[param(live, set = set_delay, at = delay, unit = "items", range = 0..=LONGEST)]
        delay_samples: usize,
    ) -> Result<Self, Error> {
        check_delay(delay_samples)?;
        let (input, output) = (In::new(), Out::new().preload(delay_samples));
        Ok(Delay { input, output, delay: delay_samples, zeros: 0, drops: 0 })
    }

    fn set_delay(&mut self, delay: usize) -> Result<(), Error> {
        check_delay(delay)?;
        // What was not put in or left out yet is part of the sum.
        let (zeros, drops) = (self.zeros + delay, self.drops + self.delay);
        (self.zeros, self.drops) = (zeros.saturating_sub(drops), drops.saturating_sub(zeros));
        self.delay = delay;
        Ok(())
    }
}

fn check_delay(delay_samples: usize) -> Result<(), Error> {
    check(delay_samples <= LONGEST, "delay_samples", "at most 67108864", delay_samples as f64)
}

impl<T: Item> Delay<T> {
    /// Puts in the zeros, as far as there is room; how many.
    fn put_zeros(&mut self) -> usize {
        let room = self.output.reserve();
        let n = room.len().min(self.zeros);
        room[..n].fill(T::zeroed());
        self.output.produce(n);
        self.zeros -= n;
        n
    }
}

#[declare]
impl<T: Item> Tunable for Delay<T> {
    fn position(&self) -> u64 {
        self.input.index()
    }

    fn work_on(&mut self, most: usize, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let dropped = self.drops.min(self.input.available()).min(most);
        if dropped > 0 {
            self.input.consume(dropped);
            self.drops -= dropped;
            return Ok(Step::Ran);
        }
        if self.zeros > 0 {
            return Ok(if self.put_zeros() > 0 { Step::Ran } else { Step::NeedOutput });
        }
        let n = super::pass(&mut self.input, &mut self.output, most);
        Ok(super::step(n, &self.input))
    }
}

impl<T: Item> Work for Delay<T> {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        self.work_on(usize::MAX, context)
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.put_zeros();
        if self.zeros > 0 {
            return Ok(Step::NeedOutput);
        }
        Ok(super::end(&mut self.input, &mut self.output))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::Head;
    use crate::math::{Add, MultiplyConst};
    use crate::sinks::VectorSink;
    use crate::sources::VectorSource;
    use crate::testing::{assert_gives, noise, run_tags};
    use superhet_runtime::Graph;
    use superhet_runtime::Value;

    #[test]
    fn zeros_come_first_and_nothing_is_cut_wherever_the_stream_is() {
        let x = noise(1000);
        for delay in [0, 1, 64, 5000, 300_000] {
            let wanted = [vec![0.0; delay], x.clone()].concat();
            if delay < 10_000 {
                assert_gives(|| Delay::<f32>::new(delay).unwrap(), &x, &wanted);
            } else {
                let y: Vec<f32> = superhet_runtime::harness::run(Delay::<f32>::new(delay).unwrap(), &x);
                assert!(y == wanted);
            }
        }
    }

    #[test]
    fn tags_stay_on_their_items() {
        let delay = Delay::<u8>::new(100).unwrap();
        assert_eq!(run_tags::<u8, u8, _, _>(delay, vec![0; 50], &[0, 49, 60]), (vec![100, 149, 160], 150));
    }

    #[test]
    fn a_delay_makes_a_loop_possible() {
        // y[n] = x[n] + y[n − 1] / 2
        let mut graph = Graph::new();
        let source = graph.add("source", VectorSource::new(vec![1.0f32, 0.0, 0.0, 0.0], false).unwrap());
        let add = graph.add("add", Add::<f32>::new());
        let half = graph.add("half", MultiplyConst::new(0.5f32));
        let delay = graph.add("delay", Delay::<f32>::new(1).unwrap());
        let head = graph.add("head", Head::<f32>::new(4));
        let sink = VectorSink::<f32>::new();
        let items = sink.items();
        let sink = graph.add("sink", sink);
        graph.connect(source.output, add.input.0);
        graph.connect(delay.output, add.input.1);
        graph.connect(add.output, half.input);
        graph.connect(half.output, delay.input);
        graph.connect(add.output, head.input);
        graph.connect(head.output, sink.input);
        graph.run().unwrap();
        assert_eq!(items.take(), [1.0, 0.5, 0.25, 0.125]);
    }

    #[test]
    fn a_delay_that_memory_cannot_hold_is_refused() {
        assert!(Delay::<u8>::new(LONGEST + 1).is_err());
    }

    #[test]
    fn a_longer_delay_puts_zeros_in_and_a_shorter_one_leaves_items_out() {
        use superhet_runtime::Single;
        use superhet_runtime::harness::{VecSink, VecSource};
        let x: Vec<i32> = (1..=1000).collect();
        for options in crate::testing::cuts() {
            for (delay, wanted) in [
                (5, [&[0; 2][..], &x[..500], &[0; 3], &x[500..]].concat()),
                (0, [&[0; 2][..], &x[..500], &x[502..]].concat()),
            ] {
                let mut graph = Graph::new();
                graph.add("source", VecSource::new(x.clone()));
                graph.add("delay", Tuned::new(Delay::<i32>::new(2).unwrap()));
                let sink = VecSink::<i32>::new();
                let items = sink.items();
                graph.add("sink", sink);
                graph.connect_names("source", "delay");
                graph.connect_names("delay", "sink");
                let mut graph = graph.check().unwrap();
                graph.set_at("delay.delay_samples", Value::from(delay), 500).unwrap();
                graph.start(&Single, &options).unwrap().wait().unwrap();
                assert_eq!(items.take(), wanted);
            }
        }
    }
}
