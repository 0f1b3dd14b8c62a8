//! Parts of a ring that are lent to someone outside of the graph: the copy engine of a device.
//!
//! ```text
//!            taken back           lent               free to be lent, or read
//! reader  ------------|==1==|==2==|==3==|............
//! ```
//!
//! What is lent belongs to its [`LentItems`] or [`LentRoom`]: until it comes back, in the order in which it was lent, the
//! writer does not overwrite the items, and nobody reads or writes the room. An end that is closed meanwhile counts as
//! closed once all of its items have come back or were dropped.

#![allow(unsafe_code, reason = "slices of memory that is lent")]

use std::sync::Arc;

use super::ring::{Ring, Window};
use crate::wake::sync::{AtomicU32, Ordering};

/// How much is out, times two, and one more once the end is closed: exactly one of those who come last closes it.
#[derive(Debug, Default)]
struct Count(AtomicU32);

impl Count {
    const CLOSING: u32 = 1;
    const ONE: u32 = 2;

    fn add_one(&self) {
        self.0.fetch_add(Self::ONE, Ordering::Relaxed);
    }

    /// Whether nothing is out, so that the caller closes.
    fn close(&self) -> bool {
        self.0.fetch_or(Self::CLOSING, Ordering::AcqRel) == 0
    }

    /// Whether it was the last, and the end is to be closed.
    fn drop_one(&self) -> bool {
        self.0.fetch_sub(Self::ONE, Ordering::AcqRel) == Self::ONE + Self::CLOSING
    }
}

/// What a reader has lent, and whether it was closed meanwhile.
#[derive(Debug)]
pub(super) struct Lease {
    ring: Arc<Ring>,
    reader: usize,
    count: Count,
}

impl Lease {
    pub fn new(ring: &Arc<Ring>, reader: usize) -> Arc<Self> {
        Arc::new(Lease { ring: ring.clone(), reader, count: Count::default() })
    }

    /// Closes the reader, now or when the last of what it has lent is dropped.
    pub fn close(&self) {
        if self.count.close() {
            self.ring.close(self.reader);
        }
    }
}

/// Items of a stream that were lent: see [`In::lend`](crate::In::lend). Dropped, they count as not lent, and not taken.
#[derive(Debug)]
pub struct LentItems {
    window: Window,
    /// The position of the first, and how many.
    pub(super) first: u64,
    pub(super) items: usize,
    lease: Arc<Lease>,
}

impl LentItems {
    pub(super) fn new(window: Window, first: u64, items: usize, lease: &Arc<Lease>) -> Self {
        lease.count.add_one();
        LentItems { window, first, items, lease: lease.clone() }
    }

    /// Whether the reader with this lease has lent them.
    pub(super) fn is_of(&self, lease: &Arc<Lease>) -> bool {
        Arc::ptr_eq(&self.lease, lease)
    }

    /// How many items they are.
    pub fn items(&self) -> usize {
        self.items
    }

    /// What they consist of.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the window lies inside the ring's memory, which it keeps. Its items were published by the writer, and
        // the reader gives them back only by `take_back`, which consumes `self`, or when it is closed, which waits for it.
        unsafe { std::slice::from_raw_parts(self.window.start.as_ptr(), self.window.bytes) }
    }

    /// The memory that they lie in.
    pub fn memory(&self) -> StreamMemory {
        StreamMemory(self.window._ring.clone())
    }
}

impl Drop for LentItems {
    fn drop(&mut self) {
        if self.lease.count.drop_one() {
            self.lease.ring.close(self.lease.reader);
        }
    }
}

/// Room of a stream that was lent: see [`Out::lend`](crate::Out::lend). Dropped, it is not lent any more only if its stream
/// has ended.
#[derive(Debug)]
pub struct LentRoom {
    window: Window,
    pub(super) first: u64,
    pub(super) items: usize,
}

impl LentRoom {
    pub(super) fn new(window: Window, first: u64, items: usize) -> Self {
        LentRoom { window, first, items }
    }

    /// Whether it is room of this ring.
    pub(super) fn is_of(&self, ring: &Arc<Ring>) -> bool {
        Arc::ptr_eq(&self.window._ring, ring)
    }

    /// For how many items it is.
    pub fn items(&self) -> usize {
        self.items
    }

    /// The bytes of the items to be.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: the window lies inside the ring's memory, which it keeps. No reader needs what lay there, none sees it
        // before the writer has produced it, which takes `self`, and the writer shows nobody what it has lent.
        unsafe { std::slice::from_raw_parts_mut(self.window.start.as_ptr(), self.window.bytes) }
    }

    /// The memory that it lies in.
    pub fn memory(&self) -> StreamMemory {
        StreamMemory(self.window._ring.clone())
    }
}

/// The memory of a stream: what a driver locks in place, so that a device reaches it. It stays as long as this does.
#[derive(Clone, Debug)]
pub struct StreamMemory(pub(super) Arc<Ring>);

impl StreamMemory {
    /// The first byte, and how many there are.
    pub fn span(&self) -> (*const u8, usize) {
        self.0.span()
    }
}

impl PartialEq for StreamMemory {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for StreamMemory {}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use loom::sync::Arc;

