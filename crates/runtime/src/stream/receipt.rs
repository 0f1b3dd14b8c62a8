//! The outcome of a change.

use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use crate::data::MessageError;

/// The outcome of a change of a parameter: from which item on it holds, or why it never will.
///
/// The item is known when a worker is about to take it. For a change that came in time, all items before are taken then.
/// While a block waits for input, so does the receipt.
#[derive(Clone, Debug, Default)]
pub struct Receipt(Arc<Fate>);

#[derive(Debug, Default)]
struct Fate {
    outcome: Mutex<Option<Result<u64, MessageError>>>,
    /// Rung when there is an outcome.
    known: Condvar,
}

impl Receipt {
    fn outcome(&self) -> MutexGuard<'_, Option<Result<u64, MessageError>>> {
        self.0.outcome.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The item of the block's input from which on the change holds, once that is known.
    pub fn index(&self) -> Option<u64> {
        self.outcome().as_ref().and_then(|outcome| outcome.as_ref().ok().copied())
    }

    /// Waits until the index is known, at most for `timeout`; `None` when the time is up.
    ///
    /// # Errors
    /// [`MessageError::Refused`] where the block did not take the value when its turn came, [`MessageError::Ended`]
    /// where the block had ended by then.
    pub fn wait(&self, timeout: Duration) -> Result<Option<u64>, MessageError> {
        let deadline = Instant::now().checked_add(timeout);
        let mut outcome = self.outcome();
        while outcome.is_none() {
            let left = deadline.map_or(timeout, |end| end.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                return Ok(None);
            }
            outcome =
                (self.0.known.wait_timeout(outcome, left)).unwrap_or_else(|poisoned| poisoned.into_inner()).0;
        }
        outcome.clone().transpose()
    }

    pub(crate) fn resolve(&self, outcome: Result<u64, MessageError>) {
        self.outcome().get_or_insert(outcome);
        self.0.known.notify_all();
    }
}
