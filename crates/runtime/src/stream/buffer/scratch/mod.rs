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
//! One thread at a time runs the blocks of all ends, so cursors are plain cells. They hold absolute indices, and one more cell
//! says which index lies at the base. When there is too little room behind the writer, what is still needed moves down to the
//! base: `history` items when all is read. The rule is that nothing is left, and then only that one cell changes.
//!
//! Streams between pure and sync blocks have no memory of their own where nothing is left in them: see `pool.rs`.
//!
//! What a general block was shown it may go on looking at when its work is over: safe code can put a port out of everybody's
//! reach, and what it shows with it. So an end notes that it shows something, until it is changed: then nobody looks any more.
//! Nothing moves meanwhile. Blocks that leave items behind are visited after their work, which changes all their ends.

#![allow(unsafe_code, reason = "slices of memory that a writer and its readers share")]

mod pool;
mod reader;
mod writer;

use std::cell::{Cell, RefCell};
use std::ptr::NonNull;
use std::sync::Arc;

pub(crate) use pool::{LanePool, Piece, Pool};
pub(crate) use reader::ScratchReader;
pub(crate) use writer::ScratchWriter;

use super::memory::Memory;
use super::start::{ReaderState, Start};
use crate::data::{ItemType, NO_TAG, Tag, TagQueue};

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
    /// Where memory of its own starts, in bytes behind a page boundary.
    pub lead: usize,
}

impl ScratchSpec {
    /// The items that it has room for, where it begins with none.
    pub fn items(&self) -> usize {
        self.history + self.capacity.max(self.writer_min).max(1)
    }
}

struct Scratch {
    /// Memory of its own; none where it takes pieces of a pool from the start.
    own: Option<Memory>,
    pool: Option<Arc<Pool>>,
    /// Which piece of the pool it holds, [`OWN`] or [`NONE`]. With none, all is read and the next item is at the base.
    piece: Cell<u32>,
    /// The piece that it has held last: `start` says where that lies.
    last_piece: Cell<u32>,
    /// The base: where the memory that it holds starts. Without a piece, where some memory of the pool starts.
    start: Cell<NonNull<u8>>,
    item_size: usize,
    /// Items that may lie in the memory; it has room for as many or more.
    capacity: Cell<usize>,
    /// The capacity of a scratch that begins with nothing. A piece of the pool has room for as many.
    least_capacity: usize,
    history: usize,
    writer_min: usize,
    in_place: usize,
    /// `[writer, in-place blocks…, readers…]`.
    places: Box<[Place]>,
    /// Absolute index of the item at the base, modulo 2^64.
    base: Cell<u64>,
    /// Per place but the writer's: tags not passed yet.
    tags: Box<[RefCell<TagQueue>]>,
}

/// Holds its own memory.
const OWN: u32 = u32::MAX - 1;
/// Holds no memory.
const NONE: u32 = u32::MAX;

/// Where an end stands. What a work call looks at lies together.
struct Place {
    /// The absolute index of the next item, modulo 2^64.
    cursor: Cell<u64>,
    /// The index of the first tag that was not passed yet.
    first_tag: Cell<u64>,
    /// How many readers of the stream that this end writes have not closed.
    open_readers: Cell<usize>,
    /// The stream that this end writes has ended.
    finished: Cell<bool>,
    /// Takes no further part. The writer's says nothing here.
    closed: Cell<bool>,
    /// Somebody may look at items that this end has shown.
    shown: Cell<bool>,
}

/// A stream of a scratch whose memory comes from a pool, and whose items only one block takes at a time.
#[derive(Clone)]
pub(crate) struct LaneStream {
    pub pool: LanePool,
    /// Which of the scratch's streams it is: as many blocks before it work in place.
    pub stage: usize,
    /// How many streams the scratch has.
    pub stages: usize,
    pub item_bytes: usize,
    /// The longest strip.
    pub most: usize,
    scratch: *const Scratch,
}

