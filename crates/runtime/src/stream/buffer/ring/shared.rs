//! What the ends of a ring share, and windows of its memory that go to others.

#![allow(unsafe_code, reason = "slices of memory that a writer and its readers share")]

use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use crate::data::Tag;
use crate::stream::buffer::indices::Indices;
use crate::stream::buffer::memory::Memory;
use crate::stream::buffer::start::Start;
use crate::wake::Parker;
use crate::wake::sync::fence;

/// What the ends of a ring share.
#[derive(Debug)]
pub(in crate::stream::buffer) struct Ring {
    pub(super) memory: Memory,
    pub(super) indices: Indices,
    pub(super) item_size: usize,
    pub(super) capacity: usize,
    /// How many items may be kept and wait.
    pub(super) most: usize,
    /// The room that the writer asks for at least.
    pub(super) writer_min: usize,
    /// How much room there is at least once no reader can go on without more items.
    pub(super) sure_room: usize,
    /// What an item's position is more than its index, modulo 2^64.
    pub(super) start: u64,
    /// Per reader: items kept behind its position.
    pub(super) histories: Box<[usize]>,
    pub(super) mirrored: bool,
    pub(super) prefix: usize,
    pub(super) suffix: usize,
    /// Per reader: tags on their way, and how many were ever put in, so that a reader need not lock to see none.
    pub(super) mail: Box<[(Mutex<Vec<Tag>>, AtomicU64)]>,
    pub(super) writer_parker: OnceLock<Arc<Parker>>,
    pub(super) reader_parkers: Box<[OnceLock<Arc<Parker>>]>,
}

impl Ring {
    /// Takes over what the readers had before them; nobody else knows the ring yet.
    pub(super) fn go_on_from(&self, start: &Start, origin: u64) {
        for (me, reader) in start.readers.iter().enumerate() {
            if reader.closed {
                self.indices.close(me);
                continue;
            }
            let position = reader.index.wrapping_sub(origin);
            // All that is shown later lies between these.
            assert!(self.histories[me] as u64 <= position && position <= start.written.wrapping_sub(origin));
            let history = reader.history.min(position as usize);
            let bytes = &reader.bytes[(reader.history - history) * self.item_size..];
            let at = (position as usize - history) * self.item_size;
            assert!(at + bytes.len() <= self.capacity * self.item_size);
            // SAFETY: the target lies inside the body, which no end has shown to anybody yet.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.body().add(at), bytes.len()) };
            self.indices.publish_needed(me, position - self.histories[me] as u64);
            let (mail, sent) = &self.mail[me];
            mail.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).extend(reader.tags.iter().cloned());
            sent.store(reader.tags.len() as u64, Ordering::Release);
        }
        if start.finished.first() == Some(&true) {
            self.indices.finish();
        }
    }

    /// Where item `position` lies in the body, in items from its start.
    #[inline]
    pub(super) fn offset(&self, position: u64) -> usize {
        (position % self.capacity as u64) as usize
    }

    /// The first byte of the body.
    #[inline]
    pub(super) fn body(&self) -> *mut u8 {
        // SAFETY: the memory begins with `prefix` items.
        unsafe { self.memory.base().as_ptr().add(self.prefix * self.item_size) }
    }

    /// The first byte of the memory, and how many there are.
    pub(in crate::stream::buffer) fn span(&self) -> (*const u8, usize) {
        (self.memory.base().as_ptr(), self.memory.span())
    }

    /// Makes the writer count a reader as gone.
    pub(in crate::stream::buffer) fn close(&self, reader: usize) {
        self.indices.close(reader);
        self.wake_writer();
    }

    pub(super) fn wake_readers(&self) {
        fence(crate::wake::sync::Ordering::SeqCst);
        for parker in self.reader_parkers.iter().filter_map(OnceLock::get) {
            parker.wake_after_fence();
        }
    }

    pub(super) fn wake_writer(&self) {
        if let Some(parker) = self.writer_parker.get() {
            parker.wake();
        }
    }
}

/// A part of a ring's memory that belongs to one claim, or was lent.
#[derive(Debug)]
pub(in crate::stream::buffer) struct Window {
    pub start: NonNull<u8>,
    pub bytes: usize,
    /// Keeps the memory.
    pub _ring: Arc<Ring>,
}

// SAFETY: the bytes are those of a claim, which one worker has; see `Claims::claim`.
unsafe impl Send for Window {}
