//! An endless stream of zeros.

use std::marker::PhantomData;

use superhet_runtime::{Item, Pure, declare};

/// An endless stream of zeros: `y[n] = 0`.
///
/// | port | item | unit |
/// |---|---|---|
/// | out `out` | any | zero |
///
/// ```
/// use superhet_blocks::{flow::Head, sinks::VectorSink, sources::NullSource};
/// use superhet_runtime::Graph;
///
/// let mut graph = Graph::new();
/// let zeros = graph.add("zeros", NullSource::<f32>::new());
/// let head = graph.add("head", Head::<f32>::new(3));
/// let sink = VectorSink::<f32>::new();
/// let items = sink.items();
/// let sink = graph.add("sink", sink);
/// graph.connect(zeros.output, head.input);
/// graph.connect(head.output, sink.input);
/// graph.run()?;
/// assert_eq!(items.take(), [0.0; 3]);
/// # Ok::<(), superhet_runtime::RunError>(())
/// ```
#[derive(Debug)]
pub struct NullSource<T>(PhantomData<fn() -> T>);

#[declare(
    category = "sources",
    summary = "An endless stream of zeros.",
    items(any),
    ports(output("out", "item", "zeros"))
)]
impl<T: Item> NullSource<T> {
    /// A source of zeros.
    pub fn new() -> Self {
        NullSource(PhantomData)
    }
}

impl<T: Item> Default for NullSource<T> {
    fn default() -> Self {
        NullSource::new()
    }
}

impl<T: Item> Pure for NullSource<T> {
    type In = ();
    type Out = T;

    fn map(&self, _: (), y: &mut [T]) {
        y.fill(bytemuck::Zeroable::zeroed());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{flow::Head, sinks::VectorSink};
    use superhet_runtime::Graph;

    #[test]
    fn all_items_are_zero_even_where_the_buffer_was_used_before() {
        let mut graph = Graph::new();
        let source = graph.add("source", NullSource::<[i16; 2]>::new());
        let head = graph.add("head", Head::<[i16; 2]>::new(100_000));
        let sink = VectorSink::<[i16; 2]>::new();
        let items = sink.items();
        let sink = graph.add("sink", sink);
        graph.connect(source.output, head.input);
        graph.connect(head.output, sink.input);
        graph.run().unwrap();
        assert_eq!(items.take(), vec![[0, 0]; 100_000]);
    }
}
