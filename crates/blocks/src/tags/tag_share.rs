//! The tags of two streams on one.

use std::marker::PhantomData;

use superhet_runtime::catalog::Kind;
use superhet_runtime::{AnyBlock, C32, Item, Pure, declare};

/// The items of the first stream with the tags of both: `y[n] = a[n]`.
///
/// For tags that were found on a copy of the stream: a detector works on magnitudes, and its tags are wanted on the
/// samples. Ends with the shorter stream.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in0` | any | any |
/// | in `in1` | any | not looked at |
/// | out `out` | that of `in0` | that of `in0` |
///
/// ```
/// use superhet_blocks::{sinks::{Lines, TagDebug}, sources::VectorSource, tags::TagShare};
/// use superhet_runtime::{C32, Graph};
///
/// let (lines, text) = Lines::memory();
/// let mut graph = Graph::new();
/// let samples = graph.add("samples", VectorSource::new(vec![C32::I; 10], false)?);
/// let levels = graph.add("levels", VectorSource::new(vec![1.0f32; 10], false)?.with_tag(4, "peak", 1)?);
/// let share = graph.add("share", TagShare::<C32, f32>::new());
/// let print = graph.add("print", TagDebug::<C32>::new(lines, None));
/// graph.connect(samples.output, share.input.0);
/// graph.connect(levels.output, share.input.1);
/// graph.connect(share.output, print.input);
/// graph.run()?;
/// assert_eq!(text.take(), "{\"index\":4,\"key\":\"peak\",\"source\":\"levels\",\"value\":1}\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct TagShare<A, B>(PhantomData<fn() -> (A, B)>);

impl<A: Item, B: Item> TagShare<A, B> {
    /// A stream of `A` with the tags of one of `B`.
    pub fn new() -> Self {
        TagShare(PhantomData)
    }
}

impl<A: Item, B: Item> Default for TagShare<A, B> {
    fn default() -> Self {
        TagShare::new()
    }
}

impl<A: Item, B: Item> Pure for TagShare<A, B> {
    type In = (A, B);
    type Out = A;

    fn map(&self, (a, _): (&[A], &[B]), y: &mut [A]) {
        y.copy_from_slice(a);
    }
}

#[declare(
    category = "tags",
    summary = "The items of the first stream with the tags of both.",
    items(any),
    ports(
        input("in0", "item", "x"),
        input("in1", "item", "items of the type share_item; only their tags are used"),
        output("out", "item", "x, with the tags of both")
    )
)]
fn tag_share<T: Item>(
    /// The type of the items of the second stream.
    #[param(kind = Kind::Choice(&["as item", "C32", "f32", "u8"]), default = "as item")]
    share_item: &str,
) -> AnyBlock {
    match share_item {
        "C32" => AnyBlock::new(TagShare::<T, C32>::new()),
        "f32" => AnyBlock::new(TagShare::<T, f32>::new()),
        "u8" => AnyBlock::new(TagShare::<T, u8>::new()),
        _ => AnyBlock::new(TagShare::<T, T>::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{TagSink, Tagged, assert_gives_of_two, cuts, named, noise};
    use superhet_runtime::{Graph, Single, Value};

    #[test]
    fn the_items_are_those_of_the_first_stream() {
        let (a, b) = (noise(1000), vec![1u8; 900]);
        assert_gives_of_two(TagShare::<f32, u8>::new, (&a, &b), &a[..900]);
    }

    #[test]
    fn the_tags_are_those_of_both() {
        for options in cuts() {
            let mut graph = Graph::new();
            let tag = |index, key| (index, key, Value::Null);
            graph.add("a", Tagged::new(vec![0u8; 100], vec![tag(5, "a"), tag(99, "a")]));
            graph.add("b", Tagged::new(vec![0f32; 100], vec![tag(0, "b"), tag(99, "b")]));
            graph.add("share", TagShare::<u8, f32>::new());
            let sink = TagSink::<u8>::new();
            let seen = sink.seen.clone();
            graph.add("sink", sink);
            graph.connect_names("a", "share.in0");
            graph.connect_names("b", "share.in1");
            graph.connect_names("share", "sink");
            graph.check().unwrap().start(&Single, &options).unwrap().wait().unwrap();
            let tags = named(std::mem::take(&mut seen.lock().unwrap().0));
            let wanted = [(0, "b"), (5, "a"), (99, "a"), (99, "b")];
            assert_eq!(tags, wanted.map(|(index, key)| (index, key.to_owned(), Value::Null)));
        }
    }
}
