//! Streams between workers: one writer, many readers, lock-free; mirrored or with an explicit wrap.
//!
//! A *mirrored* ring maps its pages twice in a row, so every span is contiguous. Where that is not to be had, the ring
//! is one piece of memory with room on both sides, and every span that an end may ask for is contiguous all the same:
//!
//! ```text
//!  | prefix |              body: capacity items              | suffix |
//!     ^ copy of the body's last items,                            ^ a write that runs over the end;
//!       made when the writer passes the end:                        copied to the start of the body
//!       a reader there reads on into the body                       when it is produced
//! ```
//!
//! The prefix is as long as the largest window of a reader, the suffix as the largest span of the writer, less one
//! item each. The prefix is rewritten only when the writer passes the end again; it can do so only when all readers
//! have gone past the end of the round before, so nobody reads the prefix then.

#![allow(unsafe_code, reason = "slices of memory that a writer and its readers share")]

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use super::claim::Window;
use super::gcd;
use super::indices::Indices;
use super::lent::{Lease, LentItems, LentRoom, StreamMemory};
use super::memory::Memory;
use super::{ReaderState, Start};
use crate::item::{Item, ItemType};
use crate::park::Parker;
use crate::sync::fence;
use crate::tag::{Tag, TagQueue};

/// What a ring has to hold, in items.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RingSpec {
    /// Items between writer and slowest reader, at least.
    pub capacity: usize,
    /// Never more than this, however large the memory had to be, as far as the spans that the ends insist on allow.
    pub most: Option<usize>,
    /// The largest span that the writer insists on.
    pub writer_min: usize,
    /// Per reader: items kept behind its position.
    pub histories: Vec<usize>,
    /// The largest span that a reader insists on, without history.
    pub reader_min: usize,
    /// Zero items that the stream begins with.
    pub preload: usize,
    /// Map the memory twice.
    pub mirrored: bool,
    /// Where single-mapped memory starts, in bytes behind a page boundary.
    pub lead: usize,
}

#[derive(Debug)]
pub(super) struct Ring {
    memory: Memory,
    indices: Indices,
    item_size: usize,
    capacity: usize,
    /// How many items may be kept and wait.
    most: usize,
    /// The room that the writer asks for at least.
    writer_min: usize,
    /// How much room there is at least once no reader can go on without more items.
    sure_room: usize,
    /// What an item's position is more than its index, modulo 2^64.
    start: u64,
    /// Per reader: items kept behind its position.
    histories: Box<[usize]>,
    mirrored: bool,
    prefix: usize,
    suffix: usize,
    /// Per reader: tags on their way, and how many were ever put in, so that a reader need not lock to see none.
    mail: Box<[(Mutex<Vec<Tag>>, AtomicU64)]>,
    writer_parker: OnceLock<Arc<Parker>>,
    reader_parkers: Box<[OnceLock<Arc<Parker>>]>,
}

/// Makes a ring: its writer and its readers, of which those that have ended get no end. Fails where such memory is not to be had.
pub(crate) fn ring(
    item: ItemType,
    spec: &RingSpec,
    start: Option<&Start>,
) -> std::io::Result<(RingWriter, Vec<Option<RingReader>>)> {
    let size = item.size();
    let history = spec.histories.iter().copied().max().unwrap_or(0);
    let window = history + spec.reader_min.max(1);
    // The item at position 0, and how many there are from there on.
    let origin = start.map_or(0u64.wrapping_sub(history as u64), |start| oldest(start, &spec.histories));
    let begun = start.map_or(history as u64, |start| start.written.wrapping_sub(origin));
    let waiting = start.map_or(spec.preload, |_| begun as usize);
    let wanted = spec.capacity.max(spec.writer_min.max(1) + window) + history + waiting;
    let bytes = |items: usize| {
        items.checked_mul(size).ok_or_else(|| std::io::Error::from(std::io::ErrorKind::OutOfMemory))
    };
    let (memory, capacity, prefix, suffix);
    if spec.mirrored {
        let page = rustix::param::page_size();
        // A whole number of pages and of items.
        let step = page / gcd(page, size);
        capacity = wanted.div_ceil(step) * step;
        (prefix, suffix) = (0, 0);
        memory = Memory::mirrored(bytes(capacity)?)?;
    } else {
        capacity = wanted;
        (prefix, suffix) = (window - 1, spec.writer_min.max(1) - 1);
        memory = Memory::heap(bytes(prefix + capacity + suffix)?, spec.lead)?;
    }
    let most = spec.most.map_or(capacity, |most| {
        let least = spec.writer_min.max(1) + spec.reader_min.max(1) - 1;
        (history + most.max(least).max(waiting)).min(capacity)
    });
    let shared = Arc::new(Ring {
        memory,
        indices: Indices::new(begun, &spec.histories),
        item_size: size,
        capacity,
        most,
        writer_min: spec.writer_min.max(1),
        sure_room: (most + 1).saturating_sub(window).max(1),
        start: 0u64.wrapping_sub(origin),
        histories: spec.histories.clone().into(),
        mirrored: spec.mirrored,
        prefix,
        suffix,
        mail: spec.histories.iter().map(|_| Default::default()).collect(),
        writer_parker: OnceLock::new(),
        reader_parkers: spec.histories.iter().map(|_| OnceLock::new()).collect(),
    });
    let mut writer = RingWriter {
        shared: shared.clone(),
        position: begun,
        oldest_needed: Cell::new(0),
        closed: Cell::new(false),
        tags: Vec::new(),
        lent: 0,
    };
    match start {
        Some(start) => shared.go_on_from(start, origin),
        None if spec.preload > 0 => writer.produce(spec.preload),
        None => {}
    }
    let readers = spec
        .histories
        .iter()
        .enumerate()
        .map(|(me, &history)| {
            let state = start.map(|start| &start.readers[me]);
            let is_open = state.is_none_or(|state| !state.closed);
            is_open.then(|| RingReader {
                shared: shared.clone(),
                me,
                history,
                position: state.map_or(begun, |state| state.index.wrapping_sub(origin)),
                written: Cell::new(begun),
                finished: Cell::new(false),
                tags: RefCell::default(),
                tags_taken: Cell::new(0),
                lent: 0,
                lease: None,
            })
        })
        .collect();
    Ok((writer, readers))
}

