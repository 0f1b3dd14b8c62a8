//! Streams between blocks of one worker: linear, cache-sized, recycled to their base when drained.
//!
//! One scratch carries a stream through a run of in-place blocks: the writer's cursor leads, each in-place block moves
//! its own cursor up to the one before it, and the readers of the last stream follow.
//!
//! ```text
//!  base   history   last reader          in-place block       writer    capacity
//!   |........|           |====== done ======|===== to do =====|..........|
//!            keep from here up                                 room
//! ```
//!
//! All ends live on one thread, so cursors are plain cells. When there is too little room behind the writer, what is
//! still needed moves down to the base: `history` items when all is read, which is the rule.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use super::memory::Memory;
use crate::item::{Item, ItemType};
use crate::tag::{Tag, TagQueue};

/// What a scratch has to hold, in items.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ScratchSpec {
    /// Items kept behind the last reader.
    pub history: usize,
    /// Room for items that are not read yet.
    pub capacity: usize,
    /// The room that the writer asks for at least.
    pub writer_min: usize,
    /// How many in-place blocks work on it, one after another.
    pub in_place: usize,
    /// How many readers the last of its streams has.
    pub readers: usize,
    /// Zero items that the stream begins with.
    pub preload: usize,
    /// Where the memory starts, in bytes behind a page boundary.
    pub lead: usize,
}

#[derive(Debug)]
struct Scratch {
    memory: Memory,
    item_size: usize,
    capacity: usize,
    history: usize,
    writer_min: usize,
    in_place: usize,
    /// `[writer, in-place blocks…, readers…]`, in items from the base.
    cursors: Box<[Cell<usize>]>,
    /// Per cursor: takes no further part. The writer's says nothing here.
    closed: Box<[Cell<bool>]>,
    /// Per stream: has ended. Stream `s` is written by cursor `s`.
    finished: Box<[Cell<bool>]>,
    /// Absolute index of the item at the base, modulo 2^64.
    origin: Cell<u64>,
    /// Per cursor but the writer's: tags not passed yet.
    tags: Box<[RefCell<TagQueue>]>,
    tags_alive: Cell<usize>,
}

/// Makes a scratch: its writer, the in-place blocks' ends in order, and its readers.
pub(crate) fn scratch(
    item: ItemType,
    spec: &ScratchSpec,
) -> (ScratchWriter, Vec<ScratchReader>, Vec<ScratchReader>) {
    let cursors = 1 + spec.in_place + spec.readers;
    let capacity = spec.history + spec.preload + spec.capacity.max(spec.writer_min).max(1);
    // The count is atomic though the rest is not: ends may be dropped by different threads, one after another.
    #[allow(clippy::arc_with_non_send_sync)]
    let shared = Arc::new(Scratch {
        memory: Memory::heap(capacity * item.size(), spec.lead),
        item_size: item.size(),
        capacity,
        history: spec.history,
        writer_min: spec.writer_min.max(1),
        in_place: spec.in_place,
        cursors: (0..cursors)
            .map(|c| Cell::new(spec.history + if c == 0 { spec.preload } else { 0 }))
            .collect(),
        closed: (0..cursors).map(|_| Cell::new(false)).collect(),
        finished: (0..=spec.in_place).map(|_| Cell::new(false)).collect(),
        origin: Cell::new(0u64.wrapping_sub(spec.history as u64)),
        tags: (0..cursors).map(|_| RefCell::default()).collect(),
        tags_alive: Cell::new(0),
    });
    let reader = |me, upstream| ScratchReader { shared: shared.clone(), me, upstream };
    let stages = (1..=spec.in_place).map(|c| reader(c, c - 1)).collect();
    let readers = (0..spec.readers).map(|r| reader(1 + spec.in_place + r, spec.in_place)).collect();
    (ScratchWriter { shared: shared.clone(), me: 0 }, stages, readers)
}

impl Scratch {
    /// The oldest cursor that still matters; the writer's own when nobody reads any more.
    fn last_cursor(&self) -> usize {
        let readers = 1 + self.in_place..self.cursors.len();
        let oldest = readers.filter(|&r| !self.closed[r].get()).map(|r| self.cursors[r].get()).min();
        oldest.unwrap_or(self.cursors[0].get())
    }

