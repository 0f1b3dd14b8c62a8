//! Memory of the simulated device. For its checker it records which operations accessed which bytes, and which bytes were
//! ever written.

use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::bytes::{Bytes, Ranges, common, covers};
use super::clock::Clock;
use super::error::{Origin, SimError, Storage};

/// An access that an operation asks for.
pub(super) struct Want<'a> {
    pub(super) block: &'a Arc<Block>,
    pub(super) at: usize,
    pub(super) bytes: usize,
    pub(super) writes: bool,
}

/// How much memory of one device there is. All that belongs to a device has it, which tells devices apart.
#[derive(Debug, Default)]
pub(super) struct Home {
    // Written where memory is made and dropped, mostly under the lock of the device; read for counters.
    memories: AtomicU64,
    stagings: AtomicU64,
    bytes: AtomicUsize,
}

impl Home {
    /// How many blocks of device memory there are.
    pub(super) fn memories(&self) -> u64 {
        self.memories.load(Ordering::Relaxed)
    }

    /// How many blocks of staging memory there are.
    pub(super) fn stagings(&self) -> u64 {
        self.stagings.load(Ordering::Relaxed)
    }

    /// How many bytes they have together.
    pub(super) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    fn blocks(&self, name: Storage) -> &AtomicU64 {
        if name.staging.is_some() { &self.stagings } else { &self.memories }
    }
}

/// A block of memory. What is enqueued keeps those that it uses.
pub(super) struct Block {
    pub(super) name: Storage,
    pub(super) len: usize,
    home: Arc<Home>,
    // Locked by whoever holds the lock of the device.
    inside: Mutex<Inside>,
}

struct Inside {
    bytes: Bytes,
    written: Ranges,
    /// Accesses of streams that the host does not know to be over, and that no later one stands for.
    accesses: Vec<Access>,
}

struct Access {
    origin: Origin,
    stream: usize,
    range: Range<usize>,
    writes: bool,
}

/// One access to be made.
#[derive(Clone)]
pub(super) struct Touch {
    pub(super) block: Arc<Block>,
    pub(super) range: Range<usize>,
    pub(super) writes: bool,
}

impl Block {
    /// New memory, full of poison, if there is room for it.
    pub(super) fn new(name: Storage, len: usize, home: &Arc<Home>) -> Option<Self> {
        let bytes = Bytes::poison(len)?;
        home.blocks(name).fetch_add(1, Ordering::Relaxed);
        home.bytes.fetch_add(len, Ordering::Relaxed);
        let inside = Inside { bytes, written: Ranges::default(), accesses: Vec::new() };
        Some(Block { name, len, home: home.clone(), inside: Mutex::new(inside) })
    }

    /// Whether the device of `home` made it.
    pub(super) fn is_of(&self, home: &Arc<Home>) -> bool {
        Arc::ptr_eq(&self.home, home)
    }

    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Copies bytes out.
    pub(super) fn load(&self, range: &Range<usize>) -> Bytes {
        Bytes::copy_of(&self.lock().bytes.as_ref()[range.clone()])
    }

    /// Copies bytes in.
    pub(super) fn store(&self, at: usize, bytes: &[u8]) {
        self.lock().bytes.as_mut()[at..at + bytes.len()].copy_from_slice(bytes);
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        self.home.blocks(self.name).fetch_sub(1, Ordering::Relaxed);
        self.home.bytes.fetch_sub(self.len, Ordering::Relaxed);
    }
}

impl fmt::Debug for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} bytes", self.name, self.len)
    }
}

impl Touch {
    /// The same access, to be asked for once more.
    pub(super) fn again(&self) -> Want<'_> {
        Want { block: &self.block, at: self.range.start, bytes: self.range.len(), writes: self.writes }
    }

    /// Checks that the access reads nothing unwritten, and that it comes after all accesses that it must not meet: those are
    /// known to `clock`.
    pub(super) fn check(&self, origin: &Origin, clock: &Clock) -> Result<(), SimError> {
        let inside = self.block.lock();
        for old in &inside.accesses {
            if !(self.writes || old.writes) || clock.knows(old.stream, old.origin.sequence) {
                continue;
            }
            if let Some(bytes) = common(&self.range, &old.range) {
                return Err(SimError::Unordered {
                    first: Box::new(old.origin.clone()),
                    first_writes: old.writes,
                    second: origin.clone(),
                    second_writes: self.writes,
                    storage: self.block.name,
                    bytes,
                });
            }
        }
        match inside.written.gap(&self.range) {
            Some(bytes) if !self.writes => {
                Err(SimError::Uninitialised { origin: origin.clone(), storage: self.block.name, bytes })
            }
            _ => Ok(()),
        }
    }

    /// Takes note of an access that `check` has passed, when the host knows `host` to be over.
    ///
    /// Accesses of the host itself need no note: what is enqueued later comes after them anyway. For the same reason an
    /// access can be forgotten when the host knows that it is over, or when a later one stands for it. A write stands for
    /// all accesses to the same bytes, a read for reads of the same stream.
    pub(super) fn note(&self, origin: &Origin, host: &Clock) {
        let mut inside = self.block.lock();
        if self.writes {
            inside.written.insert(self.range.clone());
        }
        inside.accesses.retain(|old| {
            let over = host.knows(old.stream, old.origin.sequence);
            let stands = self.writes || (!old.writes && Some(old.stream) == origin.stream);
            !(over || stands && covers(&self.range, &old.range))
        });
        if let (Some(stream), false) = (origin.stream, self.range.is_empty()) {
            let (range, writes) = (self.range.clone(), self.writes);
            inside.accesses.push(Access { origin: origin.clone(), stream, range, writes });
        }
    }
}
