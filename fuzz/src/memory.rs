//! Memory that a target takes beside its input.
//!
//! The allocator of the process counts what each thread holds; [`within`] asks how much that was at most. So a length
//! that is believed, and a value that is a hundred times as large as what it was read from, are found as such and not
//! only where they fill the machine.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// What any target may take, however short its input is: tables, error texts, first buffers.
pub const FREE: usize = 1 << 20;

struct Counting;

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    // A thread that ends frees memory after its counters are gone.
    let _ = HELD.try_with(|held| {
        let now = held.get().wrapping_add(bytes);
        held.set(now);
        let _ = MOST.try_with(|most| most.set(most.get().max(now)));
    });
}

// SAFETY: every method hands its arguments on to `System`, which keeps the contract; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: as this method.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: as this method.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: as this method.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as isize - layout.size() as isize);
        // SAFETY: as this method.
        unsafe { System.realloc(memory, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Runs `work`; panics if it held more than [`FREE`] and `times` as many bytes as its input has. Counts this thread only.
pub fn within<T>(input: &[u8], times: usize, work: impl FnOnce() -> T) -> T {
    let before = HELD.get();
    MOST.set(before);
    let result = work();
    let held = usize::try_from(MOST.get() - before).unwrap_or(0);
    let limit = FREE + times * input.len();
    assert!(
        held <= limit,
        "{held} bytes were held for an input of {}, expected at most {limit}",
        input.len()
    );
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_out_of_proportion_is_found() {
        within(&[0; 100], 100, || vec![0u8; FREE]);
        let too_much = std::panic::catch_unwind(|| within(&[0; 100], 100, || drop(vec![0u8; FREE + 20_000])));
        assert!(too_much.is_err());
    }
}
