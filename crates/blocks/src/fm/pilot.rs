//! The pilot of stereo, followed.
//!
//! ```text
//! in each window of 1024 samples, by Hann's weights w:
//! p = (2 / N) Σ w[n] x[n] · j exp(−j θ[n])         the pilot's amplitude and phase error
//! φ ← φ + α arg p + f · 1024, f ← f + β arg p      the phase of the next window
//! ```
//!
//! The phase is corrected once a window, so that nothing waits for the last sample. Hann's weights keep sound at 15 kHz and the
//! sidebands of L − R out of the loop.
//!
//! Source: F. M. Gardner, Phaselock Techniques, chapter 4, for the loop; ITU-R BS.450-3, section 2.2, for the pilot.

use superhet_kernels as kernels;
use superhet_runtime::{C32, C64};

use super::PILOT_HZ;

/// Samples in a window.
pub(super) const WINDOW: usize = 1024;

/// Follows the pilot of a multiplex.
#[derive(Clone, Debug)]
pub(super) struct Pilot {
    weights: Vec<f32>,
    /// Turns from sample to sample, nominal and as they are, and the phase at the window's beginning.
    nominal: f64,
    frequency: f64,
    phase: f64,
    /// By how much the frequency may be off.
    most: f64,
    /// `exp(j θ)` for the samples of the window.
    carrier: Vec<C32>,
    angles: Vec<f32>,
    /// Samples of the window so far, and the sum over them.
    taken: usize,
    sum: C64,
    /// Means of the pilot, in phase, and of its power, which noise adds to.
    level: f64,
    power: f64,
    /// Windows so far, up to as many as are averaged.
    windows: f64,
    blend: f32,
}

/// The loop takes away this much of an error of the phase, and adds that much to the frequency.
const ALPHA: f64 = 0.12;
const BETA: f64 = 0.008;
/// The pilot may be 40 Hz off: 2 Hz of its own, and 0.2 % of the receiver's clock.
const MOST_OFF_HZ: f64 = 40.0;
/// Windows over which the level is averaged: about a tenth of a second.
const AVERAGED: f64 = 24.0;
/// The share of the pilot in the power of the window: below the first, there is no stereo, from the second on all of it.
const FROM: f64 = 0.5;
const TO: f64 = 0.9;
/// Below this level there is no pilot, from twice as much on there is one; it should be 0.08 to 0.1.
const LEAST_LEVEL: f64 = 0.02;

impl Pilot {
    pub fn new(rate_hz: f64) -> Self {
        let weight = |n: usize| {
            let turn = (n as f64 + 0.5) / WINDOW as f64;
            (2.0 / WINDOW as f64 * (1.0 - (std::f64::consts::TAU * turn).cos())) as f32
        };
        let mut pilot = Pilot {
            weights: (0..WINDOW).map(weight).collect(),
            nominal: PILOT_HZ / rate_hz,
            frequency: PILOT_HZ / rate_hz,
            phase: 0.0,
            most: MOST_OFF_HZ / rate_hz,
            carrier: vec![C32::ZERO; WINDOW],
            angles: vec![0.0; WINDOW],
            taken: 0,
            sum: C64::ZERO,
            level: 0.0,
            power: 0.0,
            windows: 0.0,
            blend: 0.0,
        };
        pilot.begin();
        pilot
    }

    /// The pilot of the window's samples from the next one on, at most `most` of them: `exp(j θ)`, of which the pilot itself is the
    /// imaginary part; and how much of stereo there is to be, 0 to 1.
    pub fn next(&self, most: usize) -> (&[C32], f32) {
        let end = WINDOW.min(self.taken + most);
        (&self.carrier[self.taken..end], self.blend)
    }

