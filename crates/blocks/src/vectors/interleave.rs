//! Several streams as one, in turn.

use crate::math::fold::PORTS;
use std::marker::PhantomData;

use superhet_runtime::{In, Item, Out, Ratio, declare};

use crate::error::{Error, check};
use crate::filters::fir_filter::TO_ONE;
use crate::lockstep::{Lockstep, Many, check_ports, room};

/// The most items that one turn moves.
pub(crate) const MOST_IN_TURN: usize = 1 << 24;

/// That so many streams can be taken in turn, `length` items at once.
pub(crate) fn check_turn(parameter: &'static str, ports: usize, length: usize) -> Result<(), Error> {
    check_ports(parameter, ports)?;
    let fits = length >= 1 && length.saturating_mul(ports) <= MOST_IN_TURN;
    check(fits, "length", "at least 1, and at most 16777216 with all streams", length as f64)
}

/// Several streams as one: `length` items of the first, of the second and so on, then of the first again.
///
/// Vectors of `length` items so become a stream of them; with `length` = 1, items become vectors of as many as there are
/// inputs.
///
/// | port | item | unit | per step |
/// |---|---|---|---|
/// | in `in0`, `in1`, … | any | any | `length` |
/// | out `out` | the same | that of the inputs | `length · inputs` |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `inputs` | | 1 to 64 |
/// | `length` | items | ≥ 1; `length · inputs` ≤ 2²⁴ |
///
/// A tag moves to the first item of the turn that its item lies in, or further in proportion to its place.
///
/// ```
/// use superhet_blocks::{sinks::VectorSink, sources::VectorSource, vectors::Interleave};
/// use superhet_runtime::Graph;
///
/// let mut graph = Graph::new();
/// let a = graph.add("a", VectorSource::new(vec![1u8, 2, 3, 4], false)?);
/// let b = graph.add("b", VectorSource::new(vec![11u8, 12, 13, 14], false)?);
/// let both = graph.add("both", Interleave::<u8>::new(2, 2)?);
/// let sink = VectorSink::<u8>::new();
/// let items = sink.items();
/// let sink = graph.add("sink", sink);
/// graph.connect(a.output, both.input[0]);
/// graph.connect(b.output, both.input[1]);
/// graph.connect(both.output[0], sink.input);
/// graph.run()?;
/// assert_eq!(items.take(), [1, 2, 11, 12, 3, 4, 13, 14]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Interleave<T> {
    inputs: usize,
    length: usize,
    item: PhantomData<fn() -> T>,
}

#[declare(
    category = "vectors",
    summary = "Several streams as one, so many items of each in turn.",
    items(any),
    ports(
        input("in0", "item", "what comes first"),
        input("in1", "item", "what comes next; more or fewer as inputs says"),
        output("out", "item", "all in turn: ⌊n / length⌋ · length · inputs items for n")
    )
)]
impl<T: Item> Interleave<T> {
    /// Takes `length` items of each of `inputs` streams in turn.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where a parameter is.
    #[allow(clippy::new_ret_no_self, reason = "the block is what has as many ports")]
    pub fn new(
        /// How many inputs there are: in0, in1, …; one alone passes as it is.
        #[param(kind = PORTS, default = 2)]
        inputs: usize,
        /// How many items of each in a turn.
        #[param(unit = "items", kind = TO_ONE, default = 1)]
        length: usize,
    ) -> Result<Many<Self>, Error> {
        check_turn("inputs", inputs, length)?;
        Ok(Many::to_one(Interleave { inputs, length, item: PhantomData }, inputs))
    }
}

impl<T: Item> Lockstep for Interleave<T> {
    type In = T;
    type Out = T;

    fn ratio(&self) -> Ratio {
        Ratio { interpolation: self.length * self.inputs, decimation: self.length }
    }

    fn turn(&mut self, inputs: &[In<T>], outputs: &mut [Out<T>], turns: usize) {
        let turn = self.length * self.inputs;
        let Some(y) = outputs.first_mut().and_then(|output| room(output, turns * turn)) else { return };
        for (place, input) in inputs.iter().enumerate() {
            let x = &input.peek()[..turns * self.length];
            if self.length == 1 {
                y[place..].iter_mut().step_by(turn).zip(x).for_each(|(y, &x)| *y = x);
            } else {
                for (y, x) in y.chunks_exact_mut(turn).zip(x.chunks_exact(self.length)) {
                    y[place * self.length..][..self.length].copy_from_slice(x);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{rates::KeepOneInN, testing::assert_gives_of_many};
    use superhet_runtime::Graph;
    use superhet_runtime::harness::{VecSink, VecSource};

    #[test]
    fn items_are_taken_in_turn_wherever_the_streams_are_cut() {
        let inputs: Vec<Vec<i32>> = (0..3).map(|k| (0..200).map(|n| 1000 * k + n).collect()).collect();
        for length in [1, 2, 5] {
            let turn = |t: usize| inputs.iter().flat_map(move |x| x[t * length..(t + 1) * length].to_vec());
            let wanted: Vec<i32> = (0..200 / length).flat_map(turn).collect();
            assert_gives_of_many(|| Interleave::<i32>::new(3, length).unwrap(), &inputs, &wanted);
        }
    }

    #[test]
    fn streams_of_one_source_at_different_rates_are_a_mistake() {
        let mut graph = Graph::new();
        let source = graph.add("source", VecSource::new(vec![0i32; 100]));
        let one_in_3 = graph.add("one_in_3", KeepOneInN::<i32>::new(3).unwrap());
        let block = graph.add("block", Interleave::<i32>::new(2, 1).unwrap());
        let sink = graph.add("sink", VecSink::<i32>::new());
        graph.connect(source.output, one_in_3.input);
        graph.connect(source.output, block.input[0]);
        graph.connect(one_in_3.output, block.input[1]);
        graph.connect(block.output[0], sink.input);
        let error = graph.check().unwrap_err().to_string();
        assert!(error.contains("block") && error.contains("1/3"), "{error}");
    }

    #[test]
    fn what_memory_cannot_hold_is_refused() {
        assert!(Interleave::<u8>::new(2, 1 << 24).is_err() && Interleave::<u8>::new(2, 0).is_err());
    }
}
