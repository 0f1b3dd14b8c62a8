//! Metadata at a sample index, on its way to a reader.

use std::collections::VecDeque;

use super::Tag;

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

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Moves the tags with an index below `end` to an empty queue.
    ///
    /// A strip's tags pass from block to block this way. Only the fewer of the tags that move and those that stay cost
    /// anything each.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Value;

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
}
