//! What a worker looks at between two calls of a block: whether the graph is to end.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

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
}
