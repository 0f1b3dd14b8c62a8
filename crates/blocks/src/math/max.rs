//! The largest items of streams.

use std::marker::PhantomData;

use superhet_runtime::{In, Item, Out, Ratio, declare};

use super::fold::{PORTS, give_best};
use crate::error::{Error, check_to_one};
use crate::filters::fir_filter::TO_ONE;
use crate::lockstep::{Lockstep, Many, check_ports};

/// The largest items: of all inputs, place by place, or of all items of a vector of every input.
///
/// | port | item | unit | per step |
/// |---|---|---|---|
/// | in `in0`, `in1`, … | `f32`, `i32` or `i16` | any | `length` |
/// | out `out` | the same | that of the inputs | `length` or 1 |
///
/// An item that is NaN never takes the place of one before it.
///
/// ```
/// use superhet_blocks::{math::Max, sinks::VectorSink, sources::VectorSource};
/// use superhet_runtime::Graph;
///
/// let mut graph = Graph::new();
/// let a = graph.add("a", VectorSource::new(vec![1i32, 5, 3, 3], false)?);
/// let b = graph.add("b", VectorSource::new(vec![0, 9, 3, 4], false)?);
/// let max = graph.add("max", Max::<i32>::new(2, 2, true)?);
/// let sink = VectorSink::<i32>::new();
/// let items = sink.items();
/// let sink = graph.add("sink", sink);
/// graph.connect(a.output, max.input[0]);
/// graph.connect(b.output, max.input[1]);
/// graph.connect(max.output[0], sink.input);
/// graph.run()?;
/// assert_eq!(items.take(), [9, 4]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Max<T> {
    length: usize,
    of_vector: bool,
    item: PhantomData<fn() -> T>,
}

#[declare(
    category = "math",
    summary = "The largest items of all inputs, or of each vector of them.",
    items(f32, i32, i16),
    ports(
        input("in0", "item", "a"),
        input("in1", "item", "b; more or fewer as inputs says"),
        output("out", "item", "the largest of them: ⌊n / length⌋ items for n with of_vector, else n")
    )
)]
impl<T: Item + PartialOrd> Max<T> {
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
        #[param(kind = TO_ONE, unit = "items", default = 1)]
        length: usize,
        /// Whether each vector gives one item; else each item does.
        #[param(default = false)]
        of_vector: bool,
    ) -> Result<Many<Self>, Error> {
        check_ports("inputs", inputs)?;
        check_to_one("length", length)?;
        Ok(Many::to_one(Max { length, of_vector, item: PhantomData }, inputs))
    }
}

impl<T: Item + PartialOrd> Lockstep for Max<T> {
    type In = T;
    type Out = T;

    fn ratio(&self) -> Ratio {
        match self.of_vector {
            true => Ratio::decimate(self.length),
            false => Ratio::ONE,
        }
    }

    fn turn(&mut self, inputs: &[In<T>], outputs: &mut [Out<T>], turns: usize) {
        let vector = self.of_vector.then_some(self.length);
        give_best(inputs, outputs, turns, vector, |y, x| if x > y { x } else { y });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_gives_of_many, noise};

    #[test]
    fn values_are_right_wherever_the_streams_are_cut() {
        let inputs: Vec<Vec<f32>> = (0..3).map(|k| noise(600 + 200 * k)[200 * k..].to_vec()).collect();
        let at = |n: usize| inputs.iter().map(|x| x[n]).reduce(f32::max).unwrap();
        let single: Vec<f32> = (0..600).map(at).collect();
        assert_gives_of_many(|| Max::<f32>::new(3, 1, false).unwrap(), &inputs, &single);
        let wanted: Vec<f32> =
            single.chunks(4).map(|x| x.iter().copied().reduce(f32::max).unwrap()).collect();
        assert_gives_of_many(|| Max::<f32>::new(3, 4, true).unwrap(), &inputs, &wanted);
    }

    #[test]
    fn what_is_out_of_range_is_refused() {
        assert!(Max::<i16>::new(0, 1, false).is_err() && Max::<i16>::new(1, 0, false).is_err());
    }
}