    /// Moves what is needed down to the base, where that pays or must be.
    #[cold]
    fn recycle(&self, wanted: usize) {
        let (written, last) = (self.cursors[0].get(), self.last_cursor());
        let from = last - self.history;
        let (live, room) = (written - from, self.capacity - written);
        let drained = last == written;
        // Once an in-place block has ended, the writer is about to hear of it and needs no more room.
        let broken = (1..=self.in_place).any(|c| self.closed[c].get());
        if broken || from == 0 || !(drained || room < self.writer_min || (live <= from && room < wanted)) {
            return;
        }
        let size = self.item_size;
        // SAFETY: both ranges lie inside the memory (`from + live = written <= capacity`); no slice into it is alive,
        // because a recycle happens only when the writer's port is asked for room, between the work of two blocks.
        unsafe {
            let base = self.memory.base().as_ptr();
            std::ptr::copy(base.add(from * size), base, live * size);
        }
        for (c, cursor) in self.cursors.iter().enumerate() {
            let moved = cursor.get().checked_sub(from);
            debug_assert!(moved.is_some() || self.closed[c].get(), "only a closed cursor may fall behind");
            cursor.set(moved.unwrap_or(self.history));
        }
        self.origin.set(self.origin.get().wrapping_add(from as u64));
    }

    fn index_of(&self, cursor: usize) -> u64 {
        self.origin.get().wrapping_add(self.cursors[cursor].get() as u64)
    }

    /// The readers of the stream that cursor `writer` writes.
    fn readers_of(&self, writer: usize) -> std::ops::Range<usize> {
        if writer < self.in_place { writer + 1..writer + 2 } else { 1 + self.in_place..self.cursors.len() }
    }

    fn push_tag(&self, writer: usize, tag: &Tag) {
        for reader in self.readers_of(writer).filter(|&r| !self.closed[r].get()) {
            self.tags[reader].borrow_mut().push(tag.clone());
            self.tags_alive.set(self.tags_alive.get() + 1);
        }
    }
}

/// The writing end. For an in-place block the end of its own cursor, which its reading end moves.
#[derive(Debug)]
pub(crate) struct ScratchWriter {
    shared: Arc<Scratch>,
    me: usize,
}

/// A reading end, of a reader or of an in-place block.
#[derive(Debug)]
pub(crate) struct ScratchReader {
    shared: Arc<Scratch>,
    me: usize,
    upstream: usize,
}

// SAFETY: the shared cells are not synchronised, so all ends of one scratch must be used by one thread at a time. The
// plan gives a scratch only to streams whose blocks are all of one lane, ends are made by `bind` alone and never leave
// the ports that they were made for, and a lane moves to its thread as a whole.
unsafe impl Send for ScratchWriter {}
// SAFETY: as above.
unsafe impl Send for ScratchReader {}

impl ScratchWriter {
    /// The writing end of the in-place block whose reading end is `stage`.
    pub fn of_stage(stage: &ScratchReader) -> Self {
        ScratchWriter { shared: stage.shared.clone(), me: stage.me }
    }

    /// Room for new items, at least `wanted` of them if that can be made by moving what is still needed.
    #[inline]
    pub fn room(&self, wanted: usize) -> usize {
        let s = &*self.shared;
        if self.me != 0 {
            return s.cursors[self.me - 1].get() - s.cursors[self.me].get();
        }
        let written = s.cursors[0].get();
        let reader = &s.cursors[s.cursors.len() - 1];
        if s.capacity - written < wanted || (reader.get() == written && s.history == 0 && written > 0) {
            s.recycle(wanted);
        }
        s.capacity - s.cursors[0].get()
    }

    /// The next `n` free items; `n` must not exceed the last `room`.
    #[inline]
    pub fn slice_mut<T: Item>(&mut self, n: usize) -> &mut [T] {
        let s = &*self.shared;
        let at = s.cursors[0].get();
        assert!(self.me == 0 && n <= s.capacity - at && size_of::<T>() == s.item_size);
        // SAFETY: [at, at + n) lies inside the memory, behind every item that can be read, so no other slice covers
        // it; `&mut self` makes this the only mutable one. Any bytes are a valid T (`Item: Pod`); the base is aligned
        // to 64 bytes and positions are whole items.
        unsafe { std::slice::from_raw_parts_mut(s.memory.base().as_ptr().cast::<T>().add(at), n) }
    }

