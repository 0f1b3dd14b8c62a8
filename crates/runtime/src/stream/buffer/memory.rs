//! The bytes under a buffer: from the heap, or the same pages mapped twice in a row.

#![allow(unsafe_code, reason = "memory from the system")]

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Zeroed bytes that start on a 64-byte line.
#[derive(Debug)]
pub(super) struct Memory {
    base: NonNull<u8>,
    kind: Kind,
    /// How many have it pinned: while any has, it is never given back.
    pins: AtomicUsize,
}

#[derive(Debug)]
enum Kind {
    Heap {
        allocation: NonNull<u8>,
        layout: Layout,
    },
    #[cfg(target_os = "linux")]
    Mirrored {
        bytes: usize,
    },
}

// SAFETY: `Memory` owns its bytes; who may touch which of them when is the business of the buffer above.
unsafe impl Send for Memory {}
// SAFETY: as above; `Memory` itself only hands out the address.
unsafe impl Sync for Memory {}

impl Memory {
    const PAGE: usize = 4096;

    /// `bytes` from the heap, starting `lead` bytes behind a page boundary (a multiple of 64).
    ///
    /// Two buffers 64 to 128 bytes apart modulo the page cost a fifth of the speed of a kernel that reads one and
    /// writes the other, so buffers that are used together get different leads.
    ///
    /// # Errors
    /// Where there is not so much memory.
    pub fn heap(bytes: usize, lead: usize) -> std::io::Result<Self> {
        debug_assert!(lead.is_multiple_of(64));
        let too_much = || std::io::Error::from(std::io::ErrorKind::OutOfMemory);
        // Asked for with a small alignment, large memory comes as pages that are zero without being touched.
        let size = bytes.max(1).checked_add(lead + Self::PAGE).ok_or_else(too_much)?;
        let layout = Layout::from_size_align(size, 16).map_err(|_| too_much())?;
        // SAFETY: the layout's size is at least 1.
        let allocation = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or_else(too_much)?;
        let to_page = allocation.as_ptr().addr().wrapping_neg() % Self::PAGE;
        // SAFETY: `to_page + lead` is at most `PAGE + lead`, which leaves room for `bytes` in the allocation.
        let base = unsafe { allocation.add(to_page + lead) };
        Ok(Memory { base, kind: Kind::Heap { allocation, layout }, pins: AtomicUsize::new(0) })
    }

    /// `bytes` (a multiple of the page size) that appear twice, one copy right behind the other.
    ///
    /// The memory is an anonymous file of this process: it has no name, counts against no limit on shared memory, and
    /// is gone when the mapping is.
    #[cfg(all(target_os = "linux", not(miri)))]
    pub fn mirrored(bytes: usize) -> std::io::Result<Self> {
        use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
        use rustix::mm::{MapFlags, ProtFlags, mmap, mmap_anonymous, munmap};
        use std::ptr::null_mut;

        assert!(bytes > 0 && bytes.is_multiple_of(rustix::param::page_size()), "whole pages only");
        let file = memfd_create("superhet", MemfdFlags::CLOEXEC)?;
        ftruncate(&file, bytes as u64)?;
        // SAFETY: a fresh, unreadable reservation at an address of the system's choice touches no memory of ours.
        let base = unsafe { mmap_anonymous(null_mut(), 2 * bytes, ProtFlags::empty(), MapFlags::PRIVATE)? };
        for copy in 0..2 {
            // SAFETY: the address range lies inside the reservation just made, which nobody else knows.
            let mapped = unsafe {
                mmap(
                    base.byte_add(copy * bytes),
                    bytes,
                    ProtFlags::READ | ProtFlags::WRITE,
                    MapFlags::SHARED | MapFlags::FIXED,
                    &file,
                    0,
                )
            };
            if let Err(error) = mapped {
                // SAFETY: the reservation is ours, and nothing points into it yet.
                unsafe { munmap(base, 2 * bytes)? };
                return Err(error.into());
            }
        }
        let base = NonNull::new(base.cast()).expect("the system maps no buffer at address 0");
        Ok(Memory { base, kind: Kind::Mirrored { bytes }, pins: AtomicUsize::new(0) })
    }

