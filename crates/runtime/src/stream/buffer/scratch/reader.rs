//! The reading ends of a scratch: of readers, and of blocks that work in place.

#![allow(unsafe_code, reason = "slices of memory that a writer and its readers share")]

use std::ptr::NonNull;
use std::sync::Arc;

use super::super::start::ReaderState;
use super::{LaneStream, Place, Scratch};
use crate::data::{Item, NO_TAG, Tag, TagQueue};
use crate::stream::buffer::runner::count_shown;

/// A reading end, of a reader or of an in-place block.
#[derive(Debug)]
pub(crate) struct ScratchReader {
    pub(super) shared: Arc<Scratch>,
    pub(super) me: usize,
    is_in_place: bool,
    /// Whether this end gives the memory back once all is read.
    releases: bool,
    /// This end's place and that of the one that writes what it reads, in `shared`.
    here: NonNull<Place>,
    writer: NonNull<Place>,
}

// SAFETY: as for `ScratchWriter`.
unsafe impl Send for ScratchReader {}

impl ScratchReader {
    /// Keeps the memory even when the buffer is gone, or no longer.
    pub fn pin(&self, pinned: bool) {
        self.shared.pin(pinned);
    }

    pub(super) fn new(shared: &Arc<Scratch>, me: usize, upstream: usize) -> Self {
        ScratchReader {
            me,
            is_in_place: me <= shared.in_place,
            releases: me > shared.in_place && shared.pool.is_some(),
            here: NonNull::from(&shared.places[me]),
            writer: NonNull::from(&shared.places[upstream]),
            shared: shared.clone(),
        }
    }

    #[inline(always)]
    fn here(&self) -> &Place {
        // SAFETY: `self.shared` keeps the places alive; see `unsafe impl Send` of `ScratchWriter` for the thread.
        unsafe { self.here.as_ref() }
    }

    #[inline(always)]
    fn writer(&self) -> &Place {
        // SAFETY: as in `here`.
        unsafe { self.writer.as_ref() }
    }

    /// Where the next item lies, in items from the base.
    #[inline(always)]
    fn position(&self) -> usize {
        self.shared.position(self.here().cursor.get())
    }

    /// Items to read.
    #[inline(always)]
    pub fn available(&self) -> usize {
        self.writer().ahead_of(self.here())
    }

    /// The next `n` items with `history` items before them.
    #[inline(always)]
    pub fn slice<T: Item>(&self, history: usize, n: usize) -> &[T] {
        let s = &*self.shared;
        let at = self.position();
        debug_assert!(size_of::<T>() == s.item_size);
        if history > s.history || n > self.available() {
            sliced_too_much();
        }
        // SAFETY: [at - history, at + n) lies inside the memory: recycling keeps `history` items behind the slowest
        // cursor, and n is available. Nobody writes there while the slice lives: the writer writes behind its cursor,
        // an in-place block upstream writes only above its own cursor, where this end sees nothing, and recycling leaves alone
        // what somebody may look at (see there). Where n is not 0, the memory is held: it was given to no other stream since the
        // items were written. T is the item type that the scratch was made for, since an end is given only to ports of that type
        // (`exec/bind.rs`, `Site::hand_over`); any bytes are a valid T (`Item: Pod`).
        unsafe {
            std::slice::from_raw_parts(s.start.get().as_ptr().cast::<T>().add(at - history), history + n)
        }
    }

    /// See [`super::super::ReadEnd::show`].
    #[inline(always)]
    pub fn show<T: Item>(&self, history: usize, n: usize) -> &[T] {
        // Once more, where users are: what the runtime itself asks for costs enough without.
        if size_of::<T>() != self.shared.item_size {
            other_items();
        }
        if history + n > 0 && !self.here().shown.replace(true) {
            count_shown(true);
        }
        self.slice(history, n)
    }

    /// See [`super::super::ReadEnd::settle`]. It is `&mut self` that says so.
    #[inline(always)]
    pub fn settle(&mut self) {
        if self.here().shown.replace(false) {
            count_shown(false);
        }
    }

    /// The next `n` items, to be worked on in place. Only for the end of an in-place block.
    #[inline(always)]
    pub fn slice_mut<T: Item>(&mut self, n: usize) -> &mut [T] {
        let s = &*self.shared;
        let at = self.position();
        debug_assert!(size_of::<T>() == s.item_size);
        assert!(self.is_in_place && n <= self.available());
        // SAFETY: as in `slice`; besides, an in-place block is the only reader of its input, readers of its output see
        // nothing above its cursor, and `&mut self` makes this the only slice.
        unsafe { std::slice::from_raw_parts_mut(s.start.get().as_ptr().cast::<T>().add(at), n) }
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
        let here = self.here();
        let index = here.cursor.get().wrapping_add(n as u64);
        here.cursor.set(index);
        if here.first_tag.get() < index {
            self.prune_tags(index);
        }
        if self.releases && self.writer().cursor.get() == index {
            self.shared.release_memory();
        }
    }