    /// Takes as many samples as `next` has given the pilot of. Those that are not finite count as 0.
    pub fn take(&mut self, x: &[f32]) {
        let range = self.taken..self.taken + x.len();
        let pairs = x.iter().zip(&self.weights[range.clone()]).zip(&self.carrier[range]);
        // Sums of single precision would depend on where the stream is cut.
        let mut sum = self.sum;
        for ((x, weight), carrier) in pairs {
            let x = if x.is_finite() { x * weight } else { 0.0 };
            sum.re += f64::from(x * carrier.re);
            sum.im += f64::from(x * carrier.im);
        }
        self.sum = sum;
        self.taken += x.len();
        if self.taken == WINDOW {
            self.correct();
        }
    }

    /// A window is over.
    fn correct(&mut self) {
        // j · conj(carrier): the sums are of x · cos and x · sin.
        let pilot = C64::new(self.sum.im, self.sum.re);
        let error = if pilot.norm_sqr() > 0.0 { pilot.arg() / std::f64::consts::TAU } else { 0.0 };
        // The first windows are averaged, so that nobody waits for the loop.
        self.windows = (self.windows + 1.0).min(AVERAGED);
        let ahead = self.phase + self.frequency * WINDOW as f64 + ALPHA.max(1.0 / self.windows) * error;
        let frequency = self.frequency + BETA * error / WINDOW as f64;
        self.frequency = frequency.clamp(self.nominal - self.most, self.nominal + self.most);
        self.phase = ahead.fract();
        self.level += (pilot.re - self.level) / self.windows;
        self.power += (pilot.norm_sqr() - self.power) / self.windows;
        let share = if self.power > 0.0 { self.level.max(0.0).powi(2) / self.power } else { 0.0 };
        let good = ((share - FROM) / (TO - FROM)).clamp(0.0, 1.0);
        let strong = (self.level / LEAST_LEVEL - 1.0).clamp(0.0, 1.0);
        self.blend = good.min(strong) as f32;
        (self.taken, self.sum) = (0, C64::ZERO);
        self.begin();
    }

    /// Makes the carrier of a window.
    fn begin(&mut self) {
        for (n, angle) in self.angles.iter_mut().enumerate() {
            *angle = ((self.phase + self.frequency * n as f64).fract() * std::f64::consts::TAU) as f32;
        }
        kernels::expj(&mut self.carrier, &self.angles);
    }

    #[cfg(test)]
    pub fn state(&self) -> (f64, f64, f32) {
        (self.level, self.frequency, self.blend)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::noise;

    fn follow(x: &[f32], rate_hz: f64) -> Pilot {
        let mut pilot = Pilot::new(rate_hz);
        x.chunks(WINDOW).for_each(|x| pilot.take(x));
        pilot
    }

    fn tone(n: usize, hz: f64, rate_hz: f64) -> f32 {
        ((n as f64 * hz / rate_hz + 0.3).fract() * std::f64::consts::TAU).sin() as f32
    }

    #[test]
    fn a_pilot_is_followed_beside_loud_sound() {
        for offset in [-10.0, 0.0, 7.0] {
            let (rate_hz, hz) = (240e3, 19e3 + offset);
            let x: Vec<f32> = (0..WINDOW * 200)
                .map(|n| 0.09 * tone(n, hz, rate_hz) + 0.9 * tone(n, 14.9e3, rate_hz))
                .collect();
            let (level, frequency, blend) = follow(&x, rate_hz).state();
            assert!((level - 0.09).abs() < 0.001, "{level}");
            assert!((frequency * rate_hz - hz).abs() < 0.2, "{}", frequency * rate_hz);
            assert_eq!(blend, 1.0);
        }
    }

    #[test]
    fn noise_and_sound_are_no_pilot() {
        let sound: Vec<f32> = (0..WINDOW * 100).map(|n| tone(n, 1e3, 240e3)).collect();
        for x in [noise(WINDOW * 100), sound, vec![0.0; WINDOW * 100], vec![f32::NAN; WINDOW * 100]] {
            let (level, frequency, blend) = follow(&x, 240e3).state();
            assert!(level.is_finite() && frequency.is_finite());
            assert!(blend < 0.2, "{blend}");
        }
    }
}
