//! Tags that say which item of the first stream an item stands for, behind whatever changes the rate.

use std::sync::Arc;

use superhet_runtime::{
    Block, BlockError, Context, In, Item, Out, Step, Tag, Work, declare, tag::forward_tags,
};

use crate::error::{Error, check};
use crate::flow;

/// The key of the tags; their value is the index, a whole number.
pub const INDEX_KEY: &str = "sample_index";

/// Passes items, and tags every `period`-th one with its own index.
///
/// Filters, demodulators and rate changes move the tags with the items. So a decoder behind them can tell the sample of a recording
/// that a message begins with, by an [`IndexClock`].
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | any | any |
/// | out `out` | the same | that of `in` |
///
/// ```
/// use superhet_blocks::{sinks::{Lines, TagDebug}, sources::VectorSource, tags::IndexTags};
/// use superhet_runtime::Graph;
///
/// let (lines, text) = Lines::memory();
/// let mut graph = Graph::new();
/// let source = graph.add("source", VectorSource::new(vec![0.0f32; 10], false)?);
/// let tags = graph.add("tags", IndexTags::<f32>::new(4)?);
/// let print = graph.add("print", TagDebug::<f32>::new(lines, None));
/// graph.connect(source.output, tags.input);
/// graph.connect(tags.output, print.input);
/// graph.run()?;
/// assert_eq!(text.take().lines().count(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct IndexTags<T: Item> {
    #[port("in")]
    input: In<T>,
    #[port("out")]
    output: Out<T>,
    period: u64,
    key: Arc<str>,
}

#[declare(
    category = "tags",
    summary = "Tags every so many items with their index, so that blocks behind rate changes know where they are.",
    items(any),
    ports(input("in", "item", "any stream"), output("out", "item", "the same stream, with the tags"))
)]
impl<T: Item> IndexTags<T> {
    /// Tags every `period`-th item.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where it is 0.
    pub fn new(
        /// One item of so many gets a tag, sample_index.
        #[param(unit = "items", range = 1.., default = 256)]
        period: usize,
    ) -> Result<Self, Error> {
        check(period > 0, "period", "a whole number ≥ 1", 0.0)?;
        Ok(IndexTags { input: In::new(), output: Out::new(), period: period as u64, key: INDEX_KEY.into() })
    }
}

impl<T: Item> Work for IndexTags<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.input.available().min(self.output.room());
        let from = self.output.index();
        forward_tags(&mut self.input, &mut self.output, n);
        for index in (from.next_multiple_of(self.period)..from + n as u64).step_by(self.period as usize) {
            self.output.tag((index - from) as usize, self.key.clone(), index);
        }
        let (x, y) = (self.input.peek(), self.output.reserve());
        y[..n].copy_from_slice(&x[..n]);
        self.input.consume(n);
        self.output.produce(n);
        Ok(flow::step(n, &self.input))
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        flow::end(&mut self.input, &mut self.output);
        Ok(Step::Done)
    }
}

/// The sample of the first stream that an item stands for, from the tags of [`IndexTags`] that came before it.
///
/// Behind a rate change a tag lies on the item that is nearest, so that the rate follows from tags that are far apart.
#[derive(Clone, Copy, Debug, Default)]
pub struct IndexClock {
    /// The last tag: its item, and what it says.
    last: Option<(u64, u64)>,
    /// A tag that the rate is told from, and the one that takes its place.
    far: Option<(u64, u64)>,
    next: Option<(u64, u64)>,
    /// Samples in an item.
    step: Option<f64>,
}

/// So many items are between the tags that the rate is told from, or up to twice as many.
const APART: u64 = 512;

impl IndexClock {
    /// Takes over what a tag says; tags come in the order of the stream.
    pub fn note(&mut self, tag: &Tag) {
        let Some(sample) = (&*tag.key == INDEX_KEY).then(|| tag.value.as_u64()).flatten() else { return };
        let new = (tag.index, sample);
        let (far, next) = (*self.far.get_or_insert(new), *self.next.get_or_insert(new));
        if tag.index > far.0 && sample > far.1 {
            self.step = Some((sample - far.1) as f64 / (tag.index - far.0) as f64);
        }
        if tag.index.saturating_sub(next.0) >= APART {
            (self.far, self.next) = (Some(next), Some(new));
        }
        self.last = Some(new);
    }

    /// The sample of an item; `None` before the second tag, unless one lies on the item itself.
    pub fn sample_of(&self, item: u64) -> Option<u64> {
        let (at, sample) = self.last?;
        if at == item {
            return Some(sample);
        }
        let moved = (item as f64 - at as f64) * self.step?;
        Some((sample as f64 + moved).round().max(0.0) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use superhet_runtime::{Value, harness};

    #[test]
    fn items_pass_wherever_the_input_is_cut() {
        harness::assert_cut_invariant(
            || IndexTags::<f32>::new(7).unwrap(),
            &(0..100).map(|n| n as f32).collect::<Vec<_>>(),
        );
        assert!(IndexTags::<f32>::new(0).is_err());
    }

    #[test]
    fn a_clock_tells_samples_between_tags_and_behind_them() {
        let tag = |index, value: u64| Tag {
            index,
            key: INDEX_KEY.into(),
            value: Value::from(value),
            source: "".into(),
        };
        let mut clock = IndexClock::default();
        assert_eq!(clock.sample_of(3), None);
        clock.note(&tag(10, 100));
        assert_eq!((clock.sample_of(10), clock.sample_of(11)), (Some(100), None));
        clock.note(&tag(20, 200));
        assert_eq!((clock.sample_of(15), clock.sample_of(23)), (Some(150), Some(230)));
        clock.note(&Tag { key: "other".into(), ..tag(21, 0) });
        assert_eq!(clock.sample_of(0), Some(0));
    }

    #[test]
    fn a_clock_is_right_where_tags_are_closer_than_items_or_do_not_fit_them() {
        for samples_by_item in [0.4, 42.3, 423.0, 1000.7] {
            let mut clock = IndexClock::default();
            for sample in (0..2_000_000u64).step_by(256) {
                let index = (sample as f64 / samples_by_item).ceil() as u64;
                let value = Value::from(sample);
                clock.note(&Tag { index, key: INDEX_KEY.into(), value, source: "".into() });
                let before = index.saturating_sub(40);
                if index > 300 {
                    let error = clock.sample_of(before).unwrap() as f64 - before as f64 * samples_by_item;
                    assert!(
                        error.abs() < 1.3 * samples_by_item + 1.0,
                        "{error} at {sample} of {samples_by_item}"
                    );
                }
            }
        }
    }
}
