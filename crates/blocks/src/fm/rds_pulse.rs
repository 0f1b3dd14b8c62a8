//! The pulse of a symbol of RDS.
//!
//! A biphase symbol is an impulse and its opposite half a symbol later. Transmitter and receiver filter it alike, by
//! `H(f) = cos(π f T / 4)` up to `f = 2 / T`: IEC 62106, section 4.7.

use std::f64::consts::{FRAC_PI_4, PI};

/// The largest sum of the magnitudes of pulses that overlap.
const LARGEST: f64 = 1.132_033;

/// The pulse at a time in symbols from its middle, where it is 0; the sum of all pulses of a signal is within ±1. It ends at `half`.
pub(super) fn pulse(time: f64, half: f64) -> f64 {
    let inside = (half - time.abs()).clamp(0.0, 1.0);
    let ending = (PI / 2.0 * inside).sin().powi(2);
    (filtered(time + 0.25) - filtered(time - 0.25)) * ending / LARGEST
}

/// An impulse behind the filter.
fn filtered(time: f64) -> f64 {
    let divisor = 1.0 - 64.0 * time * time;
    if divisor.abs() < 1e-9 { FRAC_PI_4 } else { (4.0 * PI * time).cos() / divisor }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pulse behind the filter of a receiver, at a time from its middle.
    fn received(time: f64) -> f64 {
        (-512..512).map(|n| f64::from(n) / 64.0).map(|at| pulse(at, 4.0) * pulse(at - time, 4.0)).sum()
    }

    #[test]
    fn symbols_do_not_disturb_each_other_behind_both_filters() {
        let level = received(0.0);
        assert!((1..8).all(|n| (received(f64::from(n)) / level).abs() < 1e-3));
        // Half a symbol later the second half of the pulse meets the first one of another.
        assert!((received(0.5) / level + 0.5).abs() < 0.01);
    }
}
