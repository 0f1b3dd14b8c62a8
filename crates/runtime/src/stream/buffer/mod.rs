//! Buffers: what a stream's items lie in between two blocks.
//!
//! | flavour | between | made of |
//! |---|---|---|
//! | `scratch` | blocks of one worker | linear memory, recycled to its base; no atomics |
//! | `mirrored` | workers | a ring whose pages are mapped twice in a row |
//! | `ring` | workers | a ring in one piece of memory, with explicit wrap |
//!
//! All keep one contract, and `contract_test.rs` holds each to it: an end sees contiguous items; a reader sees every
//! item once and in order, with as much history as it asked for; a writer never gets room that a reader still needs;
//! tags arrive with their item.
//!
//! This module and its files are where the runtime's `unsafe` code lives.

mod claim;
mod indices;
mod lent;
mod memory;
mod ring;
mod runner;
mod scratch;
mod start;

#[cfg(all(test, not(loom)))]
mod contract_test;

pub(crate) use claim::{Claim, Claimed, Claims, Flow, Strip};
pub use lent::{LentItems, LentRoom, StreamMemory};
pub use memory::ask_for_large_pages;
pub(crate) use ring::{Gauge, RingId, RingReader, RingSpec, RingWriter, ring};
pub(crate) use runner::{Runner, has_shown};
pub(crate) use scratch::{
    LanePool, LaneStream, Piece, Pool, ScratchReader, ScratchSpec, ScratchWriter, scratch,
};
pub(crate) use start::{ReaderState, Start};

use crate::data::{Item, NO_TAG, Tag, TagQueue};

/// The reading end of a stream, whatever its flavour.
///
/// A number of its own says which it is. Packed into a field of the ring's end, as Rust does if left alone, it took six
/// instructions to find out, several times in each work call.
#[derive(Debug, Default)]
#[repr(usize)]
pub(crate) enum ReadEnd {
    /// Not connected: empty and at its end.
    #[default]
    None,
    Scratch(ScratchReader),
    Ring(RingReader),
}

/// The writing end of a stream, whatever its flavour; marked as [`ReadEnd`] is.
#[derive(Debug, Default)]
#[repr(usize)]
pub(crate) enum WriteEnd {
    /// Not connected.
    #[default]
    None,
    Scratch(ScratchWriter),
    Ring(RingWriter),
}

impl ReadEnd {
    /// Keeps the memory even when the buffer is gone, or no longer.
    pub fn pin(&self, pinned: bool) {
        match self {
            ReadEnd::None => {}
            ReadEnd::Scratch(end) => end.pin(pinned),
            ReadEnd::Ring(end) => end.pin(pinned),
        }
    }

    /// Whether only the block that it was made for may use it. A ring's end goes wherever it is sent.
    pub fn is_bound(&self) -> bool {
        matches!(self, ReadEnd::Scratch(_))
    }

    /// Nobody looks at what it has shown.
    pub fn settle(&mut self) {
        if let ReadEnd::Scratch(end) = self {
            end.settle();
        }
    }

    /// Looks for more items, and for the end of the stream, if fewer than `wanted` are known of.
    ///
    /// The runtime does so before a block's work; during it, what the block sees does not change under its hands.
    #[inline(always)]
    pub fn refresh(&self, wanted: usize) {
        if let ReadEnd::Ring(end) = self {
            end.refresh(wanted);
        }
    }

    /// As `refresh`, and then how many contiguous items there are.
    #[inline(always)]
    pub fn look(&self, wanted: usize) -> usize {
        match self {
            ReadEnd::None => 0,
            ReadEnd::Scratch(end) => end.available(),
            ReadEnd::Ring(end) => end.look(wanted),
        }
    }

    /// Contiguous items to read.
    #[inline(always)]
    pub fn available(&self) -> usize {
        match self {
            ReadEnd::None => 0,
            ReadEnd::Scratch(end) => end.available(),
            ReadEnd::Ring(end) => end.available(),
        }
    }

    /// The next `n` items with `history` items before them.
    #[inline(always)]
    pub fn slice<T: Item>(&self, history: usize, n: usize) -> &[T] {
        match self {
            ReadEnd::None => &[],
            ReadEnd::Scratch(end) => end.slice(history, n),
            ReadEnd::Ring(end) => end.slice(history, n),
        }
    }

