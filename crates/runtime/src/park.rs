//! How a worker sleeps, and how others wake it: a system call only when it sleeps.
//!
//! The order that makes a wake-up impossible to lose:
//!
//! ```text
//! worker:  announce (ASLEEP)      other side:  publish an index
//!          fence                               fence
//!          look at all edges again             ASLEEP? then AWAKE and notify
//!          nothing? sleep while ASLEEP
//! ```
//!
//! Of the two fences one comes first: either the worker's second look sees the index, or the other side sees ASLEEP.

use crate::sync::{AtomicU32, Condvar, Mutex, Ordering, fence};
use std::time::Duration;

const AWAKE: u32 = 0;
const ASLEEP: u32 = 1;

/// The place where one worker sleeps.
#[derive(Debug)]
pub(crate) struct Parker {
    /// Written by the worker (announce, withdraw) and by whoever wakes it; read by whoever publishes.
    state: AtomicU32,
    lock: Mutex<()>,
    bell: Condvar,
}

impl Parker {
    pub fn new() -> Self {
        Parker { state: AtomicU32::new(AWAKE), lock: Mutex::new(()), bell: Condvar::new() }
    }

    /// Says that the worker is about to sleep. After this it must look at everything that could wake it once more.
    pub fn announce(&self) {
        self.state.store(ASLEEP, Ordering::Relaxed);
        // Pairs with the fence of `wake`.
        fence(Ordering::SeqCst);
    }

    /// Takes the announcement back; false if somebody has woken the worker already.
    pub fn withdraw(&self) -> bool {
        self.state.swap(AWAKE, Ordering::Relaxed) == ASLEEP
    }

    /// Sleeps until woken, or until `timeout` has passed.
    ///
    /// Returns false if the time ran out; the announcement is withdrawn then.
    pub fn sleep(&self, timeout: Option<Duration>) -> bool {
        let mut guard = self.lock.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let start = std::time::Instant::now();
        while self.state.load(Ordering::Acquire) == ASLEEP {
            guard = match timeout {
                None => self.bell.wait(guard).unwrap_or_else(|poisoned| poisoned.into_inner()),
                Some(timeout) => {
                    let left = timeout.saturating_sub(start.elapsed());
                    if left.is_zero() {
                        return !self.withdraw();
                    }
                    self.bell.wait_timeout(guard, left).unwrap_or_else(|poisoned| poisoned.into_inner()).0
                }
            };
        }
        true
    }

    /// Whether the worker sleeps, or is about to, and nobody has woken it.
    pub fn is_asleep(&self) -> bool {
        self.state.load(Ordering::Acquire) == ASLEEP
    }

    /// Wakes the worker if it sleeps or is about to; true if it did.
    ///
    /// What the worker is to see must be published before.
    pub fn wake(&self) -> bool {
        // Pairs with the fence of `announce`.
        fence(Ordering::SeqCst);
        self.wake_after_fence()
    }

    /// As [`Parker::wake`], for a caller that has issued the sequentially consistent fence itself.
    #[inline]
    pub fn wake_after_fence(&self) -> bool {
        self.state.load(Ordering::Relaxed) == ASLEEP && self.ring_bell()
    }

    #[cold]
    fn ring_bell(&self) -> bool {
        let woken = self.state.compare_exchange(ASLEEP, AWAKE, Ordering::AcqRel, Ordering::Relaxed).is_ok();
        if woken {
            // The lock makes sure that the worker is either before its check of `state` or inside its wait.
            drop(self.lock.lock().unwrap_or_else(|poisoned| poisoned.into_inner()));
            self.bell.notify_one();
        }
        woken
    }
}
