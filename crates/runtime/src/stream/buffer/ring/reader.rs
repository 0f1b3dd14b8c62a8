//! A reading end of a ring.

#![allow(unsafe_code, reason = "slices of memory that a writer and its readers share")]

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::super::lent::{Lease, LentItems, StreamMemory};
use super::super::start::ReaderState;
use super::shared::{Ring, Window};
use crate::data::{Item, Tag, TagQueue};
use crate::wake::Parker;

/// A reading end.
#[derive(Debug)]
pub(crate) struct RingReader {
    pub(super) shared: Arc<Ring>,
    pub(super) me: usize,
    pub(super) history: usize,
    pub(super) position: u64,
    /// What was written when last asked; only grows.
    pub(super) written: Cell<u64>,
    /// Whether the writer had ended when last asked.
    pub(super) finished: Cell<bool>,
    pub(super) tags: RefCell<TagQueue>,
    pub(super) tags_taken: Cell<u64>,
    /// How many of the next items are lent.
    pub(super) lent: usize,
    pub(super) lease: Option<Arc<Lease>>,
}

impl RingReader {
    /// Keeps the memory even when the buffer is gone, or no longer.
    pub fn pin(&self, pinned: bool) {
        self.shared.memory.pin(pinned);
    }

    /// Sets whom the writer wakes when it writes.
    pub fn set_parker(&mut self, parker: &Arc<Parker>) {
        let _ = self.shared.reader_parkers[self.me].set(parker.clone());
    }

    fn behind(&self) -> usize {
        (self.written.get() - self.position) as usize
    }

    /// Asks the writer how far it is and whether it has ended, if fewer than `wanted` items are known of.
    #[inline(never)]
    pub fn refresh(&self, wanted: usize) {
        if self.behind() < wanted.saturating_add(self.lent) {
            // The end first: what was written before it is seen then.
            self.finished.set(self.shared.indices.is_finished());
            self.written.set(self.shared.indices.written());
        }
    }

    /// As `refresh`, and then `available`.
    #[inline(never)]
    pub fn look(&self, wanted: usize) -> usize {
        self.refresh(wanted);
        self.available()
    }

    /// Contiguous items to read with their history, as of the last `refresh`.
    #[inline(never)]
    pub fn available(&self) -> usize {
        self.available_ahead(0)
    }

    /// Items that wait, contiguous or not, as of the last `refresh`.
    pub fn waiting(&self) -> usize {
        self.behind()
    }

    /// Contiguous items with their history behind the next `ahead` ones, which were claimed.
    pub fn available_ahead(&self, ahead: usize) -> usize {
        let behind = self.behind() - ahead;
        if self.shared.mirrored { behind } else { behind.min(self.span(ahead).1) }
    }

    /// The memory of `n` items behind the next `ahead` ones, with `history` items before them.
    pub(in crate::stream::buffer) fn window_ahead(&self, ahead: usize, history: usize, n: usize) -> Window {
        let ring = &*self.shared;
        assert!(history <= self.history && n <= self.available_ahead(ahead));
        let start = if ring.mirrored {
            ring.offset(self.position + ahead as u64 - self.history as u64)
        } else {
            self.span(ahead).0
        };
        let at = (start + self.history - history) * ring.item_size;
        // SAFETY: [start, start + self.history + n) lies inside the memory (mirrored, or by `span`).
        let start = unsafe { ring.memory.base().add(at) };
        Window { start, bytes: (history + n) * ring.item_size, _ring: self.shared.clone() }
    }

    /// Where the window of this reader `ahead` items on starts, in items from the start of the memory, and how many
    /// items from there on are contiguous. For single-mapped rings.
    fn span(&self, ahead: usize) -> (usize, usize) {
        let ring = &*self.shared;
        let window_start = self.position + ahead as u64 - self.history as u64;
        let at = ring.offset(window_start);
        let to_end = ring.capacity - at;
        // The writer has passed the end of the body that lies ahead of the window: the prefix has its last items.
        let passed = self.written.get() - window_start > to_end as u64;
        if to_end <= ring.prefix && passed {
            (ring.prefix - to_end, to_end + ring.capacity - self.history)
        } else {
            (ring.prefix + at, to_end.saturating_sub(self.history))
        }
    }

    /// The next `n` items with `history` items before them.
    #[inline(never)]
    pub fn slice<T: Item>(&self, history: usize, n: usize) -> &[T] {
        let ring = &*self.shared;
        assert!(history <= self.history && size_of::<T>() == ring.item_size);
        let (start, contiguous) = if ring.mirrored {
            (ring.offset(self.position - self.history as u64), self.behind())
        } else {
            self.span(0)
        };
        assert!(n <= contiguous.min(self.behind()));
        // SAFETY: [start, start + self.history + n) is contiguous (mirrored, or by `span`), and the writer does not
        // touch it: all of it is above what this reader has published as needed. The Acquire load of `written` makes
        // the items visible. Any bytes are a valid T.
        unsafe {
            let at = ring.memory.base().as_ptr().cast::<T>().add(start + self.history - history);
            std::slice::from_raw_parts(at, history + n)
        }
    }