    #[inline]
    pub fn produce(&mut self, n: usize) {
        if self.me != 0 {
            // The block's reading end moves the cursor that both ends share.
            return;
        }
        let s = &*self.shared;
        let at = s.cursors[0].get();
        assert!(n <= s.capacity - at, "produced {n} items where room was for {}", s.capacity - at);
        s.cursors[0].set(at + n);
    }

    pub fn index(&self) -> u64 {
        self.shared.index_of(self.me)
    }

    pub fn push_tag(&mut self, tag: &Tag) {
        self.shared.push_tag(self.me, tag);
    }

    pub fn finish(&mut self) {
        self.shared.finished[self.me].set(true);
    }

    #[inline]
    pub fn is_closed(&self) -> bool {
        self.shared.readers_of(self.me).all(|reader| self.shared.closed[reader].get())
    }

    /// Where the next free item lies, in items from a 64-byte line.
    pub fn offset(&self) -> usize {
        self.shared.cursors[self.me].get()
    }
}

impl ScratchReader {
    /// Items to read.
    #[inline]
    pub fn available(&self) -> usize {
        self.shared.cursors[self.upstream].get() - self.shared.cursors[self.me].get()
    }

    /// The next `n` items with `history` items before them.
    #[inline]
    pub fn slice<T: Item>(&self, history: usize, n: usize) -> &[T] {
        let s = &*self.shared;
        let at = s.cursors[self.me].get();
        assert!(history <= s.history && n <= self.available() && size_of::<T>() == s.item_size);
        // SAFETY: [at - history, at + n) lies inside the memory: recycling keeps `history` items behind the slowest
        // cursor, and n is available. Nobody writes there while the slice lives: the writer writes behind its cursor,
        // an in-place block upstream writes only above this cursor's limit, recycling happens between the work of two
        // blocks. Any bytes are a valid T (`Item: Pod`).
        unsafe {
            std::slice::from_raw_parts(s.memory.base().as_ptr().cast::<T>().add(at - history), history + n)
        }
    }

    /// The next `n` items, to be worked on in place. Only for the end of an in-place block.
    #[inline]
    pub fn slice_mut<T: Item>(&mut self, n: usize) -> &mut [T] {
        let s = &*self.shared;
        let at = s.cursors[self.me].get();
        assert!(self.is_in_place() && n <= self.available() && size_of::<T>() == s.item_size);
        // SAFETY: as in `slice`; besides, an in-place block is the only reader of its input, readers of its output see
        // nothing above its cursor, and `&mut self` makes this the only slice.
        unsafe { std::slice::from_raw_parts_mut(s.memory.base().as_ptr().cast::<T>().add(at), n) }
    }

    /// Whether this is the end of an in-place block.
    #[inline]
    pub fn is_in_place(&self) -> bool {
        (1..=self.shared.in_place).contains(&self.me)
    }

    #[inline]
    pub fn consume(&mut self, n: usize) {
        let s = &*self.shared;
        assert!(n <= self.available(), "consumed {n} items of {}", self.available());
        s.cursors[self.me].set(s.cursors[self.me].get() + n);
        if s.tags_alive.get() > 0 {
            let pruned = s.tags[self.me].borrow_mut().prune(s.index_of(self.me));
            s.tags_alive.set(s.tags_alive.get() - pruned);
        }
    }

    pub fn index(&self) -> u64 {
        self.shared.index_of(self.me)
    }

    #[inline]
    pub fn has_tags(&self) -> bool {
        self.shared.tags_alive.get() > 0
    }

    pub fn with_tags<R>(&self, look: impl FnOnce(&TagQueue) -> R) -> R {
        look(&self.shared.tags[self.me].borrow())
    }

    /// Whether the writer will write no more.
    #[inline]
    pub fn is_finished(&self) -> bool {
        self.shared.finished[self.upstream].get()
    }

    pub fn close(&mut self) {
        let s = &*self.shared;
        s.closed[self.me].set(true);
        let pruned = s.tags[self.me].borrow_mut().prune(u64::MAX);
        s.tags_alive.set(s.tags_alive.get().saturating_sub(pruned));
    }

    /// Items in the buffer before this reader, and the capacity: how full the buffer is.
    pub fn fill(&self) -> (usize, usize) {
        (self.available(), self.shared.capacity - self.shared.history)
    }

    /// Where the next item to read lies, in items from a 64-byte line.
    pub fn offset(&self) -> usize {
        self.shared.cursors[self.me].get()
    }
}
