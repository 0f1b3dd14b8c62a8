//! The writing end of a ring.

#![allow(unsafe_code, reason = "slices of memory that a writer and its readers share")]

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use super::super::lent::{LentRoom, StreamMemory};
use super::shared::{Ring, Window};
use crate::data::{Item, Tag};
use crate::wake::Parker;

/// The writing end.
#[derive(Debug)]
pub(crate) struct RingWriter {
    pub(super) shared: Arc<Ring>,
    pub(super) position: u64,
    /// What the readers needed when last asked; only grows.
    pub(super) oldest_needed: Cell<u64>,
    /// Whether all readers were closed when last asked.
    pub(super) closed: Cell<bool>,
    /// Tags that are sent with the next items.
    pub(super) tags: Vec<Tag>,
    /// How many were given since that was asked.
    pub(super) tags_given: u64,
    /// How much of the room is lent.
    pub(super) lent: usize,
}

impl RingWriter {
    /// Keeps the memory even when the buffer is gone, or no longer.
    pub fn pin(&self, pinned: bool) {
        self.shared.memory.pin(pinned);
    }

    /// Sets whom the readers wake when they give items back.
    pub fn set_parker(&mut self, parker: &Arc<Parker>) {
        let _ = self.shared.writer_parker.set(parker.clone());
    }

    fn free(&self) -> usize {
        self.shared.most.saturating_sub((self.position - self.oldest_needed.get()) as usize)
    }

    /// Asks the readers what they still need, if there is less room than `wanted` as far as is known.
    #[inline(never)]
    pub fn refresh(&self, wanted: usize) {
        if self.free() < wanted.saturating_add(self.lent).min(self.shared.most) {
            match self.shared.indices.oldest_needed() {
                Some(oldest) => self.oldest_needed.set(oldest),
                None => self.nobody_reads(),
            }
        }
    }

    /// Everything written counts as read.
    fn nobody_reads(&self) {
        self.oldest_needed.set(self.position);
        self.closed.set(true);
    }

    /// As `refresh`, and then `room`.
    #[inline(never)]
    pub fn look(&self, wanted: usize) -> usize {
        self.refresh(wanted);
        self.room()
    }

    /// Contiguous room for new items, as of the last `refresh`: none while some is lent.
    #[inline(never)]
    pub fn room(&self) -> usize {
        if self.lent > 0 { 0 } else { self.room_ahead(0) }
    }

    /// How much of the room is lent.
    pub fn lent(&self) -> usize {
        self.lent
    }

    /// Contiguous room behind what is lent, for at most `n` items: none while there is less than they take, unless it
    /// cannot become more.
    pub fn lendable(&self, n: usize) -> usize {
        let free = self.free().saturating_sub(self.lent);
        if free < n.min(self.shared.sure_room) { 0 } else { self.room_ahead(self.lent).min(n) }
    }

    /// Lends the next `n` free items; `n` must not exceed `lendable`.
    pub fn lend(&mut self, n: usize) -> LentRoom {
        let room = LentRoom::new(self.window_ahead(self.lent, n), self.position + self.lent as u64, n);
        self.lent += n;
        room
    }

    /// Gives the readers what has come into the oldest lent room.
    pub fn give_back(&mut self, room: LentRoom) {
        let is_oldest = self.lent > 0 && room.first == self.position && room.is_of(&self.shared);
        assert!(is_oldest, "room was given back that is not the oldest of those lent");
        self.lent -= room.items;
        let (lent, items) = (std::mem::take(&mut self.lent), room.items);
        self.produce(items);
        self.lent = lent;
    }

    /// Contiguous room behind the next `ahead` items, which were claimed.
    pub fn room_ahead(&self, ahead: usize) -> usize {
        let free = self.free().saturating_sub(ahead);
        if self.shared.mirrored {
            free
        } else {
            let at = self.shared.offset(self.position + ahead as u64);
            free.min(self.shared.capacity - at + self.shared.suffix)
        }
    }

    /// The memory of `n` items behind the next `ahead` ones; `n` must not exceed `room_ahead`.
    pub(in crate::stream::buffer) fn window_ahead(&self, ahead: usize, n: usize) -> Window {
        assert!(n <= self.room_ahead(ahead));
        let at = self.shared.offset(self.position + ahead as u64) * self.shared.item_size;
        // SAFETY: `room_ahead` items from there on lie inside the memory (mirrored, or body and suffix).
        let start = unsafe { std::ptr::NonNull::new_unchecked(self.shared.body().add(at)) };
        Window { start, bytes: n * self.shared.item_size, _ring: self.shared.clone() }
    }

