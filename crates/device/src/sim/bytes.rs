//! Bytes that any item type can be laid over, and sets of byte ranges.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};

/// What new memory is filled with: as floats large negative numbers, as integers odd ones.
const POISON: u8 = 0xfb;

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct Chunk([u8; 64]);

/// A vector of bytes that begins at a multiple of 64.
#[derive(Clone)]
pub(super) struct Bytes {
    chunks: Vec<Chunk>,
    len: usize,
}

impl Bytes {
    /// `len` bytes of poison, if there is room for them.
    pub(super) fn poison(len: usize) -> Option<Self> {
        let (mut chunks, count) = (Vec::new(), len.div_ceil(64));
        chunks.try_reserve_exact(count).ok()?;
        chunks.resize(count, Chunk([POISON; 64]));
        Some(Bytes { chunks, len })
    }

    /// A copy of `bytes`.
    pub(super) fn copy_of(bytes: &[u8]) -> Self {
        let chunks = bytes.chunks(64).map(|part| {
            let mut chunk = Chunk([0; 64]);
            chunk.0[..part.len()].copy_from_slice(part);
            chunk
        });
        Bytes { chunks: chunks.collect(), len: bytes.len() }
    }
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.chunks)[..self.len]
    }
}

impl AsMut<[u8]> for Bytes {
    fn as_mut(&mut self) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(&mut self.chunks)[..self.len]
    }
}

/// The bytes that two ranges have in common, if any.
pub(super) fn common(a: &Range<usize>, b: &Range<usize>) -> Option<Range<usize>> {
    let both = a.start.max(b.start)..a.end.min(b.end);
    (!both.is_empty()).then_some(both)
}

/// Whether `outer` has all of `inner`.
pub(super) fn covers(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// A set of bytes: ranges that neither overlap nor touch, in order.
#[derive(Debug, Default)]
pub(super) struct Ranges(Vec<Range<usize>>);

impl Ranges {
    /// Adds a range.
    pub(super) fn insert(&mut self, mut range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        let first = self.0.partition_point(|old| old.end < range.start);
        let end = self.0.partition_point(|old| old.start <= range.end);
        if first < end {
            range = range.start.min(self.0[first].start)..range.end.max(self.0[end - 1].end);
        }
        self.0.splice(first..end, [range]);
    }

    /// The first run of bytes in `range` that are not in the set.
    pub(super) fn gap(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let next = self.0.partition_point(|old| old.end <= range.start);
        let (start, after) = match self.0.get(next) {
            Some(old) if old.start <= range.start => (old.end, next + 1),
            _ => (range.start, next),
        };
        let end = self.0.get(after).map_or(range.end, |old| old.start.min(range.end));
        (start < end).then_some(start..end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bytes_begin_at_a_multiple_of_64_and_are_poison() {
        let mut bytes = Bytes::poison(130).unwrap();
        assert_eq!(bytes.as_ref(), [POISON; 130]);
        assert_eq!(bytes.as_ref().as_ptr().addr() % 64, 0);
        bytes.as_mut()[129] = 1;
        assert_eq!(Bytes::copy_of(&bytes.as_ref()[128..]).as_ref(), [POISON, 1]);
        assert!(Bytes::poison(0).unwrap().as_ref().is_empty());
        assert!(Bytes::poison(usize::MAX).is_none());
    }

    proptest! {
        #[test]
        fn a_set_of_ranges_is_a_set_of_bytes(
            inserted in prop::collection::vec((0usize..40, 0usize..10), 0..12),
            (start, len) in (0usize..50, 0usize..30),
        ) {
            let (mut ranges, mut bytes) = (Ranges::default(), [false; 100]);
            for (start, len) in inserted {
                ranges.insert(start..start + len);
                bytes[start..start + len].fill(true);
            }
            let expected = (start..start + len).find(|&byte| !bytes[byte]).map(|first| {
                first..(first..start + len).find(|&byte| bytes[byte]).unwrap_or(start + len)
            });
            prop_assert_eq!(ranges.gap(&(start..start + len)), expected);
            prop_assert!(ranges.0.windows(2).all(|pair| pair[0].end < pair[1].start));
        }
    }
}