    #[test]
    fn loom_what_is_lent_and_closed_is_closed_when_the_last_comes_back_and_not_before() {
        loom::model(|| {
            let count = Arc::new(Count::default());
            (0..2).for_each(|_| count.add_one());
            let back = Arc::new(AtomicU32::new(0));
            let returner = |count: &Arc<Count>, back: &Arc<AtomicU32>| {
                let (count, back) = (count.clone(), back.clone());
                loom::thread::spawn(move || {
                    back.fetch_add(1, Ordering::Relaxed);
                    let closes = count.drop_one();
                    assert!(!closes || back.load(Ordering::Relaxed) == 2);
                    closes
                })
            };
            let returners = [returner(&count, &back), returner(&count, &back)];
            let closes = count.close();
            assert!(!closes || back.load(Ordering::Relaxed) == 2);
            let others = returners.map(|returner| returner.join().unwrap());
            let closed = others.iter().filter(|closes| **closes).count() + usize::from(closes);
            assert_eq!(closed, 1);
        });
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use crate::data::ItemType;
    use crate::stream::buffer::{RingReader, RingSpec, RingWriter, ring};

    fn make(mirrored: bool, history: usize) -> Option<(RingWriter, RingReader)> {
        let spec = RingSpec {
            capacity: 64,
            writer_min: 8,
            histories: vec![history],
            reader_min: 8,
            mirrored,
            ..RingSpec::default()
        };
        let (writer, mut readers) = ring(ItemType::of::<u32>(), &spec, None).ok()?;
        Some((writer, readers.pop().unwrap().unwrap()))
    }

    /// Lends room, fills it, and lends the items, several at a time, all in order.
    #[test]
    fn what_is_lent_and_comes_back_is_the_stream_whatever_the_ring() {
        for (mirrored, history) in [(false, 0), (false, 5), (true, 0), (true, 5)] {
            let Some((mut writer, mut reader)) = make(mirrored, history) else { continue };
            let (mut given, mut taken) = (0u32, 0u32);
            for round in 0..200usize {
                writer.refresh(64);
                let mut rooms = Vec::new();
                for piece in 0..3 {
                    let n = writer.lendable(1 + (round * 7 + piece * 3) % 8);
                    rooms.push(writer.lend(n));
                }
                assert_eq!(writer.room(), 0, "what is lent is nobody else's");
                for mut room in rooms {
                    for y in room.bytes_mut().chunks_exact_mut(4) {
                        y.copy_from_slice(&given.to_ne_bytes());
                        given += 1;
                    }
                    writer.give_back(room);
                }
                reader.refresh(64);
                let mut lent = Vec::new();
                while reader.lendable() > 0 {
                    let n = reader.lendable().min(5);
                    lent.push(reader.lend(n));
                }
                for items in lent {
                    for x in items.bytes().chunks_exact(4) {
                        assert_eq!(x, taken.to_ne_bytes());
                        taken += 1;
                    }
                    reader.take_back(items);
                }
            }
            assert!(taken > 1000 && taken <= given, "{taken} of {given}");
        }
    }

    #[test]
    fn lent_items_are_not_overwritten_and_those_dropped_are_not_taken() {
        let (mut writer, mut reader) = make(false, 0).unwrap();
        writer.refresh(64);
        let room = writer.room();
        writer.slice_mut::<u32>(room).fill(7);
        writer.produce(room);
        reader.refresh(64);
        let items = reader.lend(8);
        assert_eq!((reader.lent(), items.items()), (8, 8));
        writer.refresh(1);
        assert!(writer.room() < 8);
        assert_eq!(items.memory(), reader.lend(1).memory());
        drop(items);
        assert_eq!(reader.index(), 0);
    }

    #[test]
    fn a_closed_reader_counts_as_gone_when_the_last_of_what_it_has_lent_is_dropped() {
        let (mut writer, mut reader) = make(false, 0).unwrap();
        writer.refresh(64);
        writer.produce(16);
        reader.refresh(16);
        let lent = [reader.lend(4), reader.lend(4)];
        reader.close();
        let [first, last] = lent;
        drop(first);
        assert!(!writer.is_closed());
        drop(last);
        assert!(writer.is_closed());
    }

    #[test]
    fn room_is_lent_whole_unless_the_ring_is_too_small() {
        for mirrored in [false, true] {
            let Some((mut writer, mut reader)) = make(mirrored, 0) else { continue };
            writer.refresh(1 << 20);
            let all = writer.lendable(usize::MAX);
            let room = writer.lend(all - 20);
            assert_eq!((writer.lendable(20), writer.lendable(21)), (20, 0));
            writer.give_back(room);
            reader.refresh(all);
            reader.consume(reader.available() - 7);
            writer.refresh(1 << 20);
            // The reader insists on 8 items, and has 7: there will be no more room before it gets some. Without a mirror, less
            // than all of it is in one piece.
            let room = if mirrored { all - 7 } else { writer.room() };
            assert!(room > 20);
            assert_eq!(writer.lendable(usize::MAX), room);
        }
    }

    #[test]
    #[should_panic(expected = "not the oldest")]
    fn what_comes_back_out_of_order_is_refused() {
        let (mut writer, mut reader) = make(false, 0).unwrap();
        writer.refresh(64);
        writer.produce(16);
        reader.refresh(16);
        let (_first, second) = (reader.lend(4), reader.lend(4));
        reader.take_back(second);
    }

    #[test]
    #[should_panic(expected = "items that are lent")]
    fn what_is_lent_cannot_be_consumed() {
        let (mut writer, mut reader) = make(false, 0).unwrap();
        writer.refresh(64);
        writer.produce(16);
        reader.refresh(16);
        let _lent = reader.lend(4);
        reader.consume(1);
    }
}