    /// The memory of the ring.
    pub fn memory(&self) -> StreamMemory {
        StreamMemory(self.shared.clone())
    }

    /// The next `n` free items; `n` must not exceed `room`.
    #[inline(never)]
    pub fn slice_mut<T: Item>(&mut self, n: usize) -> &mut [T] {
        assert!(n <= self.room() && size_of::<T>() == self.shared.item_size);
        // SAFETY: `room` items from the position on are contiguous (mirrored, or body and suffix), and no reader reads
        // them: all have published (Release, seen by our Acquire) that they need nothing below `oldest_needed`, and
        // the room ends one capacity above it. `&mut self` makes this the only mutable slice. Any bytes are a valid T.
        unsafe {
            let at = self.shared.body().cast::<T>().add(self.shared.offset(self.position));
            std::slice::from_raw_parts_mut(at, n)
        }
    }

    /// Gives the next `n` items to the readers, and wakes those that sleep.
    #[inline(never)]
    pub fn produce(&mut self, n: usize) {
        let room = self.room();
        assert!(n <= room, "produced {n} items where room was for {room}");
        if !self.tags.is_empty() {
            self.send_tags();
        }
        if !self.shared.mirrored {
            self.wrap(n);
        }
        self.position += n as u64;
        self.shared.indices.publish_written(self.position);
        self.shared.wake_readers();
    }

    /// Copies what the span of `n` items from the position on leaves outside the body's one image of each item.
    fn wrap(&mut self, n: usize) {
        let ring = &*self.shared;
        let at = ring.offset(self.position);
        let Some(over) = (at + n).checked_sub(ring.capacity) else { return };
        let size = ring.item_size;
        let body = ring.body();
        // The prefix mirrors the last items of the body, or all of it where the body is shorter.
        let mirrored = ring.prefix.min(ring.capacity);
        // SAFETY: `over` items fit the suffix, since `room` allowed `n`; they belong to the start of the body, which
        // the room covers too. The prefix holds items one capacity below those just written, which no reader needs
        // (head of `mod.rs`). Source and target do not overlap: suffix and start of body are a capacity apart, and so
        // are the body's end and the prefix.
        unsafe {
            std::ptr::copy_nonoverlapping(body.add(ring.capacity * size), body, over * size);
            std::ptr::copy(
                body.add((ring.capacity - mirrored) * size),
                body.sub(mirrored * size),
                mirrored * size,
            );
        }
    }

    pub fn index(&self) -> u64 {
        self.position.wrapping_sub(self.shared.start)
    }

    /// Keeps a tag until items are next given: nobody needs it before.
    #[inline]
    pub fn push_tag(&mut self, tag: Tag) {
        self.tags.push(tag);
        self.tags_given += 1;
    }

    /// How many tags were given since this was asked.
    pub fn take_tags_given(&mut self) -> u64 {
        std::mem::take(&mut self.tags_given)
    }

    /// Sends the tags that were kept to all readers.
    #[cold]
    pub fn send_tags(&mut self) {
        let (last, others) = match self.shared.mail.split_last() {
            Some(all) => all,
            None => return self.tags.clear(),
        };
        let count = self.tags.len() as u64;
        let send = |(mail, sent): &(Mutex<Vec<Tag>>, AtomicU64), tags: &mut dyn Iterator<Item = Tag>| {
            mail.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).extend(tags);
            // Published before the items that they belong to, since the caller gives those next.
            sent.store(sent.load(Ordering::Relaxed) + count, Ordering::Release);
        };
        others.iter().for_each(|mail| send(mail, &mut self.tags.iter().cloned()));
        send(last, &mut self.tags.drain(..));
    }

    pub fn finish(&mut self) {
        self.send_tags();
        self.shared.indices.finish();
        self.shared.wake_readers();
    }

    #[inline(never)]
    pub fn is_closed(&self) -> bool {
        if !self.closed.get() && self.shared.indices.oldest_needed().is_none() {
            self.nobody_reads();
        }
        self.closed.get()
    }

    /// Where the next free item lies, in items from a 64-byte line.
    pub fn offset(&self) -> usize {
        self.shared.prefix + self.shared.offset(self.position)
    }
}
