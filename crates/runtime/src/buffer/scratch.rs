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
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::memory::Memory;
use super::{ReaderState, Start};
use crate::item::{Item, ItemType};
use crate::tag::{NO_TAG, Tag, TagQueue};

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
    /// The thread that may use the ends: 0 until one has claimed it, then until it hands it on.
    owner: AtomicUsize,
    item_size: usize,
    capacity: usize,
    history: usize,
    writer_min: usize,
    in_place: usize,
    /// `[writer, in-place blocks…, readers…]`, in items from the base.
    cursors: Box<[Cell<usize>]>,
    /// Per cursor: takes no further part. The writer's says nothing here.
    closed: Box<[Cell<bool>]>,
    /// Per stream: how many readers have not closed.
    open_readers: Box<[Cell<usize>]>,
    /// Per stream: has ended. Stream `s` is written by cursor `s`.
    finished: Box<[Cell<bool>]>,
    /// Absolute index of the item at the base, modulo 2^64.
    origin: Cell<u64>,
    /// Per cursor but the writer's: tags not passed yet.
    tags: Box<[RefCell<TagQueue>]>,
    /// Per cursor: the index of the first of them.
    first_tag: Box<[Cell<u64>]>,
}

/// The writer, the in-place blocks' ends in order, and the readers of a scratch.
pub(crate) type ScratchEnds = (ScratchWriter, Vec<ScratchReader>, Vec<ScratchReader>);

/// Makes a scratch: its writer, the in-place blocks' ends in order, and its readers. Fails where there is not so much
/// memory.
pub(crate) fn scratch(
    item: ItemType,
    spec: &ScratchSpec,
    start: Option<&Start>,
) -> std::io::Result<ScratchEnds> {
    let cursors = 1 + spec.in_place + spec.readers;
    // The item at the base, and where the cursors stand from there.
    let origin = start.map_or(0, |start| oldest(start, spec)).wrapping_sub(spec.history as u64);
    let place = |index: u64| index.wrapping_sub(origin) as usize;
    let waiting = start.map_or(spec.preload, |start| place(start.written) - spec.history);
    let capacity = spec.history + waiting + spec.capacity.max(spec.writer_min).max(1);
    let bytes = capacity.saturating_mul(item.size());
    // The count is atomic though the rest is not: ends may be dropped by different threads, one after another.
    #[allow(clippy::arc_with_non_send_sync)]
    let shared = Arc::new(Scratch {
        memory: Memory::heap(bytes, spec.lead)?,
        owner: AtomicUsize::new(0),
        item_size: item.size(),
        capacity,
        history: spec.history,
        writer_min: spec.writer_min.max(1),
        in_place: spec.in_place,
        cursors: (0..cursors)
            .map(|c| match start {
                Some(start) if c == 0 => place(start.written),
                Some(start) if !start.readers[c - 1].closed => place(start.readers[c - 1].index),
                _ => spec.history + if c == 0 { spec.preload } else { 0 },
            })
            .map(Cell::new)
            .collect(),
        closed: (0..cursors).map(|_| Cell::new(false)).collect(),
        open_readers: (0..=spec.in_place)
            .map(|stream| Cell::new(if stream < spec.in_place { 1 } else { spec.readers }))
            .collect(),
        finished: (0..=spec.in_place).map(|_| Cell::new(false)).collect(),
        origin: Cell::new(origin),
        tags: (0..cursors).map(|_| RefCell::default()).collect(),
        first_tag: (0..cursors).map(|_| Cell::new(NO_TAG)).collect(),
    });
    if let Some(start) = start {
        shared.go_on_from(start, place);
    }
    let reader = |me, upstream| ScratchReader {
        me,
        upstream,
        is_in_place: me <= spec.in_place,
        cursor: NonNull::from(&shared.cursors[me]),
        limit: NonNull::from(&shared.cursors[upstream]),
        first_tag: NonNull::from(&shared.first_tag[me]),
        shared: shared.clone(),
    };
    let stages = (1..=spec.in_place).map(|c| reader(c, c - 1)).collect();
    let readers = (0..spec.readers).map(|r| reader(1 + spec.in_place + r, spec.in_place)).collect();
    Ok((ScratchWriter::new(&shared, 0), stages, readers))
}

