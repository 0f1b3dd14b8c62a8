//! Memory that a sink shares with readers on the same machine: a file that has no name, in slots of one size.
//!
//! A frame lies in a slot until all readers have acknowledged it. What goes over the socket is a notice: the header, and where the rest
//! lies. A reader copies it from there to where it wants it. Both write and read the file as files are: nothing is mapped, so that
//! neither side can be hurt by what the other one does with it. Copying through the system costs about as much as memory that is not in
//! a cache.
//!
//! A reader that was given up may still have notices of slots that hold something else by now. So each slot begins with a stamp, of which
//! frame it has:
//!
//! ```text
//!  sink:    stamp, then the frame                      reader:  the frame, then the stamp
//! ```
//!
//! Whatever a reader sees of a later frame, it sees that frame's stamp, too. The fences between the two are a pair: that of the sink
//! keeps the stamp before the frame, that of the reader keeps the look at the stamp behind the frame.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::sync::atomic::{Ordering, fence};
use std::sync::{Arc, Mutex, PoisonError};

use super::frame::MOST_ITEMS;

/// Bytes of a stamp: the stream, and the number of the frame in it.
const STAMP: usize = 16;
/// Bytes of a slot: a stamp, what a block of a stream gives at once, and its tags. Other frames go over the socket.
const SLOT: usize = MOST_ITEMS + (1 << 14);
/// The most bytes of a frame that a slot has room for.
pub(super) const MOST_SHARED: usize = SLOT - STAMP;
/// The fewest for which a slot is worth it: less goes over the socket.
pub(super) const LEAST_SHARED: usize = 1 << 12;

/// Which frame a slot has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub stream: u64,
    pub sequence: u64,
}

impl Stamp {
    fn bytes(self) -> [u8; STAMP] {
        let mut bytes = [0; STAMP];
        bytes[..8].copy_from_slice(&self.stream.to_le_bytes());
        bytes[8..].copy_from_slice(&self.sequence.to_le_bytes());
        bytes
    }
}

/// A sink's memory.
#[derive(Debug)]
pub(super) struct SharedMemory {
    file: File,
    /// The same, of which nobody can make one that writes.
    readable: OwnedFd,
    free: Arc<Mutex<Vec<u64>>>,
}

/// A place in the memory, until it is dropped.
#[derive(Debug)]
pub(super) struct Slot {
    at: u64,
    free: Arc<Mutex<Vec<u64>>>,
}

impl Drop for Slot {
    fn drop(&mut self) {
        // The last that was free is the next to be used, as it is in a cache.
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(self.at);
    }
}

impl Slot {
    /// Where it begins.
    pub fn at(&self) -> u64 {
        self.at
    }
}

impl SharedMemory {
    /// So many bytes, in whole slots. They take memory when they are first used.
    pub fn new(bytes: usize) -> io::Result<Self> {
        let slots = bytes.div_ceil(SLOT).max(1) as u64;
        let (file, readable) = memory(slots.saturating_mul(SLOT as u64))?;
        let free = (0..slots).rev().map(|slot| slot.saturating_mul(SLOT as u64)).collect();
        Ok(SharedMemory { file, readable, free: Arc::new(Mutex::new(free)) })
    }

    /// What readers are given.
    pub fn readable(&self) -> &OwnedFd {
        &self.readable
    }

    /// Puts a frame's parts into a slot; `None` where none is free, or they do not fit.
    pub fn put(&self, stamp: Stamp, parts: [&[u8]; 2]) -> io::Result<Option<Slot>> {
        if parts.iter().map(|part| part.len()).sum::<usize>() > MOST_SHARED {
            return Ok(None);
        }
        let Some(at) = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop() else {
            return Ok(None);
        };
        let slot = Slot { at, free: self.free.clone() };
        self.file.write_all_at(&stamp.bytes(), at)?;
        // Pairs with the one in `copy`.
        fence(Ordering::SeqCst);
        let mut at = at.saturating_add(STAMP as u64);
        for part in parts {
            self.file.write_all_at(part, at)?;
            at = at.saturating_add(part.len() as u64);
        }
        Ok(Some(slot))
    }
}

