//! One stream as several, in turn.

use std::marker::PhantomData;

use superhet_runtime::{In, Item, Out, Ratio, declare};

use super::interleave::check_turn;
use crate::error::Error;
use crate::filters::fir_filter::TO_ONE;
use crate::lockstep::{Lockstep, MOST_PORTS, Many, room};

/// One stream as several: `length` items for the first, for the second and so on, then for the first again.
///
/// | port | item | unit | per step |
/// |---|---|---|---|
/// | in `in` | any | any | `length · outputs` |
/// | out `out0`, `out1`, … | the same | that of `in` | `length` |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `outputs` | | 1 to 64; of several, some may stay unconnected |
/// | `length` | items | ≥ 1; `length · outputs` ≤ 2²⁴ |
///
/// A tag goes to all outputs, in proportion to its place. Less than a whole turn at the end is lost.
///
/// ```
/// use superhet_blocks::{sinks::VectorSink, sources::VectorSource, vectors::Deinterleave};
/// use superhet_runtime::Graph;
///
/// let mut graph = Graph::new();
/// let source = graph.add("source", VectorSource::new(vec![1u8, 2, 3, 4, 5, 6], false)?);
/// let parts = graph.add("parts", Deinterleave::<u8>::new(2, 1)?);
/// let sink = VectorSink::<u8>::new();
/// let items = sink.items();
/// let sink = graph.add("sink", sink);
/// graph.connect(source.output, parts.input[0]);
/// graph.connect(parts.output[1], sink.input);
/// graph.run()?;
/// assert_eq!(items.take(), [2, 4, 6]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Deinterleave<T> {
    outputs: usize,
    length: usize,
    item: PhantomData<fn() -> T>,
}

#[declare(
    category = "vectors",
    summary = "One stream as several, so many items for each in turn.",
    items(any),
    ports(
        input("in", "item", "x"),
        output("out0", "item", "what comes first: ⌊n / (length · outputs)⌋ · length items for n"),
        output("out1", "item", "what comes next; more or fewer as outputs says")
    )
)]
impl<T: Item> Deinterleave<T> {
    /// Gives `length` items to each of `outputs` streams in turn.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where a parameter is.
    #[allow(clippy::new_ret_no_self, reason = "the block is what has as many ports")]
    pub fn new(
        /// How many outputs there are: out0, out1, ….
        #[param(range = 1..=MOST_PORTS, default = 2)]
        outputs: usize,
        /// How many items for each in a turn.
        #[param(unit = "items", kind = TO_ONE, default = 1)]
        length: usize,
    ) -> Result<Many<Self>, Error> {
        check_turn("outputs", outputs, length)?;
        Ok(Many::of_one(Deinterleave { outputs, length, item: PhantomData }, outputs))
    }
}

impl<T: Item> Lockstep for Deinterleave<T> {
    type In = T;
    type Out = T;

    fn ratio(&self) -> Ratio {
        Ratio { interpolation: self.length, decimation: self.length * self.outputs }
    }

    fn turn(&mut self, inputs: &[In<T>], outputs: &mut [Out<T>], turns: usize) {
        let turn = self.length * self.outputs;
        let Some(x) = inputs.first().map(|input| &input.peek()[..turns * turn]) else { return };
        for (place, output) in outputs.iter_mut().enumerate() {
            let Some(y) = room(output, turns * self.length) else { continue };
            if self.length == 1 {
                y.iter_mut().zip(x[place..].iter().step_by(turn)).for_each(|(y, &x)| *y = x);
            } else {
                for (y, x) in y.chunks_exact_mut(self.length).zip(x.chunks_exact(turn)) {
                    y.copy_from_slice(&x[place * self.length..][..self.length]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_gives_many;

    #[test]
    fn items_are_given_in_turn_wherever_the_stream_is_cut() {
        let x: Vec<i32> = (0..601).collect();
        for length in [1, 2, 5] {
            let of = |place: usize| {
                x.chunks_exact(3 * length).flat_map(move |x| x[place * length..][..length].to_vec())
            };
            let wanted: Vec<Vec<i32>> = (0..3).map(|place| of(place).collect()).collect();
            assert_gives_many(|| Deinterleave::<i32>::new(3, length).unwrap(), &x, &wanted);
        }
    }
}