/// The index that the slowest reader of the last stream needs next; without one, that of the slowest in-place block.
fn oldest(start: &Start, spec: &ScratchSpec) -> u64 {
    let open = |readers: &[ReaderState]| readers.iter().filter(|r| !r.closed).map(|r| r.index).min();
    let (stages, readers) = start.readers.split_at(spec.in_place);
    open(readers).or_else(|| open(stages)).unwrap_or(start.written)
}

/// A number that no other living thread has.
#[inline(always)]
pub(crate) fn this_thread() -> usize {
    thread_local!(static HERE: u8 = const { 0 });
    HERE.with(|here| std::ptr::from_ref(here).addr())
}

impl Scratch {
    /// Whether this thread is the one that may use the ends; the first to ask is.
    #[inline(always)]
    fn is_mine(&self) -> bool {
        let here = this_thread();
        self.owner.load(Ordering::Relaxed) == here || self.claim(here)
    }

    /// Takes over what the readers had before them.
    fn go_on_from(&self, start: &Start, place: impl Fn(u64) -> usize) {
        for (c, reader) in (1..).zip(&start.readers) {
            if reader.closed {
                self.closed[c].set(true);
                let open = &self.open_readers[if c <= self.in_place { c - 1 } else { self.in_place }];
                open.set(open.get() - 1);
                continue;
            }
            // What an in-place block keeps before its items is another stream's.
            let kept = if c <= self.in_place { 0 } else { reader.history.min(self.history) };
            let bytes = &reader.bytes[(reader.history - kept) * self.item_size..];
            let at = (place(reader.index) - kept) * self.item_size;
            assert!(at + bytes.len() <= self.capacity * self.item_size);
            // SAFETY: the target lies inside the memory, which nobody else knows yet.
            unsafe {
                let target = self.memory.base().as_ptr().add(at);
                std::ptr::copy_nonoverlapping(bytes.as_ptr(), target, bytes.len());
            }
            reader.tags.iter().for_each(|tag| self.put_tag(c, tag.clone()));
        }
        self.finished.iter().zip(&start.finished).for_each(|(cell, finished)| cell.set(*finished));
    }

    /// See [`super::ReadEnd::adopt`]. The ends of one scratch are handed on together, one after another.
    fn adopt(&self, from: usize, to: usize) -> bool {
        let owner = self.owner.compare_exchange(from, to, Ordering::Relaxed, Ordering::Relaxed);
        owner.is_ok() || owner == Err(to)
    }

