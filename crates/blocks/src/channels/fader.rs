//! One path that fades.

use std::f64::consts::TAU;

use superhet_runtime::C32;

use crate::error::{Error, check};
use crate::sources::random::Random;

/// The gain of a path on which many waves arrive, and maybe a stronger one: mean power 1, magnitude of the distribution of Rayleigh, or
/// of Rice.
///
/// # Source
/// C. Xiao, Y. R. Zheng and N. C. Beaulieu, "Novel sum-of-sinusoids simulation models for Rayleigh and Rician fading channels",
/// IEEE Trans. Wireless Communications 5 (12), 2006, equations 9 and 14.
#[derive(Clone, Debug)]
pub(super) struct Fader {
    waves: Vec<Wave>,
    /// The gains of the next items.
    gains: [C32; CHUNK],
    next: usize,
}

/// A wave that arrives.
#[derive(Clone, Copy, Debug)]
struct Wave {
    amplitude: f32,
    /// Turns, and turns from sample to sample.
    phase: f64,
    frequency: f64,
    /// By how much it turns from sample to sample.
    step: C32,
}

/// So many samples are computed from one exact phase.
const CHUNK: usize = 32;
/// The most waves.
pub(super) const MOST_WAVES: usize = 1024;

impl Fader {
    /// A path with so many waves beside the strongest, at most `max_doppler` turns per sample fast.
    pub fn new(waves: usize, max_doppler: f64, k_factor: f64, random: &mut Random) -> Result<Self, Error> {
        check((1..=MOST_WAVES).contains(&waves), "waves", "a whole number from 1 to 1024", waves as f64)?;
        check((0.0..=0.5).contains(&max_doppler), "max_doppler", "0 to 0.5 turns per sample", max_doppler)?;
        check((0.0..=1e6).contains(&k_factor), "k_factor", "a number from 0 to 10⁶", k_factor)?;
        let mut wave = |amplitude: f64, first_turn: f64, turns: f64| {
            let [angle, phase] = random.two().map(f64::from);
            let frequency = max_doppler * (TAU * (first_turn + turns * angle)).cos();
            let step = C32::from_polar(1.0, (TAU * frequency) as f32);
            Wave { amplitude: amplitude as f32, phase, frequency, step }
        };
        let scattered = (1.0 / (waves as f64 * (1.0 + k_factor))).sqrt();
        // Each comes from a direction of its own part of the turn.
        let part = 1.0 / waves as f64;
        let mut waves: Vec<Wave> = (0..waves).map(|n| wave(scattered, n as f64 * part, part)).collect();
        if k_factor > 0.0 {
            waves.push(wave((k_factor / (1.0 + k_factor)).sqrt(), 0.0, 1.0));
        }
        Ok(Fader { waves, gains: [C32::ZERO; CHUNK], next: CHUNK })
    }

    /// The gain of the next item.
    #[inline]
    pub fn gain(&mut self) -> C32 {
        if self.next == CHUNK {
            self.fill();
        }
        self.next += 1;
        self.gains[self.next - 1]
    }

    fn fill(&mut self) {
        self.gains = [C32::ZERO; CHUNK];
        for wave in &mut self.waves {
            let mut now = C32::from_polar(wave.amplitude, (TAU * wave.phase) as f32);
            for gain in &mut self.gains {
                *gain += now;
                now *= wave.step;
            }
            wave.phase = (wave.phase + CHUNK as f64 * wave.frequency).fract();
        }
        self.next = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gains(n: usize, max_doppler: f64, k: f64, seed: u64) -> Vec<C32> {
        let mut fader = Fader::new(24, max_doppler, k, &mut Random::new(seed)).unwrap();
        (0..n).map(|_| fader.gain()).collect()
    }

    fn power(gain: &C32) -> f64 {
        f64::from(gain.norm_sqr())
    }

    #[test]
    fn powers_have_the_distribution_of_rayleigh_and_of_rice() {
        for k in [0.0, 1.0, 10.0] {
            let (mut mean, mut square, mut deep) = (0.0, 0.0, 0.0);
            let (seeds, n) = (40, 5000);
            for seed in 0..seeds {
                for gain in gains(n, 0.02, k, seed) {
                    let power = power(&gain) / (seeds as usize * n) as f64;
                    mean += power;
                    square += power * power * (seeds as usize * n) as f64;
                    deep += f64::from(gain.norm_sqr() < 0.1) / (seeds as usize * n) as f64;
                }
            }
            assert!((mean - 1.0).abs() < 0.02, "{k}: {mean}");
            // The variance of a power of Rice's distribution: (1 + 2K) / (1 + K)²; that of a sum of 24 waves is a 24th less.
            let wanted = (1.0 + 2.0 * k) / (1.0 + k).powi(2);
            assert!((square - mean * mean - wanted).abs() < 0.08 * wanted + 0.01, "{k}: {square}");
            if k == 0.0 {
                // Rayleigh: 1 − exp(−0.1).
                assert!((deep - 0.0952).abs() < 0.01, "{deep}");
            }
        }
    }

    #[test]
    fn the_autocorrelation_is_a_bessel_function() {
        // J₀(2π · 0.01 · lag): Abramowitz and Stegun, table 9.1 at 0, 1, 2 and 4.
        for (argument, wanted) in [(0.0, 1.0), (1.0, 0.765198), (2.0, 0.223891), (4.0, -0.397150)] {
            let doppler = 0.01;
            let lag = (argument / (TAU * doppler)).round() as usize;
            let (seeds, n) = (60, 4000);
            let mut sum = 0.0;
            for seed in 0..seeds {
                let h = gains(n + lag, doppler, 0.0, seed);
                sum += (0..n).map(|t| f64::from((h[t + lag] * h[t].conj()).re)).sum::<f64>() / n as f64;
            }
            let got = sum / seeds as f64;
            assert!((got - wanted).abs() < 0.05, "{argument}: {got}, wanted {wanted}");
        }
    }

    #[test]
    fn no_doppler_is_a_gain_that_stays() {
        let h = gains(500, 0.0, 2.0, 3);
        assert!(h.iter().all(|gain| (gain - h[0]).norm() < 1e-5));
    }
}
