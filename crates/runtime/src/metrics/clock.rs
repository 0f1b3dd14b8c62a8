//! What it costs to look at the clock.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// What reading the clock costs; part of every block's time in a timed sweep.
pub(crate) fn clock_cost() -> Duration {
    static COST: LazyLock<Duration> = LazyLock::new(|| {
        let mut last = Instant::now();
        let mut differences: Vec<Duration> = (0..101)
            .map(|_| {
                let now = Instant::now();
                now - std::mem::replace(&mut last, now)
            })
            .collect();
        differences.sort_unstable();
        differences[differences.len() / 2]
    });
    *COST
}