/// A file without a name that stays as long as it is, to write to and to read from.
#[cfg(target_os = "linux")]
fn memory(bytes: u64) -> io::Result<(File, OwnedFd)> {
    use rustix::fs::{MemfdFlags, Mode, OFlags, SealFlags};
    use std::os::fd::AsRawFd;

    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let file = rustix::fs::memfd_create("superhet-link", flags)?;
    rustix::fs::ftruncate(&file, bytes)?;
    rustix::fs::fcntl_add_seals(&file, SEALS | SealFlags::SEAL)?;
    let own = format!("/proc/self/fd/{}", file.as_raw_fd());
    let readable = rustix::fs::open(own, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
    // What was opened stays open for writing; readers cannot open it so again.
    rustix::fs::fchmod(&file, Mode::RUSR)?;
    Ok((file.into(), readable))
}

/// What a memory cannot do any more.
#[cfg(target_os = "linux")]
const SEALS: rustix::fs::SealFlags = rustix::fs::SealFlags::SHRINK.union(rustix::fs::SealFlags::GROW);

#[cfg(not(target_os = "linux"))]
fn memory(_: u64) -> io::Result<(File, OwnedFd)> {
    Err(io::Error::new(ErrorKind::Unsupported, "this system has no files without a name"))
}

/// A sink's memory, as a reader has it.
#[derive(Debug)]
pub(super) struct Shared(File);

impl Shared {
    /// One that was handed over; an error where it is something else, which may make a reader wait, or change its length.
    pub fn new(file: OwnedFd) -> io::Result<Self> {
        match is_memory(file.as_fd()) {
            true => Ok(Shared(file.into())),
            false => Err(io::Error::new(ErrorKind::InvalidData, "what it has handed over is no memory")),
        }
    }

    /// Copies what lies `skipped` bytes behind the beginning of the frame in the slot at `at`; whether that is the frame which the stamp says.
    pub fn copy(&self, at: u64, stamp: Stamp, skipped: usize, into: &mut [u8]) -> io::Result<bool> {
        let begin = at.checked_add(STAMP.saturating_add(skipped) as u64);
        self.0.read_exact_at(into, begin.ok_or(ErrorKind::UnexpectedEof)?)?;
        // Pairs with the one in `put`.
        fence(Ordering::SeqCst);
        let mut found = [0; STAMP];
        self.0.read_exact_at(&mut found, at)?;
        Ok(found == stamp.bytes())
    }
}

#[cfg(target_os = "linux")]
fn is_memory(file: std::os::fd::BorrowedFd<'_>) -> bool {
    rustix::fs::fcntl_get_seals(file).is_ok_and(|seals| seals.contains(SEALS))
}

#[cfg(not(target_os = "linux"))]
fn is_memory(_: std::os::fd::BorrowedFd<'_>) -> bool {
    false
}

/// Where the rest of a frame lies: what stands behind the header of a [`Notice`](super::FrameKind::Notice).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Notice {
    /// Where the slot begins.
    pub at: u64,
    /// Bytes of tags and items, or of messages; and how many of them are tags.
    pub body: u32,
    pub tags: u32,
}

/// Bytes of a notice.
const NOTICE: usize = 16;

impl Notice {
    pub fn bytes(self) -> [u8; NOTICE] {
        let mut bytes = [0; NOTICE];
        bytes[..8].copy_from_slice(&self.at.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.body.to_le_bytes());
        bytes[12..].copy_from_slice(&self.tags.to_le_bytes());
        bytes
    }

    /// Reads one, `None` where it is none.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; NOTICE] = bytes.try_into().ok()?;
        let (at, rest) = bytes.split_first_chunk()?;
        let (body, tags) = rest.split_first_chunk()?;
        let notice = Notice {
            at: u64::from_le_bytes(*at),
            body: u32::from_le_bytes(*body),
            tags: u32::from_le_bytes(tags.try_into().ok()?),
        };
        (notice.body as usize <= MOST_SHARED && notice.tags <= notice.body).then_some(notice)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::os::fd::AsRawFd;

    use super::*;

    const fn stamp(sequence: u64) -> Stamp {
        Stamp { stream: 7, sequence }
    }

    fn reader(memory: &SharedMemory) -> Shared {
        Shared::new(memory.readable().try_clone().unwrap()).unwrap()
    }