    /// Mirrored memory is not to be had on this system.
    #[cfg(not(all(target_os = "linux", not(miri))))]
    pub fn mirrored(_: usize) -> std::io::Result<Self> {
        Err(std::io::Error::new(std::io::ErrorKind::Unsupported, "no double mapping on this system"))
    }

    /// Keeps the bytes where they are, even beyond the life of `self`, until as many calls say `false`.
    pub fn pin(&self, pinned: bool) {
        match pinned {
            true => self.pins.fetch_add(1, Ordering::Relaxed),
            false => self.pins.fetch_sub(1, Ordering::Relaxed),
        };
    }

    /// How many bytes there are from the first on, each image of them counted.
    pub fn span(&self) -> usize {
        match self.kind {
            Kind::Heap { allocation, layout } => {
                layout.size() - (self.base.as_ptr().addr() - allocation.as_ptr().addr())
            }
            #[cfg(target_os = "linux")]
            Kind::Mirrored { bytes } => 2 * bytes,
        }
    }

    /// The first byte.
    pub fn base(&self) -> NonNull<u8> {
        self.base
    }
}

/// Asks the system for large pages under memory that nothing was written to yet, where it has such.
///
/// Where memory is written for the first time, the system stops at each page to make it: 4 KiB at a time, that takes longer than
/// the writing; 2 MiB at a time, a fraction of it. A block that keeps much asks for each piece of some mebibytes:
/// `ask_for_large_pages(items.spare_capacity_mut())`. It is advice: nothing says whether it was taken.
pub fn ask_for_large_pages<T>(memory: &mut [MaybeUninit<T>]) {
    #[cfg(all(target_os = "linux", not(miri)))]
    {
        use rustix::mm::{Advice, madvise};

        let (base, bytes) = (memory.as_mut_ptr().cast::<u8>(), size_of_val(memory));
        let page = rustix::param::page_size();
        let to_page = base.addr().wrapping_neg() % page;
        let whole = bytes.saturating_sub(to_page) / page * page;
        if whole > 0 {
            // SAFETY: the pages lie in `memory`, whole, since `to_page + whole <= bytes`; this advice leaves alone what they hold.
            let _ = unsafe { madvise(base.add(to_page).cast(), whole, Advice::LinuxHugepage) };
        }
    }
    #[cfg(not(all(target_os = "linux", not(miri))))]
    let _ = memory;
}

impl Drop for Memory {
    fn drop(&mut self) {
        if *self.pins.get_mut() > 0 {
            return;
        }
        match self.kind {
            // SAFETY: allocated with this very layout in `heap`.
            Kind::Heap { allocation, layout } => unsafe { dealloc(allocation.as_ptr(), layout) },
            #[cfg(target_os = "linux")]
            Kind::Mirrored { bytes } => {
                // SAFETY: mapped in `mirrored`, both copies in a row; the owner of the buffer is gone.
                let _ = unsafe { rustix::mm::munmap(self.base.as_ptr().cast(), 2 * bytes) };
            }
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn pinned_memory_stays_until_it_is_unpinned() {
        let memory = Memory::heap(64, 0).unwrap();
        let base = memory.base();
        let Kind::Heap { allocation, layout } = memory.kind else { unreachable!("it was made on the heap") };
        memory.pin(true);
        memory.pin(true);
        memory.pin(false);
        drop(memory);
        // SAFETY: the memory is pinned once more than it was unpinned, so it is there, zeroed; it is freed here, by nobody else.
        let byte = unsafe {
            let byte = base.read();
            dealloc(allocation.as_ptr(), layout);
            byte
        };
        assert_eq!(byte, 0);
    }

    #[test]
    #[cfg_attr(miri, ignore = "nobody is asked there")]
    fn asking_for_large_pages_leaves_memory_as_it_is() {
        for size in [0, 1, 5000, 3 << 20] {
            let mut items: Vec<u8> = Vec::with_capacity(size + 1);
            items.push(7);
            ask_for_large_pages(items.spare_capacity_mut());
            items.resize(size + 1, 9);
            assert!(items[0] == 7 && items[1..].iter().all(|&item| item == 9));
        }
    }
}