/// The oldest item that a reader needs, with its history.
fn oldest(start: &Start, histories: &[usize]) -> u64 {
    let needs = |(reader, history): (&ReaderState, &usize)| reader.index.wrapping_sub(*history as u64);
    let open = start.readers.iter().zip(histories).filter(|(reader, _)| !reader.closed);
    // As distances from the last item: an index may lie before the first one.
    open.map(needs).max_by_key(|index| start.written.wrapping_sub(*index)).unwrap_or(start.written)
}

impl Ring {
    /// Takes over what the readers had before them; nobody else knows the ring yet.
    fn go_on_from(&self, start: &Start, origin: u64) {
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
    fn offset(&self, position: u64) -> usize {
        (position % self.capacity as u64) as usize
    }

    /// The first byte of the body.
    #[inline]
    fn body(&self) -> *mut u8 {
        // SAFETY: the memory begins with `prefix` items.
        unsafe { self.memory.base().as_ptr().add(self.prefix * self.item_size) }
    }

    /// The first byte of the memory, and how many there are.
    pub(super) fn span(&self) -> (*const u8, usize) {
        (self.memory.base().as_ptr(), self.memory.span())
    }

    /// Makes the writer count a reader as gone.
    pub(super) fn close(&self, reader: usize) {
        self.indices.close(reader);
        self.wake_writer();
    }

    fn wake_readers(&self) {
        fence(crate::sync::Ordering::SeqCst);
        for parker in self.reader_parkers.iter().filter_map(OnceLock::get) {
            parker.wake_after_fence();
        }
    }

    fn wake_writer(&self) {
        if let Some(parker) = self.writer_parker.get() {
            parker.wake();
        }
    }
}

/// The writing end.
#[derive(Debug)]
pub(crate) struct RingWriter {
    shared: Arc<Ring>,
    position: u64,
    /// What the readers needed when last asked; only grows.
    oldest_needed: Cell<u64>,
    /// Whether all readers were closed when last asked.
    closed: Cell<bool>,
    /// Tags that are sent with the next items.
    tags: Vec<Tag>,
    /// How much of the room is lent.
    lent: usize,
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
    pub(super) fn window_ahead(&self, ahead: usize, n: usize) -> Window {
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
        // (head of this file). Source and target do not overlap: suffix and start of body are a capacity apart, and so
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

/// A reading end.
#[derive(Debug)]
pub(crate) struct RingReader {
    shared: Arc<Ring>,
    me: usize,
    history: usize,
    position: u64,
    /// What was written when last asked; only grows.
    written: Cell<u64>,
    /// Whether the writer had ended when last asked.
    finished: Cell<bool>,
    tags: RefCell<TagQueue>,
    tags_taken: Cell<u64>,
    /// How many of the next items are lent.
    lent: usize,
    lease: Option<Arc<Lease>>,
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
    pub(super) fn window_ahead(&self, ahead: usize, history: usize, n: usize) -> Window {
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

    /// See [`super::ReadEnd::state`]. Nothing may be lent.
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

    /// See [`super::ReadEnd::pop_tag`].
    #[inline]
    pub fn pop_tag(&mut self, end: u64) -> Option<Tag> {
        if self.first_tag() < end { self.tags.get_mut().pop_before(end) } else { None }
    }

    /// See [`super::ReadEnd::move_tags`].
    pub fn move_tags(&mut self, end: u64, to: &mut TagQueue) {
        if self.first_tag() < end {
            self.tags.get_mut().move_before(end, to);
        }
    }

    /// See [`super::ReadEnd::could_show`].
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