    /// See [`super::super::ReadEnd::state`]. Nothing may be lent.
    pub fn state(&mut self) -> ReaderState {
        let size = self.shared.item_size;
        let (index, history) = (self.index(), self.history);
        self.refresh(usize::MAX);
        let mut bytes = Vec::new();
        self.first_tag();
        let tags = self.with_tags(|tags| tags.all().cloned().collect());
        while bytes.is_empty() || self.behind() > 0 {
            let n = self.available();
            let window = self.window_ahead(0, history, n);
            // SAFETY: the window is that of `slice`, in bytes.
            let all = unsafe { std::slice::from_raw_parts(window.start.as_ptr(), window.bytes) };
            bytes.extend_from_slice(if bytes.is_empty() { all } else { &all[history * size..] });
            if n == 0 {
                break;
            }
            self.consume(n);
        }
        ReaderState { index, bytes, history, tags, closed: false }
    }

    /// Gives the next `n` items back, and wakes the writer if it sleeps.
    #[inline(never)]
    pub fn consume(&mut self, n: usize) {
        assert!(n <= self.behind(), "consumed {n} items of {}", self.behind());
        assert!(self.lent == 0, "consumed items that are lent");
        self.position += n as u64;
        self.shared.indices.publish_needed(self.me, self.position - self.history as u64);
        if self.first_tag() < self.index() {
            self.tags.borrow_mut().prune(self.index());
        }
        self.shared.wake_writer();
    }

    pub fn index(&self) -> u64 {
        self.position.wrapping_sub(self.shared.start)
    }

    /// Whether one of the next `n` items has a tag.
    #[inline(never)]
    pub fn has_tags(&self, n: usize) -> bool {
        self.first_tag() < self.index().wrapping_add(n as u64)
    }

    /// The index of the first tag that waits here; takes in what has been sent.
    #[inline]
    pub fn first_tag(&self) -> u64 {
        if self.shared.mail[self.me].1.load(Ordering::Acquire) != self.tags_taken.get() {
            self.take_mail();
        }
        self.tags.borrow().first()
    }

    #[cold]
    fn take_mail(&self) {
        let mut mail = self.shared.mail[self.me].0.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        self.tags_taken.set(self.tags_taken.get() + mail.len() as u64);
        let mut tags = self.tags.borrow_mut();
        mail.drain(..).for_each(|tag| tags.push(tag));
    }

    /// See [`super::super::ReadEnd::pop_tag`].
    #[inline]
    pub fn pop_tag(&mut self, end: u64) -> Option<Tag> {
        if self.first_tag() < end { self.tags.get_mut().pop_before(end) } else { None }
    }

    /// See [`super::super::ReadEnd::move_tags`].
    pub fn move_tags(&mut self, end: u64, to: &mut TagQueue) {
        if self.first_tag() < end {
            self.tags.get_mut().move_before(end, to);
        }
    }

    /// See [`super::super::ReadEnd::could_show`].
    pub fn could_show(&self, n: usize) -> bool {
        let ring = &*self.shared;
        ring.mirrored && n.saturating_add(self.history + ring.writer_min) <= ring.most
    }

    pub fn with_tags<R>(&self, look: impl FnOnce(&TagQueue) -> R) -> R {
        look(&self.tags.borrow())
    }

    /// Whether the writer had ended at the last `refresh`: what is available is all there will be.
    pub fn is_finished(&self) -> bool {
        self.finished.get()
    }

    pub fn close(self) {
        match &self.lease {
            Some(lease) => lease.close(),
            None => self.shared.close(self.me),
        }
    }

    /// The memory of the ring.
    pub fn memory(&self) -> StreamMemory {
        StreamMemory(self.shared.clone())
    }

    /// How many items are lent.
    pub fn lent(&self) -> usize {
        self.lent
    }

    /// Contiguous items behind those that are lent.
    pub fn lendable(&self) -> usize {
        self.available_ahead(self.lent)
    }

    /// Lends the next `n` items that are not lent; `n` must not exceed `lendable`.
    pub fn lend(&mut self, n: usize) -> LentItems {
        let window = self.window_ahead(self.lent, 0, n);
        let lease = self.lease.get_or_insert_with(|| Lease::new(&self.shared, self.me));
        let items = LentItems::new(window, self.position + self.lent as u64, n, lease);
        self.lent += n;
        items
    }

    /// Consumes the oldest of what is lent.
    pub fn take_back(&mut self, items: LentItems) {
        let is_oldest = self.lent > 0
            && items.first == self.position
            && self.lease.as_ref().is_some_and(|lease| items.is_of(lease));
        assert!(is_oldest, "items were taken back that are not the oldest of those lent");
        let n = items.items;
        drop(items);
        let lent = std::mem::take(&mut self.lent) - n;
        self.consume(n);
        self.lent = lent;
    }

    pub fn fill(&self) -> (usize, usize) {
        ((self.shared.indices.written() - self.position) as usize, self.shared.most)
    }

    /// Where the next item to read lies, in items from a 64-byte line.
    pub fn offset(&self) -> usize {
        let ring = &*self.shared;
        let at =
            if ring.mirrored { ring.offset(self.position - self.history as u64) } else { self.span(0).0 };
        at + self.history
    }
}
