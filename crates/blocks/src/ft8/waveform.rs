//! The signal: frequency shift keying with a Gaussian filter.

use std::f64::consts::{LN_2, PI, TAU};

use super::mode::{Mode, RATE_HZ};

/// The error function (Abramowitz and Stegun, 7.1.26: right to 1.5e-7).
fn erf(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.327_591_1 * x.abs());
    let series = ((((1.061_405_429 * t - 1.453_152_027) * t + 1.421_413_741) * t - 0.284_496_736) * t
        + 0.254_829_592)
        * t;
    (1.0 - series * (-x * x).exp()).copysign(x)
}

/// How much of a symbol's frequency holds at each sample of its own time and that of a symbol before and behind.
fn pulse(bt: f64, samples: usize) -> Vec<f64> {
    let slope = PI * (2.0 / LN_2).sqrt() * bt;
    let at = |n: usize| (n as f64 + 0.5) / samples as f64 - 1.5;
    (0..3 * samples).map(|n| 0.5 * (erf(slope * (at(n) + 0.5)) - erf(slope * (at(n) - 0.5)))).collect()
}

/// The phase of each sample of symbols with these tones, in radians; tone 0 at `frequency` cycles per sample.
pub fn phases(mode: Mode, tones: &[u8], samples: usize, frequency: f64) -> Vec<f64> {
    let pulse = pulse(mode.bt(), samples);
    // The symbols at the ends go on beyond them.
    let tone = |n: isize| f64::from(tones[n.clamp(0, tones.len() as isize - 1) as usize]);
    let mut phase = 0.0;
    let mut phases = Vec::with_capacity(tones.len() * samples);
    for symbol in 0..tones.len() as isize {
        for n in 0..samples {
            phases.push(phase);
            let shift = tone(symbol - 1) * pulse[2 * samples + n]
                + tone(symbol) * pulse[samples + n]
                + tone(symbol + 1) * pulse[n];
            phase = (phase + TAU * (frequency + shift / samples as f64)) % TAU;
        }
    }
    phases
}

/// A signal with these tones, from −1 to 1: tone 0 at a frequency, Hz. It rises and falls over an eighth of its first and last symbol;
/// FT4 has a symbol more at each end for that.
pub fn samples(mode: Mode, tones: &[u8], frequency_hz: f64) -> Vec<f64> {
    let symbol = mode.symbol_samples();
    let (tones, ramp) = match mode {
        Mode::Ft8 => (tones.to_vec(), symbol / 8),
        Mode::Ft4 => ([&[0], tones, &[0]].concat(), symbol),
    };
    let phases = phases(mode, &tones, symbol, frequency_hz / RATE_HZ);
    let level = |n: usize| {
        let inside = (n as f64 + 0.5).min(phases.len() as f64 - n as f64 - 0.5) / ramp as f64;
        if inside < 1.0 { 0.5 - 0.5 * (PI * inside).cos() } else { 1.0 }
    };
    phases.iter().enumerate().map(|(n, phase)| level(n) * phase.sin()).collect()
}
