//! Lets tags through or not.

use std::sync::Arc;

use superhet_runtime::{
    AnyBlock, Block, BlockError, Context, In, Item, Out, Step, Work, declare, tag::forward_tags,
};

use crate::flow;

/// Passes items on, and their tags or not.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | any | any |
/// | out `out` | the same | that of `in` |
///
/// | parameter | means |
/// |---|---|
/// | `propagate_tags` | whether tags pass |
/// | `key` | the only key that this holds for; tags with others pass. All if empty |
///
/// ```
/// use superhet_blocks::{sinks::{Lines, TagDebug}, sources::VectorSource, tags::TagGate};
/// use superhet_runtime::Graph;
///
/// let (lines, text) = Lines::memory();
/// let mut graph = Graph::new();
/// let source = VectorSource::new(vec![0u8; 10], false)?.with_tag(4, "a", 1)?.with_tag(5, "b", 2)?;
/// let source = graph.add("source", source);
/// let gate = graph.add("gate", TagGate::<u8>::new(false).only("a"));
/// let print = graph.add("print", TagDebug::<u8>::new(lines, None));
/// graph.connect(source.output, gate.input);
/// graph.connect(gate.output, print.input);
/// graph.run()?;
/// assert_eq!(text.take(), "{\"index\":5,\"key\":\"b\",\"source\":\"source\",\"value\":2}\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct TagGate<T: Item> {
    #[port("in")]
    input: In<T>,
    #[port("out")]
    output: Out<T>,
    propagate: bool,
    key: Option<Arc<str>>,
}

impl<T: Item> TagGate<T> {
    /// Lets all tags through, or none.
    pub fn new(propagate_tags: bool) -> Self {
        TagGate { input: In::new(), output: Out::new(), propagate: propagate_tags, key: None }
    }

    /// Does so with tags of this key only, and lets all others through.
    #[must_use]
    pub fn only(mut self, key: impl Into<Arc<str>>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Forwards the tags of the next `n` items that may pass.
    fn pass_tags(&mut self, n: usize) {
        match &self.key {
            _ if self.propagate => forward_tags(&mut self.input, &mut self.output, n),
            None => {}
            Some(key) => self.input.for_each_tag(n, |tag| {
                if tag.key != *key {
                    self.output.put_tag(tag.clone());
                }
            }),
        }
    }
}

impl<T: Item> Work for TagGate<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.input.available().min(self.output.room());
        self.pass_tags(n);
        let (x, y) = (self.input.peek(), self.output.reserve());
        y[..n].copy_from_slice(&x[..n]);
        self.input.consume(n);
        self.output.produce(n);
        Ok(flow::step(n, &self.input))
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.pass_tags(0);
        Ok(Step::Done)
    }
}

#[declare(
    category = "tags",
    summary = "Passes items on, and their tags or not.",
    items(any),
    ports(input("in", "item", "x"), output("out", "item", "x, with those tags that pass"))
)]
fn tag_gate<T: Item>(
    /// Whether tags pass.
    #[param(default = false)]
    propagate_tags: bool,
    /// The only key that this holds for; all if empty.
    #[param(default = "")]
    key: &str,
) -> AnyBlock {
    AnyBlock::new({
        let gate = TagGate::<T>::new(propagate_tags);
        if key.is_empty() { gate } else { gate.only(key) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{cuts, run_tagged};
    use superhet_runtime::Value;

    #[test]
    fn tags_pass_or_do_not_and_items_always_do() {
        let tags =
            || vec![(0, "a", Value::from(1)), (0, "b", 2.into()), (99, "a", 3.into()), (120, "b", 4.into())];
        type Make = fn() -> TagGate<u8>;
        let gates: [(Make, &[u64]); 4] = [
            (|| TagGate::new(true), &[0, 0, 99, 120]),
            (|| TagGate::new(false), &[]),
            (|| TagGate::new(false).only("a"), &[0, 120]),
            (|| TagGate::new(true).only("a"), &[0, 0, 99, 120]),
        ];
        for options in cuts() {
            for (gate, wanted) in gates {
                let (items, tags) = run_tagged::<u8, u8, _, _>(gate(), (0..100).collect(), tags(), &options);
                assert_eq!(items, (0..100).collect::<Vec<u8>>());
                assert_eq!(tags.iter().map(|(index, ..)| *index).collect::<Vec<_>>(), wanted);
            }
        }
    }
}
