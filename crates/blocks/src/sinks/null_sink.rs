//! Takes a stream and does nothing with it.

use std::marker::PhantomData;

use superhet_runtime::{Item, Pure, declare};

/// Takes a stream and does nothing with it: for outputs that nobody needs.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | any | not looked at |
///
/// ```
/// use superhet_blocks::{sinks::NullSink, sources::VectorSource};
/// use superhet_runtime::Graph;
///
/// let mut graph = Graph::new();
/// let source = graph.add("source", VectorSource::new(vec![1.0f32; 1000], false)?);
/// let sink = graph.add("sink", NullSink::<f32>::new());
/// graph.connect(source.output, sink.input);
/// graph.run()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct NullSink<T>(PhantomData<fn() -> T>);

#[declare(
    category = "sinks",
    summary = "Takes a stream and does nothing with it.",
    items(any),
    ports(input("in", "item", "not looked at"))
)]
impl<T: Item> NullSink<T> {
    /// A sink that takes everything.
    pub fn new() -> Self {
        NullSink(PhantomData)
    }
}

impl<T: Item> Default for NullSink<T> {
    fn default() -> Self {
        NullSink::new()
    }
}

impl<T: Item> Pure for NullSink<T> {
    type In = T;
    type Out = ();

    fn map(&self, _: &[T], _: ()) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{sources::VectorSource, testing::cuts};
    use superhet_runtime::{Graph, Single};

    #[test]
    fn everything_is_taken() {
        for options in cuts() {
            let mut graph = Graph::new();
            let source = graph.add("source", VectorSource::new(vec![7u8; 1000], false).unwrap());
            let sink = graph.add("sink", NullSink::<u8>::new());
            graph.connect(source.output, sink.input);
            let report = graph.check().unwrap().start(&Single, &options).unwrap().wait().unwrap();
            assert_eq!(report.blocks[1].inputs[0].items, 1000);
        }
    }
}