    #[test]
    fn what_was_put_is_copied_until_the_slot_has_something_else() {
        let memory = SharedMemory::new(2 * SLOT).unwrap();
        let shared = reader(&memory);
        let slot = memory.put(stamp(1), [b"tags", b"items"]).unwrap().unwrap();
        let mut found = [0; 6];
        assert!(shared.copy(slot.at(), stamp(1), 3, &mut found).unwrap());
        assert_eq!(&found, b"sitems");
        assert!(!shared.copy(slot.at(), stamp(2), 3, &mut found).unwrap());
        let at = slot.at();
        let other = memory.put(stamp(2), [b"", b"others"]).unwrap().unwrap();
        assert_ne!(other.at(), at);
        assert!(memory.put(stamp(3), [b"", b"x"]).unwrap().is_none(), "all are in use");
        drop(slot);
        assert!(shared.copy(at, stamp(1), 0, &mut found).unwrap(), "it is still there");
        assert_eq!(memory.put(stamp(3), [b"", &[1; MOST_SHARED]]).unwrap().unwrap().at(), at);
        assert!(!shared.copy(at, stamp(1), 0, &mut found).unwrap());
        assert!(memory.put(stamp(4), [b"1", &[1; MOST_SHARED]]).unwrap().is_none(), "it does not fit");
        assert!(shared.copy(u64::MAX, stamp(1), 0, &mut found).is_err());
        assert!(shared.copy(2 * SLOT as u64, stamp(1), 0, &mut found).is_err());
    }

    #[test]
    fn a_reader_can_neither_write_nor_take_something_else_for_a_memory() {
        let memory = SharedMemory::new(SLOT).unwrap();
        let file = File::from(memory.readable().try_clone().unwrap());
        assert!(file.write_all_at(b"x", 0).is_err());
        assert!(file.set_len(0).is_err() && memory.file.set_len(0).is_err());
        if !rustix::process::geteuid().is_root() {
            let own = format!("/proc/self/fd/{}", file.as_raw_fd());
            assert!(File::options().write(true).open(own).is_err());
        }
        let (pipe, _other) = std::io::pipe().unwrap();
        let file = File::open("/proc/self/exe").unwrap();
        for wrong in [OwnedFd::from(pipe), file.into()] {
            assert_eq!(Shared::new(wrong).unwrap_err().kind(), ErrorKind::InvalidData);
        }
    }

    #[test]
    fn no_frame_is_taken_for_another_while_slots_are_written_over() {
        let memory = SharedMemory::new(SLOT).unwrap();
        let shared = reader(&memory);
        let done = std::sync::atomic::AtomicBool::new(false);
        let (mut right, mut rounds) = (0, 0u64);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for sequence in 0..20_000u64 {
                    let body = [sequence as u8; 1 << 13];
                    drop(memory.put(stamp(sequence), [&body[..10], &body[10..]]).unwrap().unwrap());
                }
                done.store(true, Ordering::Relaxed);
            });
            let mut found = [0; 1 << 13];
            while !done.load(Ordering::Relaxed) || rounds < 1000 {
                rounds += 1;
                // What the sink may be at, or have been at just now.
                let mut now = [0; STAMP];
                shared.0.read_exact_at(&mut now, 0).unwrap();
                let sequence = u64::from_le_bytes(*now.last_chunk().unwrap());
                if shared.copy(0, stamp(sequence), 0, &mut found).unwrap() {
                    right += 1;
                    // A frame is announced when it is whole; here it may be looked at while it is written over its predecessor.
                    let is_one =
                        |byte: &u8| *byte == sequence as u8 || *byte == (sequence as u8).wrapping_sub(1);
                    assert!(found.iter().all(is_one), "{sequence}");
                }
            }
        });
        assert!(right > 0);
    }

    #[test]
    fn a_notice_is_read_as_it_was_written_and_one_that_lies_is_none() {
        let notice = Notice { at: 1 << 40, body: 1000, tags: 10 };
        assert_eq!(Notice::parse(&notice.bytes()), Some(notice));
        assert_eq!(Notice::parse(&notice.bytes()[1..]), None);
        assert_eq!(Notice::parse(&Notice { tags: 1001, ..notice }.bytes()), None);
        assert_eq!(Notice::parse(&Notice { body: SLOT as u32, ..notice }.bytes()), None);
    }
}
