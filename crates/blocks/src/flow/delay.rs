//! Zeros first, then the stream.

use superhet_runtime::catalog::{Entry, Kind, input, output, required};
use superhet_runtime::{Block, BlockError, Context, In, Item, Out, Step, Work};

use crate::error::{Error, check};
use crate::item::{ANY_ITEM, block_of_item};

/// The longest delay, in items.
const LONGEST: usize = 1 << 26;

/// Zeros first, then the stream: `y[n] = 0` for `n < delay`, then `y[n] = x[n − delay]`.
///
/// Nothing is cut: the output has `delay` items more than the input. Tags stay on their items. The zeros are there
/// before anything runs, so a delay of at least 1 item also makes a loop possible.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | any | any |
/// | out `out` | the same | that of `in` |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `delay_samples` | items | 0 to 2²⁶; all are held in memory |
///
/// ```
/// use superhet_blocks::flow::Delay;
/// use superhet_runtime::harness;
///
/// assert_eq!(harness::run::<u8, u8, _, _>(Delay::<u8>::new(2)?, &[1, 2, 3]), [0, 0, 1, 2, 3]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Debug, Block)]
pub struct Delay<T: Item> {
    #[port("in")]
    input: In<T>,
    #[port("out")]
    output: Out<T>,
}

impl<T: Item> Delay<T> {
    /// Delays by `delay_samples` items.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] beyond 2²⁶ items.
    pub fn new(delay_samples: usize) -> Result<Self, Error> {
        check(delay_samples <= LONGEST, "delay_samples", "at most 67108864", delay_samples as f64)?;
        Ok(Delay { input: In::new(), output: Out::new().preload(delay_samples) })
    }
}

impl<T: Item> Work for Delay<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = super::pass(&mut self.input, &mut self.output, usize::MAX);
        Ok(super::step(n, &self.input))
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        Ok(super::end(&mut self.input, &mut self.output))
    }
}

/// How files and the command line find [`Delay`].
pub const ENTRY: Entry = Entry {
    name: "delay",
    category: "flow",
    summary: "Zeros first, then the stream.",
    params: &[
        ANY_ITEM,
        required("delay_samples", Kind::Integer(0, LONGEST as i64), "items", "How many zeros come first."),
    ],
    ports: &[input("in", "item", "x"), output("out", "item", "x, later")],
    make: |params| Ok(block_of_item!(params, T => Delay::<T>::new(params.count("delay_samples"))?)),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::Head;
    use crate::math::{Add, MultiplyConst};
    use crate::sinks::VectorSink;
    use crate::sources::VectorSource;
    use crate::testing::{assert_gives, noise, run_tags};
    use superhet_runtime::Graph;

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
}
