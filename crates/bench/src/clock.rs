//! The clock of the processor while it works.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Measured cycles per second. The measure is a chain of additions and rotations. Each waits for the one before, and takes
/// one cycle on every processor that we know of. The time stamp counter would not do: it counts at a fixed rate, whatever
/// the clock is.
pub fn hz() -> f64 {
    const STEPS: u32 = 10_000;
    const CYCLES_PER_STEP: u32 = 2;
    let chain = || {
        let start = Instant::now();
        let mut x = black_box(1u64);
        let addend = black_box(0x9e37_79b9_7f4a_7c15);
        for _ in 0..STEPS {
            x = x.wrapping_add(addend).rotate_left(7);
        }
        black_box(x);
        start.elapsed()
    };
    // Interruptions only add to it.
    let shortest = (0..10).map(|_| chain()).min().unwrap_or(Duration::MAX);
    f64::from(STEPS * CYCLES_PER_STEP) / shortest.as_secs_f64()
}
