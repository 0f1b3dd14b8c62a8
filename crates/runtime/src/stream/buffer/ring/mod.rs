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

mod gauge;
mod reader;
mod shared;
mod writer;

use std::cell::{Cell, RefCell};
use std::sync::{Arc, OnceLock};

pub(crate) use gauge::{Gauge, RingId};
pub(crate) use reader::RingReader;
pub(super) use shared::{Ring, Window};
pub(crate) use writer::RingWriter;

use super::indices::Indices;
use super::memory::Memory;
use super::start::{ReaderState, Start};
use crate::data::ItemType;
use crate::data::ratio::gcd;

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
        tags_given: 0,
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
