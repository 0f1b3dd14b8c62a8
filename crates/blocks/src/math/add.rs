//! Addition of two streams.

use std::marker::PhantomData;

use superhet_kernels as kernels;
use superhet_runtime::catalog::{Entry, input, output};
use superhet_runtime::{C32, Item, Pure};

use crate::item::{SAMPLE_ITEM, block_of_sample};

/// Adds two streams: `y[n] = a[n] + b[n]`, for `f32` and `C32`.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in0` | `C32` or `f32` | any |
/// | in `in1` | the same | that of `in0` |
/// | out `out` | the same | that of `in0` |
///
/// ```
/// use superhet_blocks::{math::Add, sinks::VectorSink, sources::VectorSource};
/// use superhet_runtime::Graph;
///
/// let mut graph = Graph::new();
/// let a = graph.add("a", VectorSource::new(vec![1.0f32, 2.0], false)?);
/// let b = graph.add("b", VectorSource::new(vec![10.0f32, 20.0], false)?);
/// let add = graph.add("add", Add::<f32>::new());
/// let sink = VectorSink::<f32>::new();
/// let items = sink.items();
/// let sink = graph.add("sink", sink);
/// graph.connect(a.output, add.input.0);
/// graph.connect(b.output, add.input.1);
/// graph.connect(add.output, sink.input);
/// graph.run()?;
/// assert_eq!(items.take(), [11.0, 22.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Add<T>(PhantomData<fn() -> T>);

impl<T: Item> Add<T> {
    /// A sum of two streams.
    pub fn new() -> Self {
        Add(PhantomData)
    }
}

impl<T: Item> Default for Add<T> {
    fn default() -> Self {
        Add::new()
    }
}

impl Pure for Add<f32> {
    type In = (f32, f32);
    type Out = f32;

    fn map(&self, (a, b): (&[f32], &[f32]), y: &mut [f32]) {
        kernels::add_f32(y, a, b);
    }
}

impl Pure for Add<C32> {
    type In = (C32, C32);
    type Out = C32;

    fn map(&self, (a, b): (&[C32], &[C32]), y: &mut [C32]) {
        kernels::add_c32(y, a, b);
    }
}

/// How files and the command line find [`Add`].
pub const ENTRY: Entry = Entry {
    name: "add",
    category: "math",
    summary: "Adds two streams: y[n] = a[n] + b[n].",
    params: &[SAMPLE_ITEM],
    ports: &[input("in0", "item", "a"), input("in1", "item", "b"), output("out", "item", "a + b")],
    make: |params| Ok(block_of_sample!(params, T => Add::<T>::new())),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_gives_of_two, complex_noise, noise};

    #[test]
    fn values_are_right_wherever_the_streams_are_cut() {
        let (a, b) = (noise(1000), noise(1200)[200..].to_vec());
        let wanted: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
        assert_gives_of_two(Add::<f32>::new, (&a, &b), &wanted);

        let (a, b) = (complex_noise(1000), complex_noise(1200)[200..].to_vec());
        let wanted: Vec<C32> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
        assert_gives_of_two(Add::<C32>::new, (&a, &b), &wanted);
    }

    #[test]
    fn the_output_ends_with_the_shorter_input() {
        assert_gives_of_two(Add::<f32>::new, (&[1.0f32, 2.0, 3.0], &[4.0f32]), &[5.0f32]);
    }
}
