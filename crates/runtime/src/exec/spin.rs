//! How long a worker looks for work before it sleeps, and how long it waits for its turn.
//!
//! To wake a worker costs some tens of microseconds, on both sides, and its processor may have gone to sleep as well. Where a
//! worker's waits are about as short as that, as in a loop of two blocks that answer each other, it is cheaper to look for
//! work for all of them; a worker that mostly waits for longer sleeps soon.

use std::time::Duration;

/// How long a worker waits for its turn. What it has brought along lies in its own cache; to have another worker fetch it from
/// there takes about as long.
pub(super) const WAIT_FOR_TURN: Duration = Duration::from_micros(20);

/// How long any worker looks: waking it costs as much.
const LEAST: Duration = Duration::from_micros(30);
/// What a worker waits for at most on average that looks for longer.
const SHORT: Duration = Duration::from_micros(250);
/// Longer waits count as this: some short ones after a long one, and the worker looks for longer again.
const LONG: Duration = Duration::from_micros(2000);

/// What a worker's last waits say of the next.
pub(super) struct SpinBudget {
    /// About how long the last waits were.
    usual: Duration,
}

impl SpinBudget {
    pub fn new() -> Self {
        SpinBudget { usual: LONG }
    }

    /// The worker had nothing to do for so long.
    pub fn waited(&mut self, time: Duration) {
        self.usual = (3 * self.usual + time.min(LONG)) / 4;
    }

    /// How long to look for work now.
    pub fn time(&self) -> Duration {
        if self.usual < SHORT { (2 * self.usual).max(LEAST) } else { LEAST }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_shortly_looks_for_all_of_it_and_one_long_wait_ends_that() {
        let mut patience = SpinBudget::new();
        assert_eq!(patience.time(), LEAST);
        (0..20).for_each(|_| patience.waited(Duration::from_micros(100)));
        assert!(patience.time() > Duration::from_micros(180), "{:?}", patience.time());
        patience.waited(Duration::from_secs(1));
        assert_eq!(patience.time(), LEAST);
        (0..20).for_each(|_| patience.waited(Duration::from_micros(100)));
        assert!(patience.time() > Duration::from_micros(180), "{:?}", patience.time());
        (0..20).for_each(|_| patience.waited(Duration::from_micros(5)));
        assert_eq!(patience.time(), LEAST);
    }
}
