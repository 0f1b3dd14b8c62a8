//! How workers sleep, and how others wake them: a system call only when one sleeps.
//!
//! The order that makes a wake-up impossible to lose:
//!
//! ```text
//! worker:  announce (one more sleeper)    other side:  publish an index
//!          fence                                       fence
//!          look at all edges again                     any sleeper? then one fewer, one token more, and notify
//!          nothing? sleep until there is a token
//! ```
//!
//! Of the two fences one comes first: either the worker's second look sees the index, or the other side sees the
//! sleeper. Several workers may share a parker; whoever is woken looks at everything, so it does not matter which.

use super::sync::{AtomicU32, Condvar, Mutex, MutexGuard, Ordering, fence};
use std::time::Duration;

/// The place where a worker sleeps, or several that do the same work.
#[derive(Debug)]
pub(crate) struct Parker {
    /// Workers that have announced their sleep and were not woken since. Written by them and by whoever wakes them.
    sleepers: AtomicU32,
    /// Workers that were woken and have not noticed yet.
    tokens: Mutex<u32>,
    bell: Condvar,
}

impl Parker {
    pub fn new() -> Self {
        Parker { sleepers: AtomicU32::new(0), tokens: Mutex::new(0), bell: Condvar::new() }
    }

    fn tokens(&self) -> MutexGuard<'_, u32> {
        self.tokens.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Says that a worker is about to sleep. After this it must look at everything that could wake it once more, and
    /// then either withdraw or sleep.
    pub fn announce(&self) {
        self.sleepers.fetch_add(1, Ordering::Relaxed);
        // Pairs with the fence of `wake`.
        fence(Ordering::SeqCst);
    }

    /// Takes one announcement back; false if it was answered already.
    fn take_back(&self) -> bool {
        let one_fewer = |sleepers: u32| sleepers.checked_sub(1);
        self.sleepers.fetch_update(Ordering::AcqRel, Ordering::Relaxed, one_fewer).is_ok()
    }

    /// Takes the announcement back, without sleeping.
    ///
    /// If it was answered there is a token, or another worker has taken that one and its own announcement is still there.
    pub fn withdraw(&self) {
        let mut tokens = self.tokens();
        if !self.take_back() {
            *tokens -= 1;
        }
    }

    /// Sleeps until woken, or until `timeout` has passed.
    ///
    /// Returns false if the time ran out; the announcement is withdrawn then.
    pub fn sleep(&self, timeout: Option<Duration>) -> bool {
        // A time that no clock reaches is no limit.
        let deadline = timeout.and_then(|timeout| std::time::Instant::now().checked_add(timeout));
        let mut tokens = self.tokens();
        while *tokens == 0 {
            tokens = match deadline {
                None => self.bell.wait(tokens).unwrap_or_else(|poisoned| poisoned.into_inner()),
                Some(end) => {
                    let left = end.saturating_duration_since(std::time::Instant::now());
                    if left.is_zero() {
                        // There is no token, so the announcement is still there.
                        self.take_back();
                        return false;
                    }
                    self.bell.wait_timeout(tokens, left).unwrap_or_else(|poisoned| poisoned.into_inner()).0
                }
            };
        }
        *tokens -= 1;
        true
    }

    /// How many workers sleep, or are about to, and were not woken.
    pub fn sleepers(&self) -> usize {
        self.sleepers.load(Ordering::Acquire) as usize
    }

    /// Wakes one worker if any sleeps or is about to; true if one did.
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
        self.sleepers.load(Ordering::Relaxed) != 0 && self.ring_bell()
    }

    /// Wakes all workers that sleep.
    pub fn wake_all(&self) {
        while self.wake() {}
    }

    #[cold]
    fn ring_bell(&self) -> bool {
        // Under the lock: whoever holds it finds an announcement or a token for each worker that has announced its sleep.
        let mut tokens = self.tokens();
        let woken = self.take_back();
        if woken {
            *tokens += 1;
            self.bell.notify_one();
        }
        woken
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use loom::sync::Arc;
    use loom::sync::atomic::AtomicU32 as Count;

    /// A worker that has found something goes on, though another has taken the token that answered its announcement.
    #[test]
    fn loom_who_withdraws_never_sleeps() {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(3);
        builder.check(|| {
            let parker = Arc::new(Parker::new());
            let withdraws = {
                let parker = parker.clone();
                loom::thread::spawn(move || {
                    parker.announce();
                    parker.withdraw();
                })
            };
            // Wakes the other, or itself, and sleeps if that was itself.
            if parker.wake() {
                parker.announce();
                parker.sleep(Some(Duration::ZERO));
            }
            withdraws.join().unwrap();
            assert_eq!((parker.sleepers(), *parker.tokens()), (0, 0));
        });
    }

    /// Two workers share a parker and take two things that come one after another.
    #[test]
    fn loom_nobody_sleeps_while_there_is_work() {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(2);
        builder.check(|| {
            let parker = Arc::new(Parker::new());
            let things = Arc::new(Count::new(0));
            let workers: Vec<_> = (0..2)
                .map(|_| {
                    let (parker, things) = (parker.clone(), things.clone());
                    loom::thread::spawn(move || {
                        let take = || {
                            let one_fewer = |n: u32| n.checked_sub(1);
                            things.fetch_update(Ordering::AcqRel, Ordering::Acquire, one_fewer).is_ok()
                        };
                        // Each takes one: if one of them sleeps for good, loom reports a deadlock.
                        while !take() {
                            parker.announce();
                            if take() {
                                parker.withdraw();
                                return;
                            }
                            parker.sleep(None);
                        }
                    })
                })
                .collect();
            for _ in 0..2 {
                things.fetch_add(1, Ordering::Release);
                parker.wake();
            }
            workers.into_iter().for_each(|worker| worker.join().unwrap());
        });
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_time_that_no_clock_reaches_is_no_limit() {
        let parker = Parker::new();
        parker.announce();
        assert!(parker.wake());
        assert!(parker.sleep(Some(Duration::MAX)));
    }
}