impl LaneStream {
    /// Whether the block that takes its items works on top of them.
    pub fn is_read_in_place(&self) -> bool {
        self.stage + 1 < self.stages
    }

    /// Whether they are the same stream.
    pub fn is(&self, other: &LaneStream) -> bool {
        self.scratch == other.scratch && self.stage == other.stage
    }
}

// Whoever prints a port may be on another thread than the one that changes the cells.
impl std::fmt::Debug for Scratch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scratch").field("item_size", &self.item_size).finish_non_exhaustive()
    }
}

/// The writer, the in-place blocks' ends in order, and the readers of a scratch that have not ended.
pub(crate) type ScratchEnds = (ScratchWriter, Vec<ScratchReader>, Vec<Option<ScratchReader>>);

/// Makes a scratch: its writer, the in-place blocks' ends in order, and its readers, of which those that have ended get none.
/// With a `pool`, it takes its memory from there. That is for streams between pure and sync blocks of one lane, without history
/// and preload, and for as many as the pool has pieces.
///
/// Fails where there is not so much memory.
pub(crate) fn scratch(
    item: ItemType,
    spec: &ScratchSpec,
    start: Option<&Start>,
    pool: Option<&Arc<Pool>>,
) -> std::io::Result<ScratchEnds> {
    let places = 1 + spec.in_place + spec.readers;
    let base = start.map_or(0, |start| oldest(start, spec)).wrapping_sub(spec.history as u64);
    let waiting =
        start.map_or(spec.preload, |start| start.written.wrapping_sub(base) as usize - spec.history);
    let least_capacity = spec.items();
    let capacity = waiting + least_capacity;
    let bytes = capacity.saturating_mul(item.size());
    if let Some(pool) = pool {
        assert!(spec.history + spec.preload == 0 && least_capacity * item.size() <= pool.bytes());
    }
    // What waits already lies in memory of its own until it is read.
    let own = match pool {
        Some(_) if waiting == 0 => None,
        _ => Some(Memory::heap(bytes, spec.lead)?),
    };
    let place = |place: usize| Place {
        cursor: Cell::new(match start {
            Some(start) if place == 0 => start.written,
            Some(start) if !start.readers[place - 1].closed => start.readers[place - 1].index,
            _ => base.wrapping_add((spec.history + if place == 0 { spec.preload } else { 0 }) as u64),
        }),
        first_tag: Cell::new(NO_TAG),
        open_readers: Cell::new(if place < spec.in_place { 1 } else { spec.readers }),
        finished: Cell::new(false),
        closed: Cell::new(false),
        shown: Cell::new(false),
    };
    // The count is atomic though the rest is not: ends may be dropped by different threads, one after another.
    #[allow(clippy::arc_with_non_send_sync)]
    let shared = Arc::new(Scratch {
        piece: Cell::new(if own.is_some() { OWN } else { NONE }),
        last_piece: Cell::new(NONE),
        start: Cell::new(match (&own, pool) {
            (Some(own), _) => own.base(),
            (None, Some(pool)) => pool.base(0),
            (None, None) => NonNull::dangling(),
        }),
        own,
        pool: pool.cloned(),
        item_size: item.size(),
        capacity: Cell::new(capacity),
        least_capacity,
        history: spec.history,
        writer_min: spec.writer_min.max(1),
        in_place: spec.in_place,
        places: (0..places).map(place).collect(),
        base: Cell::new(base),
        tags: (0..places).map(|_| RefCell::default()).collect(),
    });
    if let Some(start) = start {
        shared.go_on_from(start);
    }
    let stages = (1..=spec.in_place).map(|stage| ScratchReader::new(&shared, stage, stage - 1)).collect();
    let reader = |reader: usize| {
        let place = 1 + spec.in_place + reader;
        let is_open = !shared.places[place].closed.get();
        is_open.then(|| ScratchReader::new(&shared, place, spec.in_place))
    };
    let readers = (0..spec.readers).map(reader).collect();
    Ok((ScratchWriter::new(&shared, 0), stages, readers))
}