    /// As `slice`, for those who may keep what they see for longer than their block runs: it stays where it is until this end is
    /// changed.
    #[inline(always)]
    pub fn show<T: Item>(&self, history: usize, n: usize) -> &[T] {
        match self {
            ReadEnd::None => &[],
            ReadEnd::Scratch(end) => end.show(history, n),
            ReadEnd::Ring(end) => end.slice(history, n),
        }
    }

    /// The end of an in-place block, where the plan has made this one.
    #[inline(always)]
    pub fn in_place(&mut self) -> Option<&mut ScratchReader> {
        match self {
            ReadEnd::Scratch(end) if end.is_in_place() => Some(end),
            _ => None,
        }
    }

    #[inline(always)]
    pub fn consume(&mut self, n: usize) {
        match self {
            ReadEnd::None => consumed_nowhere(n),
            ReadEnd::Scratch(end) => end.consume(n),
            ReadEnd::Ring(end) => end.consume(n),
        }
    }

    /// Goes past items that a segment has brought to the block.
    #[inline(always)]
    pub fn go_past(&mut self, n: usize) {
        if let ReadEnd::Scratch(end) = self {
            end.go_past(n);
        }
    }

    /// What a segment knows of the stream.
    pub fn lane_stream(&self) -> Option<LaneStream> {
        if let ReadEnd::Scratch(end) = self { end.lane_stream() } else { None }
    }

    /// The memory of a ring.
    pub fn memory(&self) -> Option<StreamMemory> {
        if let ReadEnd::Ring(end) = self { Some(end.memory()) } else { None }
    }

    /// The end of a ring, whose items can be lent.
    pub fn ring(&mut self) -> Option<&mut RingReader> {
        if let ReadEnd::Ring(end) = self { Some(end) } else { None }
    }

    /// How many items are lent, and how many contiguous ones lie behind those.
    pub fn lent(&self) -> (usize, usize) {
        match self {
            ReadEnd::Ring(end) => (end.lent(), end.lendable()),
            _ => (0, self.available()),
        }
    }

    pub fn index(&self) -> u64 {
        match self {
            ReadEnd::None => 0,
            ReadEnd::Scratch(end) => end.index(),
            ReadEnd::Ring(end) => end.index(),
        }
    }

    /// The index of the first tag that waits; [`NO_TAG`] where none does.
    #[inline(always)]
    pub fn first_tag(&self) -> u64 {
        match self {
            ReadEnd::None => NO_TAG,
            ReadEnd::Scratch(end) => end.first_tag(),
            ReadEnd::Ring(end) => end.first_tag(),
        }
    }

    /// Whether one of the next `n` items has a tag.
    #[inline(always)]
    pub fn has_tags(&self, n: usize) -> bool {
        match self {
            ReadEnd::None => false,
            ReadEnd::Scratch(end) => end.has_tags(n),
            ReadEnd::Ring(end) => end.has_tags(n),
        }
    }

    /// Takes the first tag that waits, if its index is below `end`.
    #[inline]
    pub fn pop_tag(&mut self, end: u64) -> Option<Tag> {
        match self {
            ReadEnd::None => None,
            ReadEnd::Scratch(reader) => reader.pop_tag(end),
            ReadEnd::Ring(reader) => reader.pop_tag(end),
        }
    }

    /// Moves the tags with an index below `end` to an empty queue.
    pub fn move_tags(&mut self, end: u64, to: &mut TagQueue) {
        match self {
            ReadEnd::None => {}
            ReadEnd::Scratch(reader) => reader.move_tags(end, to),
            ReadEnd::Ring(reader) => reader.move_tags(end, to),
        }
    }

    /// Whether `n` items can lie before this end in one piece while the writer has room to go on.
    pub fn could_show(&self, n: usize) -> bool {
        match self {
            ReadEnd::None => false,
            ReadEnd::Scratch(reader) => reader.could_show(n),
            ReadEnd::Ring(reader) => reader.could_show(n),
        }
    }

