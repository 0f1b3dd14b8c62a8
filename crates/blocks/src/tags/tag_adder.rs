//! Puts tags on a stream.

use std::collections::VecDeque;
use std::sync::Arc;

use superhet_runtime::{
    AnyBlock, Block, BlockError, Context, In, Item, Out, Step, Tag, Value, Work, declare, tag::forward_tags,
};

use crate::error::{Error, check};
use crate::flow;

/// Puts tags on given items of a stream, and one on every `n`-th; those that are there stay, before the new ones.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | any | any |
/// | out `out` | the same | that of `in` |
///
/// Tags for items that never come are handed on at the end, as those are that come from other blocks.
///
/// ```
/// use superhet_blocks::{sinks::{Lines, TagDebug}, sources::VectorSource, tags::TagAdder};
/// use superhet_runtime::Graph;
///
/// let (lines, text) = Lines::memory();
/// let mut graph = Graph::new();
/// let source = graph.add("source", VectorSource::new(vec![0.0f32; 10], false)?);
/// let adder = graph.add("adder", TagAdder::<f32>::new().tag(3, "burst", true).every(6, "frame", 1)?);
/// let print = graph.add("print", TagDebug::<f32>::new(lines, None));
/// graph.connect(source.output, adder.input);
/// graph.connect(adder.output, print.input);
/// graph.run()?;
/// let text = text.take();
/// let index = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["index"].as_u64();
/// assert_eq!(text.lines().map(index).collect::<Vec<_>>(), [Some(0), Some(3), Some(6)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct TagAdder<T: Item> {
    #[port("in")]
    input: In<T>,
    #[port("out")]
    output: Out<T>,
    /// Sorted by index.
    tags: VecDeque<Tag>,
    every: Option<(u64, Arc<str>, Value)>,
    /// The first item that one of those can lie on.
    start: u64,
}

impl<T: Item> TagAdder<T> {
    /// Puts no tags yet.
    pub fn new() -> Self {
        TagAdder { input: In::new(), output: Out::new(), tags: VecDeque::new(), every: None, start: 0 }
    }

    /// Puts a tag on the item with this index.
    #[must_use]
    pub fn tag(self, index: u64, key: impl Into<Arc<str>>, value: impl Into<Value>) -> Self {
        self.tags([Tag { index, key: key.into(), value: value.into(), source: "".into() }])
    }

    /// Puts these tags on their items. Those without a source get the name of this block.
    #[must_use]
    pub fn tags(mut self, tags: impl IntoIterator<Item = Tag>) -> Self {
        self.tags.extend(tags);
        put_in_order(self.tags.make_contiguous());
        self
    }

    /// Puts a tag on the items 0, `n`, 2 `n`, …
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where `n` is 0.
    pub fn every(mut self, n: u64, key: impl Into<Arc<str>>, value: impl Into<Value>) -> Result<Self, Error> {
        check(n > 0, "every", "a whole number ≥ 1", 0.0)?;
        self.every = Some((n, key.into(), value.into()));
        Ok(self)
    }

    /// Leaves the items before `index` without those on every `n`-th item.
    #[must_use]
    pub fn from(mut self, index: u64) -> Self {
        self.start = index;
        self
    }

    /// Puts those tags on that belong to the items from `from` up to `end`, which are next.
    fn put(&mut self, from: u64, end: u64) {
        if let Some((n, key, value)) = &self.every {
            for index in (from.max(self.start).next_multiple_of(*n)..end).step_by(*n as usize) {
                self.output.tag((index - from) as usize, key.clone(), value.clone());
            }
        }
        while let Some(mut tag) = self.tags.pop_front_if(|tag| tag.index < end) {
            if tag.source.is_empty() {
                tag.source = self.output.source();
            }
            self.output.put_tag(tag);
        }
    }
}

/// Sorts tags by their items. Of those on one item, the first that is given comes first.
fn put_in_order(tags: &mut [Tag]) {
    tags.sort_by_key(|tag| tag.index);
}

impl<T: Item> Default for TagAdder<T> {
    fn default() -> Self {
        TagAdder::new()
    }
}

impl<T: Item> Work for TagAdder<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.input.available().min(self.output.room());
        let from = self.output.index();
        // First, for the old tags come first where both are on one item.
        forward_tags(&mut self.input, &mut self.output, n);
        self.put(from, from + n as u64);
        let (x, y) = (self.input.peek(), self.output.reserve());
        y[..n].copy_from_slice(&x[..n]);
        self.input.consume(n);
        self.output.produce(n);
        Ok(flow::step(n, &self.input))
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        flow::end(&mut self.input, &mut self.output);
        self.every = None;
        let from = self.output.index();
        self.put(from, u64::MAX);
        Ok(Step::Done)
    }
}