/// The index that the slowest reader of the last stream needs next; without one, that of the slowest in-place block.
fn oldest(start: &Start, spec: &ScratchSpec) -> u64 {
    let open = |readers: &[ReaderState]| readers.iter().filter(|r| !r.closed).map(|r| r.index).min();
    let (stages, readers) = start.readers.split_at(spec.in_place);
    open(readers).or_else(|| open(stages)).unwrap_or(start.written)
}

impl Scratch {
    /// How many items lie between the base and an index.
    #[inline(always)]
    fn position(&self, index: u64) -> usize {
        index.wrapping_sub(self.base.get()) as usize
    }

    /// Takes a piece of memory, where it holds none.
    ///
    /// It is most often the piece of the last time, and `start` stays as it is then. So the block's work need not wait until the
    /// piece is loaded from the pool's stack, to which it was given back a moment ago: the processor goes on with `start`.
    #[inline(always)]
    fn hold_memory(&self) {
        if self.piece.get() == NONE
            && let Some(pool) = &self.pool
        {
            let piece = pool.take();
            self.piece.set(piece);
            if piece != self.last_piece.get() {
                self.last_piece.set(piece);
                self.start.set(pool.base(piece));
            }
        }
    }

    fn holds_memory(&self) -> bool {
        self.piece.get() != NONE
    }

    /// Gives the memory back, where all is read. The reader that asks has read all.
    #[inline(always)]
    fn release_memory(&self) {
        let written = self.places[0].cursor.get();
        let is_behind = |end: &Place| !end.closed.get() && end.cursor.get() != written;
        let is_only = self.places.len() == 2;
        if !self.holds_memory() || !is_only && self.places[1..].iter().any(is_behind) {
            return;
        }
        self.base.set(written);
        self.shrink(0);
        let piece = self.piece.replace(NONE);
        if let Some(pool) = self.pool.as_ref().filter(|_| piece != OWN) {
            pool.give_back(piece);
        }
    }

    /// What a segment knows of the stream that the end at `writer` writes.
    fn lane_stream(&self, writer: usize) -> Option<LaneStream> {
        let pool = LanePool::new(self.pool.as_ref()?);
        (self.places.len() == self.in_place + 2).then(|| LaneStream {
            pool,
            stage: writer,
            stages: self.in_place + 1,
            item_bytes: self.item_size,
            most: self.least_capacity,
            scratch: self,
        })
    }

    /// Keeps the memory even when the buffer is gone, or no longer. Only general blocks ask for it: their streams have memory of
    /// their own.
    fn pin(&self, pinned: bool) {
        if let Some(own) = &self.own {
            own.pin(pinned);
        }
    }

    /// Takes over what the readers had before them.
    fn go_on_from(&self, start: &Start) {
        for (c, reader) in (1..).zip(&start.readers) {
            let writer = &self.places[if c <= self.in_place { c - 1 } else { self.in_place }];
            if reader.closed {
                self.places[c].closed.set(true);
                writer.open_readers.set(writer.open_readers.get() - 1);
                continue;
            }
            // All that is shown later lies between these.
            let (first, last) = (self.position(reader.index), self.position(writer.cursor.get()));
            assert!(self.history <= first && first <= last && last <= self.capacity.get());
            // What an in-place block keeps before its items is another stream's.
            let kept = if c <= self.in_place { 0 } else { reader.history.min(self.history) };
            let bytes = &reader.bytes[(reader.history - kept) * self.item_size..];
            let at = (first - kept) * self.item_size;
            assert!(at + bytes.len() <= self.capacity.get() * self.item_size);
            // SAFETY: the target lies inside the memory, which nobody else knows yet.
            unsafe {
                let target = self.start.get().as_ptr().add(at);
                std::ptr::copy_nonoverlapping(bytes.as_ptr(), target, bytes.len());
            }
            reader.tags.iter().for_each(|tag| self.put_tag(c, tag.clone()));
        }
        self.places.iter().zip(&start.finished).for_each(|(place, finished)| place.finished.set(*finished));
    }

