//! Whom the end of a graph wakes: the task that awaits it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::task::Waker;

/// The task that awaits the end of a graph, where one does.
#[derive(Debug, Default)]
pub(super) struct Awaited {
    waker: Mutex<Option<Waker>>,
    /// Whether a thread of its own looks what keeps the graph from its end.
    is_watched: AtomicBool,
}

impl Awaited {
    fn waker(&self) -> MutexGuard<'_, Option<Waker>> {
        self.waker.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Notes whom to wake; look once more whether the graph has ended after this.
    pub fn by(&self, waker: &Waker) {
        match &mut *self.waker() {
            Some(known) => known.clone_from(waker),
            none => *none = Some(waker.clone()),
        }
    }

    /// The graph has ended.
    pub fn wake(&self) {
        let waker = self.waker().take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Whether a task waits and nobody looks for what keeps the graph from its end yet: the caller is to do it.
    pub fn takes_watch(&self) -> bool {
        self.waker().is_some() && !self.is_watched.swap(true, Ordering::SeqCst)
    }
}