    /// Goes past the next `n` items, which never lay here: a segment has brought them to its block (`exec/segment/mod.rs`). Both ends
    /// go past them then, the writer first.
    #[inline(always)]
    pub fn go_past(&mut self, n: usize) {
        let here = self.here();
        let index = here.cursor.get().wrapping_add(n as u64);
        here.cursor.set(index);
        if here.first_tag.get() < index {
            self.prune_tags(index);
        }
    }

    /// Whether nothing waits here, and the stream holds no memory.
    pub fn is_bare(&self) -> bool {
        self.available() == 0 && !self.shared.holds_memory()
    }

    /// What a segment knows of the stream before it; `None` where that has memory of its own, or several readers.
    pub fn lane_stream(&self) -> Option<LaneStream> {
        self.shared.lane_stream(self.me - 1)
    }

    /// Forgets the tags of what was consumed.
    #[cold]
    fn prune_tags(&mut self, index: u64) {
        self.change_tags(|tags| tags.prune(index));
    }

    /// Changes the tags that wait here.
    #[inline]
    fn change_tags<R>(&mut self, change: impl FnOnce(&mut TagQueue) -> R) -> R {
        let mut tags = self.shared.tags[self.me].borrow_mut();
        let result = change(&mut tags);
        self.here().first_tag.set(tags.first());
        result
    }

    /// See [`super::super::ReadEnd::pop_tag`].
    #[inline]
    pub fn pop_tag(&mut self, end: u64) -> Option<Tag> {
        if self.first_tag() < end { self.change_tags(|tags| tags.pop_before(end)) } else { None }
    }

    /// See [`super::super::ReadEnd::move_tags`].
    pub fn move_tags(&mut self, end: u64, to: &mut TagQueue) {
        self.change_tags(|tags| tags.move_before(end, to));
    }

    /// See [`super::super::ReadEnd::could_show`].
    pub fn could_show(&self, n: usize) -> bool {
        let s = &*self.shared;
        n.saturating_add(s.history + s.writer_min) <= s.least_capacity
    }

    #[inline(always)]
    pub fn index(&self) -> u64 {
        self.here().cursor.get()
    }

    /// See [`super::super::ReadEnd::state`].
    pub fn state(&self) -> ReaderState {
        let s = &*self.shared;
        if self.here().closed.get() {
            return ReaderState::closed(self.index());
        }
        let history = if self.is_in_place { 0 } else { s.history };
        let (from, items) = (self.position() - history, history + self.available());
        // SAFETY: as in `slice`; `go_on_from` and `consume` keep the cursors of open ends in order.
        let bytes = unsafe {
            let at = s.start.get().as_ptr().add(from * s.item_size);
            std::slice::from_raw_parts(at, items * s.item_size).to_vec()
        };
        let tags = s.tags[self.me].borrow().all().cloned().collect();
        ReaderState { index: self.index(), bytes, history, tags, closed: false }
    }

    /// The index of the first tag that waits here.
    #[inline(always)]
    pub fn first_tag(&self) -> u64 {
        self.here().first_tag.get()
    }

    /// Whether one of the next `n` items has a tag.
    #[inline(always)]
    pub fn has_tags(&self, n: usize) -> bool {
        let here = self.here();
        here.first_tag.get() < here.cursor.get().wrapping_add(n as u64)
    }

    pub fn with_tags<R>(&self, look: impl FnOnce(&TagQueue) -> R) -> R {
        look(&self.shared.tags[self.me].borrow())
    }

    /// Whether the writer will write no more.
    #[inline]
    pub fn is_finished(&self) -> bool {
        self.writer().finished.get()
    }

    pub fn close(mut self) {
        self.settle();
        if !self.here().closed.replace(true) {
            let open = &self.writer().open_readers;
            open.set(open.get() - 1);
        }
        self.shared.tags[self.me].borrow_mut().clear();
        self.here().first_tag.set(NO_TAG);
    }

    /// Items in the buffer before this reader, and the capacity: how full the buffer is.
    pub fn fill(&self) -> (usize, usize) {
        (self.available(), self.shared.capacity.get() - self.shared.history)
    }

    /// Where the next item to read lies, in items from a 64-byte line.
    pub fn offset(&self) -> usize {
        self.position()
    }
}

#[cold]
fn sliced_too_much() -> ! {
    panic!("a slice of items, or of history, that are not there");
}

#[cold]
fn other_items() -> ! {
    panic!("items of another size than the stream's");
}

#[cold]
fn consumed_too_much(n: usize, available: usize) -> ! {
    panic!("consumed {n} items of {available}");
}
