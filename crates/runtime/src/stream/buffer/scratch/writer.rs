//! The writing end of a scratch.

#![allow(unsafe_code, reason = "slices of memory that a writer and its readers share")]

use std::ptr::NonNull;
use std::sync::Arc;

use super::{LaneStream, Place, Scratch, ScratchReader};
use crate::data::{Item, Tag, TagQueue};

/// The writing end. For an in-place block the end of its own cursor, which its reading end moves.
#[derive(Debug)]
pub(crate) struct ScratchWriter {
    shared: Arc<Scratch>,
    me: usize,
    /// The writer's own place, in `shared`.
    here: NonNull<Place>,
    /// That of the only reader, in `shared`, where there is one only, it has no history, and nobody works in place.
    only_reader: Option<NonNull<Place>>,
    /// How many tags were given since that was asked.
    tags_given: u64,
}

// SAFETY: the shared cells are not synchronised, so all ends of one scratch, and of all that share its pool, must be used by one
// thread at a time. The plan gives a scratch only to streams whose blocks are all of one lane, and a pool to scratches of one
// lane. A lane moves to a thread as a whole, under a lock. The ends of pure and sync blocks are out of anybody's reach. A general
// block may hand its ports to another block or thread, so every public method of a port checks first that the block that it was
// connected for is the one that this thread runs (`runner.rs`): that thread has the lane. Printing an end looks at no cell,
// dropping it touches the count of the `Arc`.
unsafe impl Send for ScratchWriter {}

impl ScratchWriter {
    /// Keeps the memory even when the buffer is gone, or no longer.
    pub fn pin(&self, pinned: bool) {
        self.shared.pin(pinned);
    }

    pub(super) fn new(shared: &Arc<Scratch>, me: usize) -> Self {
        let last = shared.places.len() - 1;
        let is_plain = last == shared.in_place + 1 && shared.history == 0;
        ScratchWriter {
            me,
            here: NonNull::from(&shared.places[me]),
            only_reader: is_plain.then(|| NonNull::from(&shared.places[last])),
            shared: shared.clone(),
            tags_given: 0,
        }
    }

    /// The writing end of the in-place block whose reading end is `stage`.
    pub fn of_stage(stage: &ScratchReader) -> Self {
        ScratchWriter::new(&stage.shared, stage.me)
    }

    #[inline(always)]
    fn here(&self) -> &Place {
        // SAFETY: `self.shared` keeps the places alive; see `unsafe impl Send` for the thread.
        unsafe { self.here.as_ref() }
    }

    /// Where the next free item lies, in items from the base.
    #[inline(always)]
    fn position(&self) -> usize {
        self.shared.position(self.here().cursor.get())
    }

    /// Makes room by moving what is still needed, if there is less than `wanted`; how much room there is.
    #[inline(always)]
    pub fn look(&self, wanted: usize) -> usize {
        if self.me != 0 {
            return self.room_of_stage();
        }
        let s = &*self.shared;
        let room = s.capacity.get() - self.position();
        if room >= wanted {
            return room;
        }
        if let Some(reader) = self.only_reader {
            let written = self.here().cursor.get();
            // SAFETY: as in `here`.
            if unsafe { reader.as_ref() }.cursor.get() == written {
                // The rule: all is read, and nothing to move. What the reader has shown it has taken since, so that nobody
                // looks at it any more.
                s.base.set(written);
                s.shrink(0);
                return s.capacity.get();
            }
        }
        s.recycle(wanted);
        s.capacity.get() - self.position()
    }

    /// Room for new items; for an in-place block, items of its input.
    #[inline(always)]
    pub fn room(&self) -> usize {
        if self.me == 0 { self.shared.capacity.get() - self.position() } else { self.room_of_stage() }
    }

    #[cold]
    fn room_of_stage(&self) -> usize {
        self.shared.places[self.me - 1].ahead_of(self.here())
    }

    /// Whether its items are as large as those of `T`.
    #[inline(always)]
    pub fn holds<T: Item>(&self) -> bool {
        size_of::<T>() == self.shared.item_size
    }

    /// The next `n` free items; `n` must not exceed the last `room`.
    #[inline(always)]
    pub fn slice_mut<T: Item>(&mut self, n: usize) -> &mut [T] {
        let s = &*self.shared;
        let at = self.position();
        debug_assert!(self.holds::<T>());
        if self.me != 0 || n > s.capacity.get() - at {
            sliced_too_much();
        }
        s.hold_memory();
        // SAFETY: [at, at + n) lies inside the memory, behind every item that can be read, so no other slice covers
        // it; `&mut self` makes this the only mutable one. A piece of a pool is held by one stream at a time, which nobody looks at
        // when it gives it back: what pure and sync blocks see ends with their work, and others' streams have no pool. T is the item type that the scratch was made for, since an
        // end is given only to ports of that type (`exec/bind.rs`, `Site::hand_over`); any bytes are a valid T (`Item: Pod`); the
        // base is aligned to 64 bytes and positions are whole items.
        unsafe { std::slice::from_raw_parts_mut(s.start.get().as_ptr().cast::<T>().add(at), n) }
    }

    #[inline(always)]
    pub fn produce(&mut self, n: usize) {
        if self.me != 0 {
            // The block's reading end moves the cursor that both ends share.
            return;
        }
        let room = self.shared.capacity.get() - self.position();
        if n > room {
            produced_too_much(n, room);
        }
        debug_assert!(n == 0 || self.shared.holds_memory());
        let cursor = &self.here().cursor;
        cursor.set(cursor.get().wrapping_add(n as u64));
    }

    /// See [`ScratchReader::go_past`].
    #[inline(always)]
    pub fn go_past(&mut self, n: usize) {
        if self.me == 0 {
            let index = self.here().cursor.get().wrapping_add(n as u64);
            self.here().cursor.set(index);
            self.shared.base.set(index);
        }
    }

    /// See [`ScratchReader::lane_stream`].
    pub fn lane_stream(&self) -> Option<LaneStream> {
        self.shared.lane_stream(self.me)
    }

    pub fn index(&self) -> u64 {
        self.here().cursor.get()
    }

    pub fn push_tag(&mut self, tag: Tag) {
        self.tags_given += 1;
        self.shared.push_tag(self.me, tag);
    }

    /// See [`super::super::WriteEnd::push_tags`].
    pub fn push_tags(&mut self, tags: &mut TagQueue) {
        self.tags_given += tags.len() as u64;
        self.shared.push_tags(self.me, tags);
    }

    /// How many tags were given since this was asked.
    pub fn take_tags_given(&mut self) -> u64 {
        std::mem::take(&mut self.tags_given)
    }

    pub fn finish(&mut self) {
        self.here().finished.set(true);
    }

    #[inline(always)]
    pub fn is_closed(&self) -> bool {
        self.here().open_readers.get() == 0
    }

    /// Where the next free item lies, in items from a 64-byte line.
    pub fn offset(&self) -> usize {
        self.position()
    }
}

#[cold]
fn sliced_too_much() -> ! {
    panic!("a slice of room that is not there");
}

#[cold]
fn produced_too_much(n: usize, room: usize) -> ! {
    panic!("produced {n} items where room was for {room}");
}
