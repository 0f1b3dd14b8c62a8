//! Tags and messages, for any number of viewers: the newest stay, and each viewer has a place in them.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard};

use tokio::sync::Notify;

/// How many entries stay.
const MOST: usize = 4096;

/// The newest of what came by.
#[derive(Debug)]
pub(crate) struct Log<T> {
    state: Mutex<State<T>>,
    news: Notify,
}

#[derive(Debug)]
struct State<T> {
    /// How many have been forgotten.
    forgotten: u64,
    kept: VecDeque<T>,
}

impl<T> Default for Log<T> {
    fn default() -> Self {
        Log { state: Mutex::new(State { forgotten: 0, kept: VecDeque::new() }), news: Notify::new() }
    }
}

impl<T: Clone> Log<T> {
    /// Adds entries.
    pub fn extend(&self, entries: impl IntoIterator<Item = T>) {
        let mut state = self.lock();
        for entry in entries {
            if state.kept.len() == MOST {
                state.kept.pop_front();
                state.forgotten += 1;
            }
            state.kept.push_back(entry);
        }
        drop(state);
        self.news.notify_waiters();
    }

    /// Has whoever waits look again.
    pub fn wake(&self) {
        self.news.notify_waiters();
    }

    /// How many have come so far.
    pub fn count(&self) -> u64 {
        let state = self.lock();
        state.forgotten + state.kept.len() as u64
    }

    /// At most so many entries behind `place`, which moves; and how many were forgotten before them.
    pub fn after(&self, place: &mut u64, most: usize) -> (Vec<T>, u64) {
        let state = self.lock();
        let lost = state.forgotten.saturating_sub(*place);
        let from = (*place).max(state.forgotten) - state.forgotten;
        let entries: Vec<T> = state.kept.iter().skip(from as usize).take(most).cloned().collect();
        *place = state.forgotten + from + entries.len() as u64;
        (entries, lost)
    }

    /// Waits until there is something behind `place`, or `is_over`.
    pub async fn news(&self, place: u64, is_over: impl Fn() -> bool) {
        loop {
            let notified = self.news.notified();
            tokio::pin!(notified);
            notified.as_mut().enable();
            if self.count() > place || is_over() {
                return;
            }
            notified.await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_viewer_gets_what_came_since_and_hears_what_was_forgotten() {
        let log = Log::default();
        log.extend(0..10);
        let (mut one, mut two) = (log.count(), 4);
        log.extend(10..12);
        assert_eq!(log.after(&mut one, 100), (vec![10, 11], 0));
        assert_eq!(log.after(&mut one, 100), (vec![], 0));
        assert_eq!(log.after(&mut two, 3), (vec![4, 5, 6], 0));
        log.extend(0..MOST as i32);
        assert_eq!(log.after(&mut two, 1), (vec![0], 5));
    }
}
