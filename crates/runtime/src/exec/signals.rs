//! What a worker looks at between two calls of a block: whether the graph is to end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock};

use crate::data::RunError;

/// Whether a graph is to end, and why.
#[derive(Debug, Default)]
pub(super) struct Signals {
    /// Sources end, the rest drains.
    pub stopping: AtomicBool,
    /// Everything ends at once.
    pub cancelled: AtomicBool,
    /// What the graph will report: the first error.
    pub error: Mutex<Option<RunError>>,
    /// The same in words, which stay when the error was reported.
    failure: OnceLock<String>,
}

impl Signals {
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Notes an error, if it is the first.
    pub fn note(&self, error: RunError) {
        let mut first = self.error.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        first.get_or_insert(error);
    }

    /// Takes the error out, to report it.
    pub fn take(&self) -> Option<RunError> {
        let error = self.error.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
        error.inspect(|error| _ = self.failure.get_or_init(|| error.to_string()))
    }

    /// The error in words, where there is one, also after it was taken.
    pub fn failure(&self) -> Option<String> {
        let error = self.error.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        error.as_ref().map(ToString::to_string).or_else(|| self.failure.get().cloned())
    }
}