    pub fn with_tags<R>(&self, look: impl FnOnce(&TagQueue) -> R) -> R {
        match self {
            ReadEnd::None => look(&TagQueue::default()),
            ReadEnd::Scratch(end) => end.with_tags(look),
            ReadEnd::Ring(end) => {
                end.first_tag();
                end.with_tags(look)
            }
        }
    }

    /// The index below which the tags of the first `n` items lie; of no item of a stream that is over, all tags.
    pub fn end_of_tags(&self, n: usize) -> u64 {
        let is_over = n == 0 && self.is_finished() && self.available() == 0;
        if is_over { NO_TAG } else { self.index().wrapping_add(n as u64) }
    }

    /// Shows the tags of the first `n` items.
    #[inline(never)]
    pub fn show_tags(&self, n: usize, look: &mut dyn FnMut(&Tag)) {
        let end = self.end_of_tags(n);
        if self.first_tag() < end {
            self.with_tags(|tags| tags.before(end).for_each(look));
        }
    }

    /// Whether the writer has ended: what is available is all there will be.
    #[inline]
    pub fn is_finished(&self) -> bool {
        match self {
            ReadEnd::None => true,
            ReadEnd::Scratch(end) => end.is_finished(),
            ReadEnd::Ring(end) => end.is_finished(),
        }
    }

    /// Reads no more. Where a closed end stands, the writer may be writing: nobody has it from then on.
    pub fn close(&mut self) {
        match std::mem::take(self) {
            ReadEnd::None => {}
            ReadEnd::Scratch(end) => end.close(),
            ReadEnd::Ring(end) => end.close(),
        }
    }

    /// Where the reader stands and what it has before it. Takes everything from a ring.
    pub fn state(self) -> ReaderState {
        match self {
            ReadEnd::None => ReaderState::closed(0),
            ReadEnd::Scratch(end) => end.state(),
            ReadEnd::Ring(mut end) => end.state(),
        }
    }

    /// Items waiting, and how many the buffer holds.
    pub fn fill(&self) -> (usize, usize) {
        match self {
            ReadEnd::None => (0, 0),
            ReadEnd::Scratch(end) => end.fill(),
            ReadEnd::Ring(end) => end.fill(),
        }
    }

    /// Where the next item to read lies, in items from a 64-byte line.
    #[inline(never)]
    pub fn offset(&self) -> usize {
        match self {
            ReadEnd::None => 0,
            ReadEnd::Scratch(end) => end.offset(),
            ReadEnd::Ring(end) => end.offset(),
        }
    }
}

/// Panics if a block takes items where there is no stream.
#[inline(never)]
fn consumed_nowhere(n: usize) {
    assert_eq!(n, 0, "consumed {n} items of a port that is not connected");
}

/// Panics if a block gives items where there is no stream.
#[inline(never)]
fn produced_nowhere(n: usize) {
    assert_eq!(n, 0, "produced {n} items on a port that is not connected");
}

impl WriteEnd {
    /// Keeps the memory even when the buffer is gone, or no longer.
    pub fn pin(&self, pinned: bool) {
        match self {
            WriteEnd::None => {}
            WriteEnd::Scratch(end) => end.pin(pinned),
            WriteEnd::Ring(end) => end.pin(pinned),
        }
    }

    /// As [`ReadEnd::is_bound`].
    pub fn is_bound(&self) -> bool {
        matches!(self, WriteEnd::Scratch(_))
    }

    /// Looks for more room if there is less than `wanted`. As with [`ReadEnd::refresh`], the runtime does so.
    #[inline(always)]
    pub fn refresh(&self, wanted: usize) {
        match self {
            WriteEnd::None => {}
            WriteEnd::Scratch(end) => _ = end.look(wanted),
            WriteEnd::Ring(end) => end.refresh(wanted),
        }
    }

    /// As `refresh`, and then how much contiguous room there is.
    #[inline(always)]
    pub fn look(&self, wanted: usize) -> usize {
        match self {
            WriteEnd::None => 0,
            WriteEnd::Scratch(end) => end.look(wanted),
            WriteEnd::Ring(end) => end.look(wanted),
        }
    }

    /// Contiguous room.
    #[inline(always)]
    pub fn room(&self) -> usize {
        match self {
            WriteEnd::None => 0,
            WriteEnd::Scratch(end) => end.room(),
            WriteEnd::Ring(end) => end.room(),
        }
    }

