//! The part of a ring that two threads share: who has written how far, who still needs what.
//!
//! Positions count items from the start of the stream and never wrap. Two pairs of orderings carry the protocol:
//!
//! - `publish_written` (Release) is seen by `written` (Acquire): the items below the index are there to read.
//! - `publish_needed` (Release) is seen by `oldest_needed` (Acquire): nobody reads the items below it any more.
//!
//! `finish` (Release) follows the last `publish_written`; a reader that sees it (Acquire) sees the last index too.

#![allow(unsafe_code, reason = "a model of what the indices guard, for loom")]

use crate::wake::sync::{AtomicBool, AtomicU64, Ordering, Padded};

/// The index of a reader that needs nothing any more.
const CLOSED: u64 = u64::MAX;

#[derive(Debug)]
pub(super) struct Indices {
    /// Written by the writer, read by all readers.
    written: Padded<AtomicU64>,
    /// Written once by the writer, read by all readers.
    finished: AtomicBool,
    /// Each written by its reader, read by the writer: the oldest item that the reader still needs.
    needed: Box<[Padded<AtomicU64>]>,
}

impl Indices {
    /// All positions at `start`, where `histories` is what each reader keeps behind its position.
    pub fn new(start: u64, histories: &[usize]) -> Self {
        Indices {
            written: Padded(AtomicU64::new(start)),
            finished: AtomicBool::new(false),
            needed: histories
                .iter()
                .map(|h| Padded(AtomicU64::new(start.saturating_sub(*h as u64))))
                .collect(),
        }
    }

    #[inline]
    pub fn publish_written(&self, position: u64) {
        self.written.store(position, Ordering::Release);
    }

    #[inline]
    pub fn written(&self) -> u64 {
        self.written.load(Ordering::Acquire)
    }

    #[inline]
    pub fn publish_needed(&self, reader: usize, position: u64) {
        self.needed[reader].store(position, Ordering::Release);
    }

    /// The oldest item that a reader needs.
    #[inline]
    pub fn needed(&self, reader: usize) -> u64 {
        self.needed[reader].load(Ordering::Acquire)
    }

    /// The oldest item that any reader needs; `None` when all readers are closed.
    #[inline]
    pub fn oldest_needed(&self) -> Option<u64> {
        let oldest = self.needed.iter().map(|n| n.load(Ordering::Acquire)).min().unwrap_or(CLOSED);
        (oldest != CLOSED).then_some(oldest)
    }

    pub fn close(&self, reader: usize) {
        self.publish_needed(reader, CLOSED);
    }

    pub fn finish(&self) {
        self.finished.store(true, Ordering::Release);
    }

    #[inline]
    pub fn is_finished(&self) -> bool {
        self.finished.load(Ordering::Acquire)
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use crate::wake::Parker;
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;

    /// A ring of one slot over `Indices`, with the parking of the workers' protocol.
    struct Model {
        indices: Indices,
        slot: UnsafeCell<u64>,
        reader: Parker,
        writer: Parker,
    }

    // SAFETY: the slot is guarded by the indices; that this suffices is what loom checks.
    unsafe impl Sync for Model {}

    /// Runs `step` until it gets something, parked in between as a worker is.
    fn until<T>(parker: &Parker, mut step: impl FnMut() -> Option<T>) -> T {
        loop {
            if let Some(got) = step() {
                return got;
            }
            parker.announce();
            if let Some(got) = step() {
                parker.withdraw();
                return got;
            }
            parker.sleep(None);
        }
    }

    #[test]
    fn loom_every_item_arrives_once_and_nobody_sleeps_for_ever() {
        // Two forced switches show every order that two parties can get into here; more take hours.
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(2);
        builder.check(|| {
            let model = Arc::new(Model {
                indices: Indices::new(0, &[0]),
                slot: UnsafeCell::new(0),
                reader: Parker::new(),
                writer: Parker::new(),
            });
            const ITEMS: u64 = 2;
            let other = model.clone();
            let writer = loom::thread::spawn(move || {
                for position in 0..ITEMS {
                    until(&other.writer, || {
                        (position - other.indices.oldest_needed().unwrap() < 1).then_some(())
                    });
                    // SAFETY: the reader has given this slot back.
                    other.slot.with_mut(|slot| unsafe { *slot = position + 100 });
                    other.indices.publish_written(position + 1);
                    other.reader.wake();
                }
                other.indices.finish();
                other.reader.wake();
            });
            let mut position = 0;
            loop {
                let available = until(&model.reader, || {
                    let finished = model.indices.is_finished();
                    let written = model.indices.written();
                    (written > position || finished).then_some(written - position)
                });
                if available == 0 {
                    break;
                }
                // SAFETY: the writer has published this slot.
                let item = model.slot.with(|slot| unsafe { *slot });
                assert_eq!(item, position + 100);
                position += 1;
                model.indices.publish_needed(0, position);
                model.writer.wake();
            }
            assert_eq!(position, ITEMS);
            writer.join().unwrap();
        });
    }
}
