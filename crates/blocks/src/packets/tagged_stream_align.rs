//! Begins a stream with its first packet.

use std::sync::Arc;

use superhet_runtime::{Block, BlockError, Context, In, Item, Out, Step, Work, declare};

use crate::flow;

/// Drops the items before the first that has a tag `length_tag`, with their tags; all others pass.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | any | any |
/// | out `out` | the same | that of `in` |
///
/// ```
/// use superhet_blocks::{packets::TaggedStreamAlign, sinks::VectorSink, sources::VectorSource};
/// use superhet_runtime::Graph;
///
/// let mut graph = Graph::new();
/// let source = VectorSource::new(vec![9u8, 9, 1, 2], false)?.with_tag(2, "packet_len", 2)?;
/// let source = graph.add("source", source);
/// let align = graph.add("align", TaggedStreamAlign::<u8>::new("packet_len"));
/// let sink = VectorSink::<u8>::new();
/// let items = sink.items();
/// let sink = graph.add("sink", sink);
/// graph.connect(source.output, align.input);
/// graph.connect(align.output, sink.input);
/// graph.run()?;
/// assert_eq!(items.take(), [1, 2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct TaggedStreamAlign<T: Item> {
    #[port("in")]
    input: In<T>,
    #[port("out")]
    output: Out<T>,
    key: Arc<str>,
    has_begun: bool,
}

#[declare(
    category = "packets",
    summary = "Drops the items before the first packet.",
    items(any),
    ports(input("in", "item", "x"), output("out", "item", "x from its first packet on"))
)]
impl<T: Item> TaggedStreamAlign<T> {
    /// Begins with the first item that has this tag.
    pub fn new(
        /// The key of the tag on the first item of each packet that says how many items it has.
        #[param(type = String, default = "packet_len")]
        length_tag: impl Into<Arc<str>>,
    ) -> Self {
        TaggedStreamAlign { input: In::new(), output: Out::new(), key: length_tag.into(), has_begun: false }
    }
}

impl<T: Item> Work for TaggedStreamAlign<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        if !self.has_begun {
            let (n, first) = (self.input.available(), self.input.index());
            let mut begin = None;
            self.input.for_each_tag(n, |tag| {
                if tag.key == self.key {
                    begin = begin.or(Some((tag.index - first) as usize));
                }
            });
            self.has_begun = begin.is_some();
            let dropped = begin.unwrap_or(n);
            self.input.consume(dropped);
            if dropped > 0 {
                return Ok(Step::Ran);
            }
        }
        let n = flow::pass(&mut self.input, &mut self.output, usize::MAX);
        Ok(flow::step(n, &self.input))
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        Ok(if self.has_begun { flow::end(&mut self.input, &mut self.output) } else { Step::Done })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{cuts, run_tagged};
    use superhet_runtime::Value;

    #[test]
    fn what_comes_before_the_first_packet_is_dropped_wherever_the_stream_is_cut() {
        for options in cuts() {
            let tag = |index, key| (index, key, Value::Null);
            let tags = vec![tag(3, "x"), tag(42, "len"), tag(42, "x"), tag(60, "len"), tag(130, "x")];
            let align = TaggedStreamAlign::<u8>::new("len");
            let (items, tags) = run_tagged::<u8, u8, _, _>(align, (0..100).collect(), tags, &options);
            assert_eq!(items, (42..100).collect::<Vec<u8>>());
            assert_eq!(tags.iter().map(|tag| tag.0).collect::<Vec<_>>(), [0, 0, 18, 88]);
            let align = TaggedStreamAlign::<u8>::new("none");
            let (items, tags) = run_tagged::<u8, u8, _, _>(align, vec![1; 100], vec![tag(3, "x")], &options);
            assert!(items.is_empty() && tags.is_empty());
        }
    }
}
