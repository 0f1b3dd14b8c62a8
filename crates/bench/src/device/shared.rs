//! Helpers that several files here share.

use std::sync::{Mutex, MutexGuard};

use superhet_runtime::C32;

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

pub(super) fn cast(items: &[C32]) -> &[u8] {
    bytemuck::cast_slice(items)
}

pub(super) fn cast_mut(items: &mut [C32]) -> &mut [u8] {
    bytemuck::cast_slice_mut(items)
}
