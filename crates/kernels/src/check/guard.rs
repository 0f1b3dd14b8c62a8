//! Memory between pages that nobody may touch: whoever reads or writes outside of it ends the process.

#![allow(unsafe_code, reason = "pages that nobody may touch")]

use crate::trial::Guard;
use bytemuck::Pod;
use std::marker::PhantomData;
use std::ptr::NonNull;

/// A slice that begins or ends with its page; on both sides lies a page that nobody may touch.
pub(crate) struct Pages<T> {
    /// The mapping, the outer pages included.
    map: NonNull<u8>,
    bytes: usize,
    /// Bytes from there to the slice.
    start: usize,
    len: usize,
    items: PhantomData<T>,
}

impl<T: Pod> Pages<T> {
    /// `len` zeros, with the page on the side of `guard` at once beside them.
    pub(crate) fn new(len: usize, guard: Guard) -> Self {
        // SAFETY: it asks for a number.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        let used = len * size_of::<T>();
        let inner = used.next_multiple_of(page).max(page);
        let bytes = inner + 2 * page;
        // SAFETY: an anonymous mapping at an address of the system's choice touches no other memory.
        let map = unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            libc::mmap(std::ptr::null_mut(), bytes, libc::PROT_NONE, flags, -1, 0)
        };
        assert_ne!(map, libc::MAP_FAILED, "{}", std::io::Error::last_os_error());
        let map = NonNull::new(map.cast::<u8>()).expect("a mapping is not at 0");
        // SAFETY: the pages between the first and the last are part of the mapping.
        let opened = unsafe {
            libc::mprotect(map.add(page).as_ptr().cast(), inner, libc::PROT_READ | libc::PROT_WRITE)
        };
        assert_eq!(opened, 0, "{}", std::io::Error::last_os_error());
        let start = match guard {
            Guard::Before => page,
            Guard::Behind => page + inner - used,
        };
        Self { map, bytes, start, len, items: PhantomData }
    }

    pub(crate) fn items(&self) -> &[T] {
        // SAFETY: `len` items from `start` lie in the open pages, which are zeroed or written as `T`. They start on a page
        // or a whole number of items before the end of one, and the size of items divides a page: aligned for `T`.
        unsafe { std::slice::from_raw_parts(self.map.add(self.start).as_ptr().cast(), self.len) }
    }

    pub(crate) fn items_mut(&mut self) -> &mut [T] {
        // SAFETY: as for `items`, and `self` is borrowed for as long as the slice.
        unsafe { std::slice::from_raw_parts_mut(self.map.add(self.start).as_ptr().cast(), self.len) }
    }
}

impl<T> Drop for Pages<T> {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours alone, and nothing borrows from it any more.
        unsafe { libc::munmap(self.map.as_ptr().cast(), self.bytes) };
    }
}