    #[cold]
    fn claim(&self, here: usize) -> bool {
        self.owner.compare_exchange(0, here, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// The oldest cursor that still matters.
    fn last_cursor(&self) -> usize {
        let readers = 1 + self.in_place..self.cursors.len();
        let oldest = readers.filter(|&r| !self.closed[r].get()).map(|r| self.cursors[r].get()).min();
        // Without readers: what the last open in-place block has not seen yet, else nothing.
        oldest.unwrap_or_else(|| {
            let open = (1..=self.in_place).rev().find(|&stage| !self.closed[stage].get());
            self.cursors[open.unwrap_or(0)].get()
        })
    }

    /// Moves what is needed down to the base, where that pays or must be.
    #[inline(never)]
    fn recycle(&self, wanted: usize) {
        let written = self.cursors[0].get();
        let last = match &self.cursors[1 + self.in_place..] {
            [reader] if !self.closed[self.closed.len() - 1].get() => reader.get(),
            _ => self.last_cursor(),
        };
        if last == written && self.history == 0 {
            self.back_to_base(written);
        } else {
            self.move_down(last - self.history, wanted);
        }
    }

    /// The rule: all is read, nothing to move.
    ///
    /// A plain `set(0)` would become one wide store, which the narrow loads that follow would have to wait for: 4 of 15
    /// nanoseconds a call, see `superhet bench overhead`.
    #[inline(always)]
    fn back_to_base(&self, written: usize) {
        self.cursors.iter().for_each(|cursor| cursor.set(cursor.get().saturating_sub(written)));
        self.origin.set(self.origin.get().wrapping_add(written as u64));
    }

    /// The part of `recycle` that copies.
    #[cold]
    fn move_down(&self, from: usize, wanted: usize) {
        let written = self.cursors[0].get();
        let (live, room) = (written - from, self.capacity - written);
        let drained = live == self.history;
        if from == 0 || !(drained || room < self.writer_min || (live <= from && room < wanted)) {
            return;
        }
        let size = self.item_size;
        // SAFETY: both ranges lie inside the memory (`from + live = written <= capacity`); no slice into it is alive,
        // because a recycle happens only between the work of two blocks.
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

    fn push_tag(&self, writer: usize, tag: Tag) {
        let mut readers = self.readers_of(writer).filter(|&r| !self.closed[r].get());
        let Some(first) = readers.next() else { return };
        readers.for_each(|reader| self.put_tag(reader, tag.clone()));
        self.put_tag(first, tag);
    }

    /// As `push_tag`, of all tags of a queue, which is empty then.
    fn push_tags(&self, writer: usize, tags: &mut TagQueue) {
        let mut readers = self.readers_of(writer).filter(|&r| !self.closed[r].get());
        if let (Some(reader), None) = (readers.next(), readers.next()) {
            let mut waiting = self.tags[reader].borrow_mut();
            if waiting.is_empty() {
                std::mem::swap(&mut *waiting, tags);
                self.first_tag[reader].set(waiting.first());
                return;
            }
        }
        tags.drain().for_each(|tag| self.push_tag(writer, tag));
    }

    #[inline]
    fn put_tag(&self, reader: usize, tag: Tag) {
        let first = &self.first_tag[reader];
        first.set(first.get().min(tag.index));
        self.tags[reader].borrow_mut().push(tag);
    }
}

/// The writing end. For an in-place block the end of its own cursor, which its reading end moves.
#[derive(Debug)]
pub(crate) struct ScratchWriter {
    shared: Arc<Scratch>,
    me: usize,
    /// The writer's own cursor and the count of its stream's open readers, in `shared`.
    cursor: NonNull<Cell<usize>>,
    open_readers: NonNull<Cell<usize>>,
    /// The cursor of the only reader, in `shared`, where there is one only and it has no history.
    only_reader: Option<NonNull<Cell<usize>>>,
}

/// A reading end, of a reader or of an in-place block.
#[derive(Debug)]
pub(crate) struct ScratchReader {
    shared: Arc<Scratch>,
    me: usize,
    upstream: usize,
    is_in_place: bool,
    /// This end's cursor and the one before it, and the index of this end's first tag, in `shared`.
    cursor: NonNull<Cell<usize>>,
    limit: NonNull<Cell<usize>>,
    first_tag: NonNull<Cell<u64>>,
}

/// The cell behind a pointer into a scratch's boxes.
///
/// # Safety
/// The scratch is alive, and this thread is the one that uses its ends.
#[inline(always)]
unsafe fn cell<'a, T>(pointer: NonNull<Cell<T>>) -> &'a Cell<T> {
    // SAFETY: by the caller's promise the box is there, and nobody else touches the cell meanwhile.
    unsafe { pointer.as_ref() }
}

// SAFETY: the shared cells are not synchronised, so all ends of one scratch must be used by one thread at a time. The
// plan gives a scratch only to streams whose blocks are all of one lane, and a lane moves to a thread as a whole, under a
// lock. The ends of pure and sync blocks are out of anybody's reach; a general block may hand its ports to another
// thread, so every public method of a port checks `is_mine` first, and a worker adopts all scratches of a lane that has
// such a block before it runs anything of it, and hands them to nobody before it unlocks the lane for other workers.
// Dropping an end touches the count of the `Arc` only.
unsafe impl Send for ScratchWriter {}
// SAFETY: as above.
unsafe impl Send for ScratchReader {}

impl ScratchWriter {
    fn new(shared: &Arc<Scratch>, me: usize) -> Self {
        let last = shared.cursors.len() - 1;
        let is_plain = last == shared.in_place + 1 && shared.history == 0;
        ScratchWriter {
            me,
            cursor: NonNull::from(&shared.cursors[me]),
            only_reader: is_plain.then(|| NonNull::from(&shared.cursors[last])),
            open_readers: NonNull::from(&shared.open_readers[me]),
            shared: shared.clone(),
        }
    }

    /// The writing end of the in-place block whose reading end is `stage`.
    pub fn of_stage(stage: &ScratchReader) -> Self {
        ScratchWriter::new(&stage.shared, stage.me)
    }

    /// Whether this thread is the one that may use this end.
    #[inline(always)]
    pub fn is_mine(&self) -> bool {
        self.shared.is_mine()
    }

    /// See [`super::ReadEnd::adopt`].
    pub fn adopt(&self, from: usize, to: usize) -> bool {
        self.shared.adopt(from, to)
    }

    #[inline(always)]
    fn cursor(&self) -> &Cell<usize> {
        // SAFETY: `self.shared` keeps the cells alive; see `unsafe impl Send` for the thread.
        unsafe { cell(self.cursor) }
    }

    /// Makes room by moving what is still needed, if there is less than `wanted`.
    #[inline(always)]
    pub fn refresh(&self, wanted: usize) {
        let s = &*self.shared;
        let written = self.cursor().get();
        if s.capacity - written >= wanted || written == s.history || self.me != 0 {
            return;
        }
        if let Some(reader) = self.only_reader {
            // SAFETY: as in `cursor`.
            let reader = unsafe { cell(reader) };
            if reader.get() == written {
                s.back_to_base(written);
                return;
            }
        }
        s.recycle(wanted);
    }

    /// Room for new items; for an in-place block, items of its input.
    #[inline(always)]
    pub fn room(&self) -> usize {
        let s = &*self.shared;
        let end = if self.me == 0 { s.capacity } else { s.cursors[self.me - 1].get() };
        end - self.cursor().get()
    }

    /// The next `n` free items; `n` must not exceed the last `room`.
    #[inline]
    pub fn slice_mut<T: Item>(&mut self, n: usize) -> &mut [T] {
        let s = &*self.shared;
        let at = self.cursor().get();
        debug_assert!(size_of::<T>() == s.item_size);
        assert!(self.me == 0 && n <= s.capacity - at);
        // SAFETY: [at, at + n) lies inside the memory, behind every item that can be read, so no other slice covers
        // it; `&mut self` makes this the only mutable one. T is the item type that the scratch was made for, since an
        // end is given only to ports of that type; any bytes are a valid T (`Item: Pod`); the base is aligned to 64
        // bytes and positions are whole items.
        unsafe { std::slice::from_raw_parts_mut(s.memory.base().as_ptr().cast::<T>().add(at), n) }
    }

    #[inline]
    pub fn produce(&mut self, n: usize) {
        if self.me != 0 {
            // The block's reading end moves the cursor that both ends share.
            return;
        }
        let at = self.cursor().get();
        let room = self.shared.capacity - at;
        assert!(n <= room, "produced {n} items where room was for {room}");
        self.cursor().set(at + n);
    }

    pub fn index(&self) -> u64 {
        self.shared.index_of(self.me)
    }

    pub fn push_tag(&mut self, tag: Tag) {
        self.shared.push_tag(self.me, tag);
    }

    /// See [`super::WriteEnd::push_tags`].
    pub fn push_tags(&mut self, tags: &mut TagQueue) {
        self.shared.push_tags(self.me, tags);
    }

    pub fn finish(&mut self) {
        self.shared.finished[self.me].set(true);
    }

    #[inline]
    pub fn is_closed(&self) -> bool {
        // SAFETY: `self.shared` keeps the cells alive; see `unsafe impl Send` for the thread.
        unsafe { cell(self.open_readers) }.get() == 0
    }

    /// Where the next free item lies, in items from a 64-byte line.
    pub fn offset(&self) -> usize {
        self.shared.cursors[self.me].get()
    }
}

#[cold]
fn consumed_too_much(n: usize, available: usize) -> ! {
    panic!("consumed {n} items of {available}");
}

impl ScratchReader {
    /// Whether this thread is the one that may use this end.
    #[inline(always)]
    pub fn is_mine(&self) -> bool {
        self.shared.is_mine()
    }

    /// See [`super::ReadEnd::adopt`].
    pub fn adopt(&self, from: usize, to: usize) -> bool {
        self.shared.adopt(from, to)
    }

    #[inline(always)]
    fn cursor(&self) -> &Cell<usize> {
        // SAFETY: `self.shared` keeps the cells alive; see `unsafe impl Send` for the thread.
        unsafe { cell(self.cursor) }
    }

    /// Items to read.
    #[inline(always)]
    pub fn available(&self) -> usize {
        // SAFETY: as in `cursor`.
        unsafe { cell(self.limit) }.get() - self.cursor().get()
    }

    /// The next `n` items with `history` items before them.
    #[inline]
    pub fn slice<T: Item>(&self, history: usize, n: usize) -> &[T] {
        let s = &*self.shared;
        let at = self.cursor().get();
        debug_assert!(size_of::<T>() == s.item_size);
        assert!(history <= s.history && n <= self.available());
        // SAFETY: [at - history, at + n) lies inside the memory: recycling keeps `history` items behind the slowest
        // cursor, and n is available. Nobody writes there while the slice lives: the writer writes behind its cursor,
        // an in-place block upstream writes only above this cursor's limit, recycling happens between the work of two
        // blocks. T is the item type that the scratch was made for; any bytes are a valid T (`Item: Pod`).
        unsafe {
            std::slice::from_raw_parts(s.memory.base().as_ptr().cast::<T>().add(at - history), history + n)
        }
    }

    /// The next `n` items, to be worked on in place. Only for the end of an in-place block.
    #[inline(always)]
    pub fn slice_mut<T: Item>(&mut self, n: usize) -> &mut [T] {
        let s = &*self.shared;
        let at = self.cursor().get();
        debug_assert!(size_of::<T>() == s.item_size);
        assert!(self.is_in_place && n <= self.available());
        // SAFETY: as in `slice`; besides, an in-place block is the only reader of its input, readers of its output see
        // nothing above its cursor, and `&mut self` makes this the only slice.
        unsafe { std::slice::from_raw_parts_mut(s.memory.base().as_ptr().cast::<T>().add(at), n) }
    }

    /// Whether this is the end of an in-place block.
    #[inline(always)]
    pub fn is_in_place(&self) -> bool {
        self.is_in_place
    }

    #[inline(always)]
    pub fn consume(&mut self, n: usize) {
        let available = self.available();
        if n > available {
            consumed_too_much(n, available);
        }
        self.cursor().set(self.cursor().get() + n);
        if self.first_tag() != NO_TAG {
            self.prune_tags();
        }
    }

    /// Forgets the tags of what was consumed.
    #[cold]
    fn prune_tags(&mut self) {
        if self.first_tag() < self.index() {
            self.change_tags(|tags, index| tags.prune(index));
        }
    }

    /// Changes the tags that wait here; `change` is also given the index of the next item.
    #[inline]
    fn change_tags<R>(&mut self, change: impl FnOnce(&mut TagQueue, u64) -> R) -> R {
        let s = &*self.shared;
        let mut tags = s.tags[self.me].borrow_mut();
        let result = change(&mut tags, s.index_of(self.me));
        s.first_tag[self.me].set(tags.first());
        result
    }

    /// See [`super::ReadEnd::pop_tag`].
    #[inline]
    pub fn pop_tag(&mut self, end: u64) -> Option<Tag> {
        if self.first_tag() < end { self.change_tags(|tags, _| tags.pop_before(end)) } else { None }
    }

    /// See [`super::ReadEnd::move_tags`].
    pub fn move_tags(&mut self, end: u64, to: &mut TagQueue) -> bool {
        let moved = self.shared.tags[self.me].borrow_mut().move_before(end, to);
        if moved {
            self.shared.first_tag[self.me].set(NO_TAG);
        }
        moved
    }

    pub fn index(&self) -> u64 {
        self.shared.index_of(self.me)
    }

    /// See [`super::ReadEnd::state`].
    pub fn state(&self) -> ReaderState {
        let s = &*self.shared;
        let history = if self.is_in_place { 0 } else { s.history };
        let (from, items) = (self.cursor().get() - history, history + self.available());
        // SAFETY: as in `slice`.
        let bytes = unsafe {
            let at = s.memory.base().as_ptr().add(from * s.item_size);
            std::slice::from_raw_parts(at, items * s.item_size).to_vec()
        };
        let tags = s.tags[self.me].borrow().all().cloned().collect();
        ReaderState { index: self.index(), bytes, history, tags, closed: s.closed[self.me].get() }
    }

    /// The index of the first tag that waits here.
    #[inline(always)]
    pub fn first_tag(&self) -> u64 {
        // SAFETY: as in `cursor`.
        unsafe { cell(self.first_tag) }.get()
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
        if !s.closed[self.me].replace(true) {
            let open = &s.open_readers[self.upstream];
            open.set(open.get() - 1);
        }
        s.tags[self.me].borrow_mut().clear();
        s.first_tag[self.me].set(NO_TAG);
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
