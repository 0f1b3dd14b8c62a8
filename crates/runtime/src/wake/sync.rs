//! Atomics, locks and threads: std's, or loom's under `--cfg loom`.
//!
//! Only code that loom checks takes its primitives from here: the ring's indices, its lent items, the parker, and the flag
//! that asks for a lane.

#[cfg(loom)]
pub(crate) use loom::sync::{
    Condvar, Mutex, MutexGuard,
    atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering, fence},
};
#[cfg(not(loom))]
pub(crate) use std::sync::{
    Condvar, Mutex, MutexGuard,
    atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering, fence},
};

/// One value on cache lines of its own: two lines, since processors fetch them in pairs.
#[repr(align(128))]
#[derive(Debug)]
pub(crate) struct Padded<T>(pub T);

impl<T> std::ops::Deref for Padded<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}
