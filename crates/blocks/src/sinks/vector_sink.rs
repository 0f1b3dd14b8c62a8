//! Keeps the items of a stream in memory.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use superhet_runtime::{
    AnyBlock, Block, BlockError, Context, In, Item, Step, Tag, Work, buffer::ask_for_large_pages, declare,
};

/// Keeps the items of a stream in memory, and their tags: all, or so many at a time.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | any | as it comes |
///
/// Memory grows with the stream unless there is a limit. Items beyond the limit are counted and dropped until
/// [`Items::take`] makes room again; the sink itself never ends (put a `head` before it for that).
///
/// ```
/// use superhet_blocks::{sinks::VectorSink, sources::VectorSource};
/// use superhet_runtime::Graph;
///
/// let mut graph = Graph::new();
/// let source = graph.add("source", VectorSource::new(vec![1.0f32, 2.0, 3.0], false)?);
/// let sink = VectorSink::<f32>::with_limit(2);
/// let items = sink.items();
/// let sink = graph.add("sink", sink);
/// graph.connect(source.output, sink.input);
/// graph.run()?;
/// assert_eq!(items.take(), [1.0, 2.0]);
/// assert_eq!(items.dropped(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct VectorSink<T: Item> {
    #[port("in")]
    input: In<T>,
    items: Items<T>,
    limit: usize,
}

/// What a [`VectorSink`] has got; cheap to clone, and can be asked while the graph runs.
#[derive(Debug)]
pub struct Items<T>(Arc<Mutex<Kept<T>>>);

#[derive(Debug)]
struct Kept<T> {
    items: Vec<T>,
    tags: Vec<Tag>,
    dropped: u64,
}

impl<T> Clone for Items<T> {
    fn clone(&self) -> Self {
        Items(self.0.clone())
    }
}

impl<T> Items<T> {
    fn lock(&self) -> MutexGuard<'_, Kept<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the items that have arrived since the last time.
    pub fn take(&self) -> Vec<T> {
        std::mem::take(&mut self.lock().items)
    }

    /// Takes the tags that have arrived since the last time, with the indices that they had in the stream.
    pub fn take_tags(&self) -> Vec<Tag> {
        std::mem::take(&mut self.lock().tags)
    }

    /// How many items wait to be taken.
    pub fn len(&self) -> usize {
        self.lock().items.len()
    }

    /// Whether no item waits to be taken.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many items came beyond the limit and are lost.
    pub fn dropped(&self) -> u64 {
        self.lock().dropped
    }
}

impl<T: Item> VectorSink<T> {
    /// A sink that keeps everything.
    pub fn new() -> Self {
        VectorSink::with_limit(usize::MAX)
    }

    /// A sink that keeps at most `limit` items at a time.
    pub fn with_limit(limit: usize) -> Self {
        let kept = Kept { items: Vec::new(), tags: Vec::new(), dropped: 0 };
        VectorSink { input: In::new(), items: Items(Arc::new(Mutex::new(kept))), limit }
    }

    /// A handle to the items, to be had before the sink is added to a graph.
    pub fn items(&self) -> Items<T> {
        self.items.clone()
    }
}

impl<T: Item> Default for VectorSink<T> {
    fn default() -> Self {
        VectorSink::new()
    }
}

/// Makes room for `n` more items: for twice as many as there are and, from half a mebibyte on, for 8 MiB at least, of large pages
/// where the system has them. Memory costs nothing until something is written to it.
fn make_room<T>(items: &mut Vec<T>, n: usize) {
    const MANY: usize = 512 << 10;
    const MUCH: usize = 8 << 20;
    let size = size_of::<T>().max(1);
    if items.capacity() - items.len() >= n {
        return;
    }
    let least = if (items.len() + n) * size < MANY { 0 } else { MUCH / size };
    items.reserve_exact(n.max(items.len()).max(least));
    if least > 0 {
        ask_for_large_pages(items.spare_capacity_mut());
    }
}

impl<T: Item> VectorSink<T> {
    /// Keeps what comes next, as far as there is room for it.
    fn keep(&self, x: &[T]) -> usize {
        let mut kept = self.items.lock();
        let n = x.len().min(self.limit.saturating_sub(kept.items.len()));
        make_room(&mut kept.items, n);
        kept.items.extend_from_slice(&x[..n]);
        kept.dropped += (x.len() - n) as u64;
        self.input.for_each_tag(n, |tag| kept.tags.push(tag.clone()));
        x.len()
    }
}

impl<T: Item> Work for VectorSink<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.keep(self.input.peek());
        self.input.consume(n);
        Ok(if n == 0 { Step::NeedInput } else { Step::Ran })
    }
}

#[declare(
    category = "sinks",
    summary = "Keeps the items of a stream in memory.",
    items(any),
    ports(input("in", "item", "the items to keep"))
)]
fn vector_sink<T: Item>(
    /// Keeps at most so many items; 0 is no limit.
    #[param(unit = "items", default = 0)]
    limit: usize,
) -> AnyBlock {
    let limit = Some(limit).filter(|limit| *limit > 0).unwrap_or(usize::MAX);
    AnyBlock::new(VectorSink::<T>::with_limit(limit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{sources::VectorSource, testing::cuts};
    use superhet_runtime::{Graph, Single};

    #[test]
    fn items_are_kept_in_order_up_to_the_limit_and_the_others_counted() {
        for options in cuts() {
            for limit in [0, 1, 99, 1000, usize::MAX] {
                let all: Vec<i16> = (0..1000).collect();
                let mut graph = Graph::new();
                let source = graph.add("source", VectorSource::new(all.clone(), false).unwrap());
                let sink = VectorSink::<i16>::with_limit(limit);
                let items = sink.items();
                let sink = graph.add("sink", sink);
                graph.connect(source.output, sink.input);
                graph.check().unwrap().start(&Single, &options).unwrap().wait().unwrap();
                let kept = limit.min(1000);
                assert_eq!((items.len(), items.dropped()), (kept, (1000 - kept) as u64));
                assert_eq!(items.take(), all[..kept]);
                assert!(items.is_empty());
            }
        }
    }

    #[test]
    fn taking_makes_room_again() {
        let sink = VectorSink::<u8>::with_limit(2);
        let items = sink.items();
        sink.keep(&[1, 2, 3]);
        assert_eq!(items.take(), [1, 2]);
        sink.keep(&[4]);
        assert_eq!((items.take(), items.dropped()), (vec![4], 1));
    }

    #[test]
    fn many_items_are_kept_as_they_are() {
        let sink = VectorSink::<u32>::new();
        let items = sink.items();
        let all: Vec<u32> = (0..5_000_000).collect();
        all.chunks(70_001).for_each(|x| assert_eq!(sink.keep(x), x.len()));
        assert!(items.take() == all);
    }

    #[test]
    fn the_tags_of_what_is_kept_are_kept() {
        for options in cuts() {
            let source = VectorSource::new(vec![0u8; 100], false).unwrap();
            let source =
                [0, 70, 99].iter().fold(source, |source, &place| source.with_tag(place, "k", 1).unwrap());
            let mut graph = Graph::new();
            let source = graph.add("source", source);
            let sink = VectorSink::<u8>::with_limit(99);
            let items = sink.items();
            let sink = graph.add("sink", sink);
            graph.connect(source.output, sink.input);
            graph.check().unwrap().start(&Single, &options).unwrap().wait().unwrap();
            assert_eq!(items.take_tags().iter().map(|tag| tag.index).collect::<Vec<_>>(), [0, 70]);
            assert!(items.take_tags().is_empty());
        }
    }
}