/// The tags that a parameter says as JSON, sorted.
fn tags_of(text: &str) -> Result<Vec<Tag>, Error> {
    let wrong = |problem: String| Error::NoTag { place: "tags".to_owned(), problem };
    let json: Vec<serde_json::Value> =
        serde_json::from_str(text).map_err(|error| wrong(format!("no JSON list ({error})")))?;
    let tag = |(place, json)| super::tag_of(json, &format!("tags[{place}]"));
    let mut tags = json.iter().enumerate().map(tag).collect::<Result<Vec<Tag>, Error>>()?;
    put_in_order(&mut tags);
    Ok(tags)
}

#[declare(
    category = "tags",
    summary = "Puts tags on given items of a stream, and on every n-th.",
    items(any),
    ports(input("in", "item", "x"), output("out", "item", "x, with more tags"))
)]
fn tag_adder<T: Item>(
    /// The tags: a JSON list of {"index": …, "key": …, "value": …}.
    #[param(default = "[]")]
    tags: &str,
    /// Also tags each item whose index is a multiple; 0: none.
    #[param(unit = "items", default = 0)]
    every: u64,
    /// The first index that one of those can have.
    #[param(unit = "items", default = 0)]
    from: u64,
    /// The key of the tags on every n-th item.
    #[param(default = "tag")]
    key: &str,
    /// Their value; in files JSON, or plain text where it is not JSON.
    #[param(default = true)]
    value: &Value,
) -> Result<AnyBlock, BlockError> {
    let mut adder = TagAdder::<T>::new();
    adder.tags = tags_of(tags)?.into();
    adder.every = (every > 0).then(|| (every, key.into(), value.clone()));
    adder.start = from;
    Ok(AnyBlock::new(adder))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{cuts, run_tagged};
    use std::collections::BTreeMap;

    #[test]
    fn tags_come_on_their_items_behind_those_that_were_there() {
        for options in cuts() {
            let adder =
                TagAdder::<u8>::new().tag(9, "b", 1).tag(0, "a", 2).tag(9, "c", 3).tag(150, "late", 4);
            let old = vec![(9, "old", Value::from(0))];
            let (items, tags) = run_tagged::<u8, u8, _, _>(adder, (0..100).collect(), old, &options);
            assert_eq!(items, (0..100).collect::<Vec<u8>>());
            let wanted = [(0, "a", 2), (9, "old", 0), (9, "b", 1), (9, "c", 3), (150, "late", 4)];
            assert_eq!(tags, wanted.map(|(index, key, value)| (index, key.to_owned(), Value::from(value))));
        }
    }

    #[test]
    fn every_nth_item_is_tagged_wherever_the_stream_is_cut() {
        for options in cuts() {
            let adder = TagAdder::<u8>::new().every(7, "frame", true).unwrap();
            let (_, tags) = run_tagged::<u8, u8, _, _>(adder, vec![0; 200], vec![], &options);
            let indices: Vec<u64> = tags.iter().map(|(index, ..)| *index).collect();
            assert_eq!(indices, (0..200).step_by(7).collect::<Vec<_>>());
            let adder = TagAdder::<u8>::new().every(7, "frame", true).unwrap().from(50);
            let (_, tags) = run_tagged::<u8, u8, _, _>(adder, vec![0; 200], vec![], &options);
            let indices: Vec<u64> = tags.iter().map(|(index, ..)| *index).collect();
            assert_eq!(indices, (56..200).step_by(7).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_list_that_says_no_tags_is_refused_with_the_place() {
        for (tags, problem) in [
            ("[{\"index\": 1, \"key\": \"a\"}, {\"key\": \"b\"}]", "tags[1]: there is no `index`"),
            ("[{\"index\": -1, \"key\": \"b\"}]", "tags[0]: there is no `index`"),
            ("[{\"index\": 1}]", "tags[0]: there is no `key`"),
            ("[5]", "tags[0]: 5 is no tag"),
            ("{}", "tags: no JSON list"),
        ] {
            let given = BTreeMap::from([("tags".to_owned(), Value::from(tags))]);
            let error = ENTRY.build(&given).unwrap_err()[0].to_string();
            assert!(error.contains(problem), "{error}");
        }
        assert!(TagAdder::<u8>::new().every(0, "k", 1).is_err());
    }
}
