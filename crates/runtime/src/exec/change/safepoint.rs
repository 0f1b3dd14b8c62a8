//! The point at which workers wait while their graph is changed.
//!
//! Whoever wants a change requests the safepoint and wakes all workers. Each comes there between two strips, lets go of what it
//! runs, and waits. The last one makes the changes; then all go on.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard};

/// A change of `S`, which all workers share, made while no worker runs anything.
pub(in crate::exec) type Change<S> = Box<dyn FnOnce(&S) + Send>;

pub(in crate::exec) struct Safepoint<S> {
    /// Whether workers are to come.
    pub requested: AtomicBool,
    state: Mutex<State<S>>,
    bell: Condvar,
}

struct State<S> {
    /// Workers that take part and have not ended.
    present: usize,
    paused: usize,
    /// Counts openings.
    epoch: u64,
    changes: VecDeque<(u64, Change<S>)>,
    next: u64,
}

impl<S> std::fmt::Debug for Safepoint<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Safepoint").field("requested", &self.requested).finish_non_exhaustive()
    }
}

impl<S> Safepoint<S> {
    pub fn new(workers: usize) -> Self {
        let changes = VecDeque::new();
        Safepoint {
            requested: AtomicBool::new(false),
            state: Mutex::new(State { present: workers, paused: 0, epoch: 0, changes, next: 0 }),
            bell: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<S>> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Whether workers are to come.
    #[inline(always)]
    pub fn is_requested(&self) -> bool {
        self.requested.load(Ordering::Relaxed)
    }

    /// Requests the safepoint for a change; `None` if no worker is left that could make it. The caller wakes all workers.
    pub fn ask(&self, change: Change<S>) -> Option<u64> {
        let mut state = self.lock();
        if state.present == 0 {
            return None;
        }
        let number = state.next;
        state.next += 1;
        state.changes.push_back((number, change));
        self.requested.store(true, Ordering::SeqCst);
        Some(number)
    }

    /// Takes a change back that was not made yet; false if it was, or is being made.
    pub fn withdraw(&self, number: u64) -> bool {
        let mut state = self.lock();
        let before = state.changes.len();
        state.changes.retain(|(n, _)| *n != number);
        let withdrawn = state.changes.len() < before;
        if state.changes.is_empty() {
            self.open(&mut state);
        }
        withdrawn
    }

    /// A worker has let go of what it runs, and waits until all go on.
    pub fn pause(&self, shared: &S, is_cancelled: impl Fn() -> bool) {
        let mut state = self.lock();
        state.paused += 1;
        let epoch = state.epoch;
        if state.paused == state.present {
            self.change(&mut state, shared);
        }
        while state.epoch == epoch && self.is_requested() && !is_cancelled() {
            state = self.bell.wait(state).unwrap_or_else(|poisoned| poisoned.into_inner());
        }
        if state.epoch == epoch {
            state.paused -= 1;
        }
    }

    /// A worker has ended.
    pub fn leave(&self, shared: &S) {
        let mut state = self.lock();
        state.present -= 1;
        if state.present > 0 && state.paused == state.present {
            self.change(&mut state, shared);
        }
        if state.present == 0 {
            // Nobody is left to make them: who asked hears that by the drop.
            state.changes.clear();
        }
    }

    /// Wakes those that wait, to see that the graph is cancelled.
    pub fn wake_all(&self) {
        drop(self.lock());
        self.bell.notify_all();
    }

    fn change(&self, state: &mut State<S>, shared: &S) {
        while let Some((_, change)) = state.changes.pop_front() {
            change(shared);
        }
        self.open(state);
    }

    fn open(&self, state: &mut State<S>) {
        state.epoch += 1;
        state.paused = 0;
        self.requested.store(false, Ordering::SeqCst);
        self.bell.notify_all();
    }
}