    /// The place whose cursor is the oldest that still matters.
    fn last(&self) -> &Place {
        let readers = self.places[1 + self.in_place..].iter().filter(|reader| !reader.closed.get());
        let oldest = readers.max_by_key(|reader| self.places[0].ahead_of(reader));
        // Without readers: what the last open in-place block has not seen yet, else nothing.
        let stages = || self.places[1..=self.in_place].iter().rev().find(|stage| !stage.closed.get());
        oldest.or_else(stages).unwrap_or(&self.places[0])
    }

    /// Moves what is needed down to the base, where that pays or must be.
    #[inline(never)]
    fn recycle(&self, wanted: usize) {
        let written = self.position(self.places[0].cursor.get());
        let from = self.position(self.last().cursor.get()) - self.history;
        let (live, room) = (written - from, self.capacity.get() - written);
        let drained = live == self.history;
        if from == 0 || !(drained || room < self.writer_min || (live <= from && room < wanted)) {
            return;
        }
        if live > 0 && self.is_shown() {
            return;
        }
        let size = self.item_size;
        // SAFETY: both ranges lie inside the memory (`from + live = written <= capacity`). No slice into it is alive: what pure
        // and sync blocks see ends with their work, and this is another block's; what general blocks see is noted until their
        // end is changed; and the writer's own slice borrows the end that recycles.
        unsafe {
            let base = self.start.get().as_ptr();
            std::ptr::copy(base.add(from * size), base, live * size);
        }
        self.base.set(self.base.get().wrapping_add(from as u64));
        self.shrink(live - self.history);
    }

    /// Whether somebody may look at items that are still to be read, or that are kept behind a reader.
    fn is_shown(&self) -> bool {
        self.places[1 + self.in_place..].iter().any(|reader| reader.shown.get())
    }

    /// Where `unread` items wait, the writer gets room for a strip beside them. A scratch that began with more does not keep the
    /// room for that: in each sweep the writer would get ahead by as much, and what it writes would be cold when it is read.
    #[inline(always)]
    fn shrink(&self, unread: usize) {
        self.capacity.set(self.capacity.get().min(unread + self.least_capacity));
    }

    /// The open readers of the stream that the end at `writer` writes.
    fn readers_of(&self, writer: usize) -> impl Iterator<Item = usize> {
        let all = if writer < self.in_place {
            writer + 1..writer + 2
        } else {
            1 + self.in_place..self.places.len()
        };
        all.filter(|&reader| !self.places[reader].closed.get())
    }

    fn push_tag(&self, writer: usize, tag: Tag) {
        let mut readers = self.readers_of(writer);
        let Some(first) = readers.next() else { return };
        readers.for_each(|reader| self.put_tag(reader, tag.clone()));
        self.put_tag(first, tag);
    }

    /// As `push_tag`, of all tags of a queue, which is empty then.
    fn push_tags(&self, writer: usize, tags: &mut TagQueue) {
        let mut readers = self.readers_of(writer);
        if let (Some(reader), None) = (readers.next(), readers.next()) {
            let mut waiting = self.tags[reader].borrow_mut();
            waiting.append(tags);
            self.places[reader].first_tag.set(waiting.first());
            return;
        }
        tags.drain().for_each(|tag| self.push_tag(writer, tag));
    }

    #[inline]
    fn put_tag(&self, reader: usize, tag: Tag) {
        let first = &self.places[reader].first_tag;
        first.set(first.get().min(tag.index));
        self.tags[reader].borrow_mut().push(tag);
    }
}

impl Place {
    /// By how many items this end is ahead of another.
    #[inline(always)]
    fn ahead_of(&self, other: &Place) -> usize {
        self.cursor.get().wrapping_sub(other.cursor.get()) as usize
    }
}