    /// As `slice_mut`, for users: it looks once more whether the items are those of `T`.
    #[inline(always)]
    pub fn reserve<T: Item>(&mut self, n: usize) -> &mut [T] {
        if let WriteEnd::Scratch(end) = self {
            assert!(end.holds::<T>());
        }
        self.slice_mut(n)
    }

    /// The next `n` free items.
    #[inline(always)]
    pub fn slice_mut<T: Item>(&mut self, n: usize) -> &mut [T] {
        match self {
            WriteEnd::None => &mut [],
            WriteEnd::Scratch(end) => end.slice_mut(n),
            WriteEnd::Ring(end) => end.slice_mut(n),
        }
    }

    #[inline(always)]
    pub fn produce(&mut self, n: usize) {
        match self {
            WriteEnd::None => produced_nowhere(n),
            WriteEnd::Scratch(end) => end.produce(n),
            WriteEnd::Ring(end) => end.produce(n),
        }
    }

    /// See [`ReadEnd::go_past`].
    #[inline(always)]
    pub fn go_past(&mut self, n: usize) {
        if let WriteEnd::Scratch(end) = self {
            end.go_past(n);
        }
    }

    /// See [`ReadEnd::lane_stream`].
    pub fn lane_stream(&self) -> Option<LaneStream> {
        if let WriteEnd::Scratch(end) = self { end.lane_stream() } else { None }
    }

    /// The memory of a ring.
    pub fn memory(&self) -> Option<StreamMemory> {
        if let WriteEnd::Ring(end) = self { Some(end.memory()) } else { None }
    }

    /// The end of a ring, whose room can be lent.
    pub fn ring(&mut self) -> Option<&mut RingWriter> {
        if let WriteEnd::Ring(end) = self { Some(end) } else { None }
    }

    /// Contiguous room to lend for at most `n` items.
    pub fn lendable(&self, n: usize) -> usize {
        if let WriteEnd::Ring(end) = self { end.lendable(n) } else { 0 }
    }

    pub fn index(&self) -> u64 {
        match self {
            WriteEnd::None => 0,
            WriteEnd::Scratch(end) => end.index(),
            WriteEnd::Ring(end) => end.index(),
        }
    }

    /// Sends tags that wait for the items they belong to.
    pub fn send_tags(&mut self) {
        if let WriteEnd::Ring(end) = self {
            end.send_tags();
        }
    }

    #[inline]
    pub fn push_tag(&mut self, tag: Tag) {
        match self {
            WriteEnd::None => {}
            WriteEnd::Scratch(end) => end.push_tag(tag),
            WriteEnd::Ring(end) => end.push_tag(tag),
        }
    }

    /// As `push_tag`, of all tags of a queue, which is empty then.
    pub fn push_tags(&mut self, tags: &mut TagQueue) {
        match self {
            WriteEnd::Scratch(end) => end.push_tags(tags),
            _ => tags.drain().for_each(|tag| self.push_tag(tag)),
        }
    }

    /// How many tags were given since this was asked.
    pub fn take_tags_given(&mut self) -> u64 {
        match self {
            WriteEnd::None => 0,
            WriteEnd::Scratch(end) => end.take_tags_given(),
            WriteEnd::Ring(end) => end.take_tags_given(),
        }
    }

    pub fn finish(&mut self) {
        match self {
            WriteEnd::None => {}
            WriteEnd::Scratch(end) => end.finish(),
            WriteEnd::Ring(end) => end.finish(),
        }
    }

    /// Whether nobody reads any more.
    #[inline(always)]
    pub fn is_closed(&self) -> bool {
        match self {
            WriteEnd::None => true,
            WriteEnd::Scratch(end) => end.is_closed(),
            WriteEnd::Ring(end) => end.is_closed(),
        }
    }

    /// Where the next free item lies, in items from a 64-byte line.
    #[inline(never)]
    pub fn offset(&self) -> usize {
        match self {
            WriteEnd::None => 0,
            WriteEnd::Scratch(end) => end.offset(),
            WriteEnd::Ring(end) => end.offset(),
        }
    }
}
