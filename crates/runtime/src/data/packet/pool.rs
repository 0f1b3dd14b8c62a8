//! Memory for packets, used again and again: each thread keeps some, and all share the rest.
//!
//! A dropped packet leaves its memory, with the reference count in front of it, to the thread that drops it. So the next
//! packet of that size costs neither an allocation nor a copy. A thread that only drops packets gets too much memory, one
//! that only makes packets too little. The surplus goes in batches to a store that all threads share.

use std::cell::RefCell;
use std::sync::{Arc, Mutex};

use crate::data::value::types::Store;

/// Lines of the smallest packet memory; each class has twice as many as the one before.
const CLASSES: usize = 15;
/// A thread keeps so many bytes of each class, and at least [`KEPT_LEAST`] packets.
const KEPT_BYTES: usize = 1 << 18;
const KEPT_LEAST: usize = 4;
const KEPT_MOST: usize = 1024;
/// The store that all threads share keeps so many times what one thread does.
const SHARED: usize = 8;

type Stack = Vec<Arc<Store>>;

thread_local! {
    static OWN: RefCell<[Stack; CLASSES]> = const { RefCell::new([const { Vec::new() }; CLASSES]) };
}

static COMMON: [Mutex<Stack>; CLASSES] = [const { Mutex::new(Vec::new()) }; CLASSES];

/// The class for so many lines; `None` where such memory is not kept.
#[inline]
fn class_of(lines: usize) -> Option<usize> {
    let class = lines.max(1).next_power_of_two().trailing_zeros() as usize;
    (class < CLASSES).then_some(class)
}

/// How many a thread keeps of a class.
#[inline]
fn kept(class: usize) -> usize {
    (KEPT_BYTES / (64 << class)).clamp(KEPT_LEAST, KEPT_MOST)
}

fn common(class: usize) -> std::sync::MutexGuard<'static, Stack> {
    COMMON[class].lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Unshared memory of at least so many lines, with unspecified content.
#[inline]
pub(super) fn take(lines: usize) -> Arc<Store> {
    let Some(class) = class_of(lines) else { return Arc::new(Store::new(lines)) };
    let kept = OWN.try_with(|own| {
        let stack = &mut own.borrow_mut()[class];
        stack.pop().or_else(|| restock(stack, class))
    });
    kept.ok().flatten().unwrap_or_else(|| Arc::new(Store::new(1 << class)))
}

/// Takes some of the other threads' surplus, and returns one piece of it.
#[cold]
fn restock(stack: &mut Stack, class: usize) -> Option<Arc<Store>> {
    let mut common = common(class);
    let from = common.len().saturating_sub(kept(class) / 2);
    stack.extend(common.drain(from..));
    stack.pop()
}

/// Keeps the memory for later, if it is not shared.
#[inline]
pub(super) fn give_back(mut store: Arc<Store>) {
    let Some(unique) = Arc::get_mut(&mut store) else { return };
    unique.forget();
    let Some(class) = class_of(unique.lines()).filter(|class| unique.lines() == 1 << class) else { return };
    // A thread that is ending keeps nothing.
    let _ = OWN.try_with(|own| {
        let stack = &mut own.borrow_mut()[class];
        if stack.len() >= kept(class) {
            hand_over(stack, class);
        }
        stack.push(store);
    });
}

/// Leaves half of this thread's memory to the others, and drops what exceeds the limit of the store.
#[cold]
fn hand_over(stack: &mut Stack, class: usize) {
    let half = stack.split_off(stack.len() / 2);
    let mut common = common(class);
    let room = (SHARED * kept(class)).saturating_sub(common.len());
    common.extend(half.into_iter().take(room));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_comes_back_and_is_used_again() {
        let store = take(3);
        assert_eq!(store.lines(), 4);
        let address = Arc::as_ptr(&store);
        give_back(store);
        assert_eq!(Arc::as_ptr(&take(4)), address);
    }

    #[test]
    fn memory_that_somebody_else_has_is_not_kept() {
        let store = take(1 << 9);
        let other = store.clone();
        give_back(store);
        assert_ne!(Arc::as_ptr(&take(1 << 9)), Arc::as_ptr(&other));
    }

    #[test]
    fn what_one_thread_only_drops_another_can_take() {
        // A class that no other test uses.
        let class = 11;
        let made: Vec<_> = (0..4 * kept(class)).map(|_| take(1 << class)).collect();
        let addresses: Vec<_> = made.iter().map(|store| Arc::as_ptr(store).addr()).collect();
        std::thread::spawn(move || made.into_iter().for_each(give_back)).join().unwrap();
        assert!(addresses.contains(&Arc::as_ptr(&take(1 << class)).addr()));
    }

    #[test]
    fn large_memory_is_not_kept() {
        assert_eq!(class_of(1 << 14), Some(14));
        assert_eq!(class_of((1 << 14) + 1), None);
        give_back(take(1 << 15));
    }
}
