//! Metadata at a sample index.

use std::collections::VecDeque;
use std::sync::Arc;

use super::{Base, Ratio, Value};

/// A value that belongs to one item of a stream.
#[derive(Clone, Debug, PartialEq)]
pub struct Tag {
    /// The absolute index of the item in its stream; the first item has index 0.
    pub index: u64,
    /// What the value says, such as `rx_freq`.
    pub key: Arc<str>,
    /// The value.
    pub value: Value,
    /// The name of the block that made the tag.
    pub source: Arc<str>,
}

/// How a pure or sync block hands its inputs' tags to its outputs.
#[derive(Clone, Copy, Debug, Default)]
pub enum TagPolicy {
    /// Every input's tags go to every output.
    #[default]
    AllToAll,
    /// Input `i`'s tags go to output `i`.
    OneToOne,
    /// Tags end here.
    None,
    /// Every input's tags go to every output as the function says, which may change all of a tag but its index; `None`
    /// drops it. The tag that it is given has the index of the output's item.
    Custom(fn(Tag) -> Option<Tag>),
}

impl PartialEq for TagPolicy {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (TagPolicy::Custom(f), TagPolicy::Custom(g)) => std::ptr::fn_addr_eq(*f, *g),
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }
}

impl TagPolicy {
    /// What becomes of a tag of input `input` at output `output` of a block with this ratio and delay: where it lands, and
    /// whether the policy lets it pass.
    pub fn carry(self, mut tag: Tag, ratio: Ratio, delay: u64, input: usize, output: usize) -> Option<Tag> {
        Base::default().carry(&mut tag, ratio, delay);
        self.apply(tag, input, output)
    }

    /// What becomes of a tag of input `input` at output `output`; its index is the output's already.
    #[inline]
    pub(crate) fn apply(self, tag: Tag, input: usize, output: usize) -> Option<Tag> {
        match self {
            TagPolicy::AllToAll => Some(tag),
            TagPolicy::OneToOne => (input == output).then_some(tag),
            TagPolicy::None => None,
            TagPolicy::Custom(change) => {
                let index = tag.index;
                change(tag).map(|tag| Tag { index, ..tag })
            }
        }
    }
}

/// An index that no tag has.
pub(crate) const NO_TAG: u64 = u64::MAX;

/// The tags that one reader has not passed yet, sorted by index; equal indices keep their order of arrival.
///
/// Appending in order is O(1) amortised, looking for an index O(log n), taking what was passed O(taken).
#[derive(Debug, Default)]
pub struct TagQueue(VecDeque<Tag>);

impl TagQueue {
    /// The index of the first tag; `u64::MAX` where there is none.
    #[inline]
    pub fn first(&self) -> u64 {
        self.0.front().map_or(NO_TAG, |tag| tag.index)
    }

