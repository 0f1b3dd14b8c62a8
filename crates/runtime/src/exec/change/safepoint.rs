//! The point at which workers wait while their graph is changed.
//!
//! Whoever wants a change requests the safepoint and wakes all workers. Each comes there between two strips, lets go of what it
//! runs, and waits. The last one makes the changes; then all go on.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard};

use crate::exec::shared::Shared;

/// A change, made while no worker runs anything.
pub(in crate::exec) type Change = Box<dyn FnOnce(&Shared) + Send>;

#[derive(Default)]
pub(in crate::exec) struct Safepoint {
    requested: AtomicBool,
    state: Mutex<State>,
    bell: Condvar,
}

#[derive(Default)]
struct State {
    /// Workers that take part and have not ended.
    present: usize,
    paused: usize,
    /// Counts openings.
    epoch: u64,
    changes: VecDeque<(u64, Change)>,
    next: u64,
}

impl std::fmt::Debug for Safepoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Safepoint").field("requested", &self.requested).finish_non_exhaustive()
    }
}

impl Safepoint {
    pub fn new(workers: usize) -> Self {
        Safepoint {
            state: Mutex::new(State { present: workers, ..State::default() }),
            ..Safepoint::default()
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Whether workers are to come.
    #[inline(always)]
    pub fn is_requested(&self) -> bool {
        self.requested.load(Ordering::Relaxed)
    }

    /// Requests the safepoint for a change; `None` if no worker is left that could make it. The caller wakes all workers.
    pub fn ask(&self, change: Change) -> Option<u64> {
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
    pub fn pause(&self, shared: &Shared) {
        let mut state = self.lock();
        state.paused += 1;
        let epoch = state.epoch;
        if state.paused == state.present {
            self.change(&mut state, shared);
        }
        while state.epoch == epoch && self.is_requested() && !shared.is_cancelled() {
            state = self.bell.wait(state).unwrap_or_else(|poisoned| poisoned.into_inner());
        }
        if state.epoch == epoch {
            state.paused -= 1;
        }
    }

    /// A worker has ended.
    pub fn leave(&self, shared: &Shared) {
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

    fn change(&self, state: &mut State, shared: &Shared) {
        while let Some((_, change)) = state.changes.pop_front() {
            change(shared);
        }
        self.open(state);
    }

    fn open(&self, state: &mut State) {
        state.epoch += 1;
        state.paused = 0;
        self.requested.store(false, Ordering::SeqCst);
        self.bell.notify_all();
    }
}
