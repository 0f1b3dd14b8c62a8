//! What a reader has not acknowledged yet.

use std::collections::VecDeque;
use std::io::IoSlice;
use std::ops::{Deref, Range};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::shared::Slot;

/// Frames that are sent at once.
const AT_ONCE: usize = 16;

/// A frame that readers get, with what it holds of the stream.
#[derive(Clone, Debug)]
pub(crate) struct Chunk {
    content: Arc<Content>,
    /// The index of its first item, and the one behind its last.
    pub first: u64,
    pub end: u64,
}

/// What goes over the wire, and where the rest lies. It counts from when it is made until no reader has it any more.
#[derive(Debug)]
struct Content {
    bytes: Vec<u8>,
    /// It is free again when this is dropped.
    _slot: Option<Slot>,
    memory: usize,
    total: Arc<AtomicUsize>,
}

impl Drop for Content {
    fn drop(&mut self) {
        self.total.fetch_sub(self.memory, Ordering::Relaxed);
    }
}

impl Chunk {
    /// A frame that counts in `total`, with what lies in a slot.
    pub fn new(
        bytes: Vec<u8>,
        in_slot: Option<(Slot, usize)>,
        range: Range<u64>,
        total: &Arc<AtomicUsize>,
    ) -> Self {
        let (slot, shared) = in_slot.unzip();
        let memory = bytes.len().saturating_add(shared.unwrap_or(0));
        total.fetch_add(memory, Ordering::Relaxed);
        let content = Content { bytes, _slot: slot, memory, total: total.clone() };
        Chunk { content: Arc::new(content), first: range.start, end: range.end }
    }

    /// Bytes of memory that it takes.
    pub fn memory(&self) -> usize {
        self.content.memory
    }

    /// The bytes that went over the wire, if nobody else has it: memory to be used again.
    pub fn into_bytes(self) -> Option<Vec<u8>> {
        Arc::into_inner(self.content).map(|mut content| std::mem::take(&mut content.bytes))
    }
}

impl Deref for Chunk {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.content.bytes
    }
}

/// The frames that one reader has not acknowledged; how many of them were sent.
#[derive(Debug, Default)]
pub(crate) struct Ring {
    chunks: VecDeque<Chunk>,
    bytes: usize,
    sent: usize,
    /// Bytes that were sent of the first frame that is not sent.
    part: usize,
}

impl Ring {
    pub fn push(&mut self, chunk: Chunk) {
        self.bytes = self.bytes.saturating_add(chunk.memory());
        self.chunks.push_back(chunk);
    }

    /// Bytes of memory that all its frames take.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    pub fn has_unsent(&self) -> bool {
        self.sent < self.chunks.len()
    }

    /// The index of its first item.
    pub fn first(&self) -> Option<u64> {
        self.chunks.front().map(|chunk| chunk.first)
    }

    /// Forgets the frames whose items all lie before `index`, where they were sent as a whole; how many bytes. Shows each.
    pub fn acknowledge(&mut self, index: u64, mut used: impl FnMut(Chunk)) -> usize {
        let mut bytes = 0usize;
        while self.sent > 0 {
            // One without items, the end of a stream, goes when the reader leaves.
            let Some(chunk) = self.chunks.pop_front_if(|chunk| chunk.end <= index && chunk.first < chunk.end)
            else {
                break;
            };
            self.sent = self.sent.saturating_sub(1);
            bytes = bytes.saturating_add(chunk.memory());
            used(chunk);
        }
        self.bytes = self.bytes.saturating_sub(bytes);
        bytes
    }

    /// Begins again for a connection that goes on at `index`: what lies before it is forgotten.
    pub fn begin_again(&mut self, index: u64) {
        (self.sent, self.part) = (self.chunks.len(), 0);
        self.acknowledge(index, drop);
        self.sent = 0;
    }

    /// What is to be sent next, as slices; those that are not needed are empty.
    pub fn unsent(&self) -> [IoSlice<'_>; AT_ONCE] {
        let mut slices = [IoSlice::new(&[]); AT_ONCE];
        let mut skipped = self.part;
        for (slice, chunk) in slices.iter_mut().zip(self.chunks.range(self.sent.min(self.chunks.len())..)) {
            *slice = IoSlice::new(chunk.get(std::mem::take(&mut skipped)..).unwrap_or_default());
        }
        slices
    }

    /// Notes that so many bytes of [`unsent`](Self::unsent) were sent.
    pub fn was_sent(&mut self, n: usize) {
        self.part = self.part.saturating_add(n);
        while let Some(length) = self.chunks.get(self.sent).map(|chunk| chunk.len())
            && self.part >= length
        {
            self.part = self.part.saturating_sub(length);
            self.sent = self.sent.saturating_add(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(total: &Arc<AtomicUsize>) -> Ring {
        let mut ring = Ring::default();
        for n in 0..4u64 {
            ring.push(Chunk::new(vec![n as u8; 10], None, 5 * n..5 * n + 5, total));
        }
        ring
    }

    fn next(ring: &Ring) -> Vec<u8> {
        ring.unsent().iter().flat_map(|slice| slice.to_vec()).collect()
    }

    #[test]
    fn what_is_acknowledged_is_forgotten_and_the_rest_is_sent_again() {
        let total = Arc::default();
        let mut ring = ring(&total);
        ring.was_sent(25);
        assert_eq!(next(&ring).len(), 15);
        assert_eq!(ring.acknowledge(9, drop), 10, "of the second not all is used");
        assert_eq!(ring.acknowledge(100, drop), 10, "the third was not sent as a whole");
        assert_eq!((ring.bytes(), ring.first()), (20, Some(10)));
        ring.begin_again(7);
        assert_eq!(next(&ring), [[2; 10], [3; 10]].concat());
        ring.begin_again(15);
        assert_eq!(next(&ring), [3; 10]);
        assert!(ring.has_unsent());
        ring.was_sent(10);
        assert!(!ring.has_unsent() && !ring.is_empty());
        assert_eq!(total.load(Ordering::Relaxed), 10);
        drop(ring);
        assert_eq!(total.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn memory_that_nobody_has_any_more_is_used_again() {
        let total = Arc::default();
        let mut ring = ring(&total);
        let other = ring.chunks[0].clone();
        ring.was_sent(40);
        let mut memory = Vec::new();
        ring.acknowledge(10, |chunk| memory.extend(chunk.into_bytes()));
        assert_eq!(memory, [vec![1; 10]]);
        assert_eq!(total.load(Ordering::Relaxed), 30, "one has the first still");
        drop(other);
        assert_eq!(total.load(Ordering::Relaxed), 20);
    }
}