    /// Takes the first tag, if its index is below `end`.
    #[inline]
    pub fn pop_before(&mut self, end: u64) -> Option<Tag> {
        if self.0.front()?.index >= end {
            return None;
        }
        let tag = self.0.pop_front();
        if self.0.is_empty() {
            // From the start of its memory again: a queue that was long once would go through all of that, out of the cache.
            self.0.clear();
        }
        tag
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Moves the tags with an index below `end` to an empty queue.
    ///
    /// A strip's tags pass from block to block like this: at no cost for each, but for those that stay, where they are fewer.
    #[inline]
    pub fn move_before(&mut self, end: u64, to: &mut TagQueue) {
        debug_assert!(to.is_empty());
        if self.0.back().is_none_or(|last| last.index < end) {
            return std::mem::swap(self, to);
        }
        let moving = self.count_before(end);
        if moving > self.0.len() / 2 {
            std::mem::swap(self, to);
            self.0.extend(to.0.drain(moving..));
        } else {
            to.0.extend(self.0.drain(..moving));
        }
    }

    /// How many tags have an index below `end`. Looks near the front first: a million that wait further back are out of the
    /// cache.
    fn count_before(&self, end: u64) -> usize {
        let is_before = |place: usize| self.0[place].index < end;
        let mut reach = 1;
        while reach <= self.0.len() && is_before(reach - 1) {
            reach *= 2;
        }
        let (mut low, mut high) = (reach / 2, reach.min(self.0.len()));
        while low < high {
            let middle = low + (high - low) / 2;
            (low, high) = if is_before(middle) { (middle + 1, high) } else { (low, middle) };
        }
        low
    }

    /// Moves all tags of another queue here.
    ///
    /// Where those are behind all that are here, as they mostly are, it costs something for each of the fewer.
    #[inline]
    pub fn append(&mut self, more: &mut TagQueue) {
        let are_behind = more.first() >= self.0.back().map_or(0, |last| last.index);
        if !are_behind {
            return more.drain().for_each(|tag| self.push(tag));
        }
        if self.0.len() < more.0.len() {
            while let Some(tag) = self.0.pop_back() {
                more.0.push_front(tag);
            }
            std::mem::swap(self, more);
        } else {
            self.0.extend(more.0.drain(..));
        }
    }

    /// Takes all tags, one by one.
    pub fn drain(&mut self) -> impl Iterator<Item = Tag> {
        self.0.drain(..)
    }

    /// All tags.
    pub fn all(&self) -> impl Iterator<Item = &Tag> {
        self.0.iter()
    }

    /// Adds a tag at its place; behind those of the same index.
    pub fn push(&mut self, tag: Tag) {
        if self.0.back().is_none_or(|last| last.index <= tag.index) {
            self.0.push_back(tag);
        } else {
            let at = self.0.partition_point(|t| t.index <= tag.index);
            self.0.insert(at, tag);
        }
    }

    /// The tags with an index below `end`.
    pub fn before(&self, end: u64) -> impl Iterator<Item = &Tag> {
        self.0.iter().take_while(move |tag| tag.index < end)
    }

    /// Forgets the tags with an index below `end`.
    pub fn prune(&mut self, end: u64) {
        while self.pop_before(end).is_some() {}
    }

    /// Forgets all tags.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

/// Where the tag at `index` of an input lands in the output of a block of ratio `interpolation / decimation`:
/// `floor((index · interpolation + delay) / decimation)`, where `delay` counts items at the interpolated rate.
///
/// Computed in 128 bits: exact for every index.
pub fn map_index(index: u64, interpolation: usize, decimation: usize, delay: u64) -> u64 {
    if interpolation == decimation && delay == 0 {
        return index;
    }
    let exact = (index as u128 * interpolation as u128 + delay as u128) / decimation as u128;
    u64::try_from(exact).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tag(index: u64) -> Tag {
        Tag { index, key: "k".into(), value: Value::Null, source: "test".into() }
    }

    #[test]
    fn tags_come_out_sorted_and_once() {
        let mut queue = TagQueue::default();
        for index in [5, 1, 3, 3, 9] {
            queue.push(tag(index));
        }
        assert_eq!(queue.before(4).map(|t| t.index).collect::<Vec<_>>(), [1, 3, 3]);
        assert_eq!(queue.pop_before(4).map(|t| t.index), Some(1));
        queue.prune(4);
        assert_eq!(queue.pop_before(5), None);
        assert_eq!(queue.first(), 5);
        assert_eq!(queue.before(u64::MAX).map(|t| t.index).collect::<Vec<_>>(), [5, 9]);
    }

    #[test]
    fn tags_move_as_they_would_one_by_one() {
        let queue_of = |indices: &[u64]| {
            let mut queue = TagQueue::default();
            indices.iter().for_each(|&index| queue.push(tag(index)));
            queue
        };
        let indices = |queue: &TagQueue| queue.all().map(|t| t.index).collect::<Vec<_>>();
        for end in 0..11 {
            let (mut queue, mut moved) = (queue_of(&[1, 3, 3, 4, 9]), TagQueue::default());
            queue.move_before(end, &mut moved);
            let (before, after) = [1, 3, 3, 4, 9].into_iter().partition::<Vec<_>, _>(|&index| index < end);
            assert_eq!((indices(&moved), indices(&queue)), (before, after), "{end}");
        }
        for (here, more) in
            [(&[1, 2][..], &[2, 5, 7][..]), (&[], &[1]), (&[1], &[]), (&[1, 5, 6], &[8]), (&[4, 6], &[1, 5])]
        {
            let (mut queue, mut other) = (queue_of(here), queue_of(more));
            queue.append(&mut other);
            let mut all = [here, more].concat();
            all.sort_unstable();
            assert_eq!((indices(&queue), other.is_empty()), (all, true), "{here:?} {more:?}");
        }
    }

    #[test]
    fn an_index_is_mapped_exactly_where_64_bits_would_overflow() {
        assert_eq!(map_index(u64::MAX / 2, 3, 3, 0), u64::MAX / 2);
        assert_eq!(map_index(7, 3, 2, 1), 11);
    }
}
