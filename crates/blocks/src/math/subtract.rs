//! Subtraction of two streams.

use std::marker::PhantomData;

use superhet_kernels as kernels;
use superhet_runtime::catalog::{Entry, input, output};
use superhet_runtime::{C32, Item, Pure};

use crate::item::{SAMPLE_ITEM, block_of_sample};

/// Subtracts the second stream from the first: `y[n] = a[n] − b[n]`, for `f32` and `C32`.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in0` | `C32` or `f32` | any |
/// | in `in1` | the same | that of `in0` |
/// | out `out` | the same | that of `in0` |
///
/// ```
/// use superhet_blocks::{math::Subtract, sinks::VectorSink, sources::VectorSource};
/// use superhet_runtime::Graph;
///
/// let mut graph = Graph::new();
/// let a = graph.add("a", VectorSource::new(vec![10.0f32, 20.0], false)?);
/// let b = graph.add("b", VectorSource::new(vec![1.0f32, 2.0], false)?);
/// let subtract = graph.add("subtract", Subtract::<f32>::new());
/// let sink = VectorSink::<f32>::new();
/// let items = sink.items();
/// let sink = graph.add("sink", sink);
/// graph.connect(a.output, subtract.input.0);
/// graph.connect(b.output, subtract.input.1);
/// graph.connect(subtract.output, sink.input);
/// graph.run()?;
/// assert_eq!(items.take(), [9.0, 18.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Subtract<T>(PhantomData<fn() -> T>);

impl<T: Item> Subtract<T> {
    /// A difference of two streams.
    pub fn new() -> Self {
        Subtract(PhantomData)
    }
}

impl<T: Item> Default for Subtract<T> {
    fn default() -> Self {
        Subtract::new()
    }
}

impl Pure for Subtract<f32> {
    type In = (f32, f32);
    type Out = f32;

    fn map(&self, (a, b): (&[f32], &[f32]), y: &mut [f32]) {
        kernels::subtract_f32(y, a, b);
    }
}

impl Pure for Subtract<C32> {
    type In = (C32, C32);
    type Out = C32;

    fn map(&self, (a, b): (&[C32], &[C32]), y: &mut [C32]) {
        kernels::subtract_c32(y, a, b);
    }
}

/// How files and the command line find [`Subtract`].
pub const ENTRY: Entry = Entry {
    name: "subtract",
    category: "math",
    summary: "Subtracts the second stream from the first: y[n] = a[n] − b[n].",
    params: &[SAMPLE_ITEM],
    ports: &[input("in0", "item", "a"), input("in1", "item", "b"), output("out", "item", "a − b")],
    make: |params| Ok(block_of_sample!(params, T => Subtract::<T>::new())),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_gives_of_two, complex_noise, noise};

    #[test]
    fn values_are_right_wherever_the_streams_are_cut() {
        let (a, b) = (noise(1000), noise(1200)[200..].to_vec());
        let wanted: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a - b).collect();
        assert_gives_of_two(Subtract::<f32>::new, (&a, &b), &wanted);

        let (a, b) = (complex_noise(1000), complex_noise(1200)[200..].to_vec());
        let wanted: Vec<C32> = a.iter().zip(&b).map(|(a, b)| a - b).collect();
        assert_gives_of_two(Subtract::<C32>::new, (&a, &b), &wanted);
    }

    #[test]
    fn the_output_ends_with_the_shorter_input() {
        assert_gives_of_two(Subtract::<f32>::new, (&[1.0f32, 2.0, 3.0], &[4.0f32]), &[-3.0f32]);
    }
}
