//! Where the largest item of a vector lies.

use std::marker::PhantomData;

use superhet_runtime::catalog::Kind;
use superhet_runtime::{In, Item, Out, Ratio, declare};

use super::fold::PORTS;
use crate::error::{Error, check};
use crate::lockstep::{Lockstep, Many, Names, check_ports, room};

/// The longest vector: places are `i16`.
const LONGEST: usize = 1 << 15;

/// Where the largest item of each vector of all inputs lies: its place in the vector, and which input has it.
///
/// Of several that are the largest, the one at the first place, there that of the first input. An item that is NaN is never the largest, unless it is
/// the first.
///
/// | port | item | unit | per step |
/// |---|---|---|---|
/// | in `in0`, `in1`, … | `f32`, `i32` or `i16` | any | `length` |
/// | out `out0` | `i16` | its place in the vector, from 0 | 1 |
/// | out `out1` | `i16` | the number of the input, from 0; may stay unconnected | 1 |
///
/// ```
/// use superhet_blocks::{math::Argmax, sinks::VectorSink, sources::VectorSource};
/// use superhet_runtime::Graph;
///
/// let mut graph = Graph::new();
/// let source = graph.add("source", VectorSource::new(vec![1.0f32, 5.0, 2.0, 7.0, 0.0, 0.0], false)?);
/// let argmax = graph.add("argmax", Argmax::<f32>::new(1, 3)?);
/// let sink = VectorSink::<i16>::new();
/// let items = sink.items();
/// let sink = graph.add("sink", sink);
/// graph.connect(source.output, argmax.input[0]);
/// graph.connect(argmax.output[0], sink.input);
/// graph.run()?;
/// assert_eq!(items.take(), [1, 0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Argmax<T> {
    length: usize,
    item: PhantomData<fn() -> T>,
}

#[declare(
    category = "math",
    summary = "Where the largest item of each vector of all inputs lies.",
    items(f32, i32, i16),
    ports(
        input("in0", "item", "a"),
        input("in1", "item", "b; more or fewer as inputs says"),
        output("out0", "i16", "the place in the vector: ⌊n / length⌋ items for n"),
        output("out1", "i16", "the number of the input")
    )
)]
impl<T: Item + PartialOrd> Argmax<T> {
    /// The largest of `inputs` streams of vectors of `length` items.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where a parameter is.
    #[allow(clippy::new_ret_no_self, reason = "the block is what has as many ports")]
    pub fn new(
        /// How many inputs there are: in0, in1, …; one alone passes as it is.
        #[param(kind = PORTS, default = 2)]
        inputs: usize,
        /// The length of a vector.
        #[param(kind = Kind::Integer(1, LONGEST as i64), unit = "items", default = 1)]
        length: usize,
    ) -> Result<Many<Self>, Error> {
        check_ports("inputs", inputs)?;
        check((1..=LONGEST).contains(&length), "length", "a whole number from 1 to 32768", length as f64)?;
        let argmax = Argmax { length, item: PhantomData };
        Ok(Many::new(argmax, (inputs, Names::Numbered), (2, Names::Numbered)))
    }
}

impl<T: Item + PartialOrd> Lockstep for Argmax<T> {
    type In = T;
    type Out = i16;

    fn ratio(&self) -> Ratio {
        Ratio::decimate(self.length)
    }

    fn turn(&mut self, inputs: &[In<T>], outputs: &mut [Out<i16>], turns: usize) {
        let [places, numbers] = outputs else { return };
        let (mut places, mut numbers) = (room(places, turns), room(numbers, turns));
        for turn in 0..turns {
            let mut best = (inputs[0].peek()[turn * self.length], 0, 0);
            for (number, input) in inputs.iter().enumerate() {
                for (place, &x) in input.peek()[turn * self.length..][..self.length].iter().enumerate() {
                    if x > best.0 || (x == best.0 && place < best.1) {
                        best = (x, place, number);
                    }
                }
            }
            if let Some(y) = &mut places {
                y[turn] = best.1 as i16;
            }
            if let Some(y) = &mut numbers {
                y[turn] = best.2 as i16;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{cuts, run_many};

    #[test]
    fn the_first_place_of_the_largest_is_found_wherever_the_streams_are_cut() {
        let repeat = |x: &[i32]| x.iter().copied().cycle().take(800).collect::<Vec<_>>();
        let inputs = [repeat(&[1, 2, 3, 9, 1, 7, 7, 1]), repeat(&[9, 1, 1, 1, 8, 1, 1, 8])];
        for options in cuts() {
            let block = Argmax::<i32>::new(2, 4).unwrap();
            let y: Vec<Vec<i16>> = run_many(block, &inputs, &["out0", "out1"], &options);
            // As in GNU Radio, also where the first input has a largest item, but further on.
            assert_eq!(y, [[0i16, 0].repeat(100), [1i16, 1].repeat(100)]);
        }
        assert!(Argmax::<f32>::new(1, LONGEST + 1).is_err());
    }
}
