//! Where in a channel there is a burst, by its power beside that of the noise.

use std::collections::VecDeque;

use superhet_runtime::C32;

/// A hop has so many symbols: fewer than a burst sends before its frame begins.
const HOP_SYMBOLS: f64 = 8.0;
/// A hop is loud from so many times the noise on. The noise is told by its quietest hops, so that this is 2.2 times its mean power.
/// A burst of which half of the frames are read has 5 times the mean.
const LOUD: f32 = 3.5;
/// By how much the noise that is told rises or falls with a hop: with ten times as much down as up, a tenth of the hops is quieter.
const RISES: f32 = 0.004;
const FALLS: f32 = 0.04;
/// The noise is taken to be so much less at first, so that a recording may begin with a burst.
const UNSURE: f32 = 64.0;
/// The gate stays open for so many hops behind a loud one.
const HOLD: u32 = 4;

/// Says of each sample whether a burst may be there, by the hops before it: a burst opens the gate before 16 of its symbols have gone by.
#[derive(Clone, Debug)]
pub struct Gate {
    /// Samples of a hop.
    hop: u64,
    /// Of the hop that is not whole: its power, and its samples.
    power: f32,
    filled: u64,
    noise: f32,
    /// Hops since the last loud one.
    quiet: u32,
    /// Whether the gate is open behind each of the last hops, of which the first has the number `first`.
    is_open: VecDeque<bool>,
    first: u64,
}

impl Gate {
    /// For so many samples a symbol.
    pub fn new(symbol_samples: f64) -> Gate {
        let hop = ((HOP_SYMBOLS * symbol_samples).round() as u64).max(1);
        let (power, filled, noise, quiet) = (0.0, 0, 0.0, 0);
        Gate { hop, power, filled, noise, quiet, is_open: VecDeque::new(), first: 0 }
    }

    /// Takes the next samples.
    pub fn take(&mut self, x: &[C32]) {
        for x in x {
            let power = x.re * x.re + x.im * x.im;
            self.power += if power.is_finite() { power } else { 0.0 };
            self.filled += 1;
            if self.filled == self.hop {
                self.end_hop();
            }
        }
    }

    fn end_hop(&mut self) {
        let power = self.power.min(f32::MAX);
        (self.power, self.filled) = (0.0, 0);
        if self.noise == 0.0 {
            self.noise = power / UNSURE;
        }
        self.quiet = if power > LOUD * self.noise { 0 } else { self.quiet.saturating_add(1) };
        self.is_open.push_back(self.quiet <= HOLD);
        // Samples that are zero are none of a radio's.
        if power > 0.0 {
            self.noise *= if power < self.noise { 1.0 - FALLS } else { 1.0 + RISES };
        }
    }

    /// Whether a burst may be at this sample, of those that were taken; asked with rising numbers only.
    pub fn is_open(&mut self, sample: u64) -> bool {
        let Some(hop) = (sample / self.hop).checked_sub(1) else { return true };
        while self.first < hop && self.is_open.pop_front().is_some() {
            self.first += 1;
        }
        self.is_open.front().copied().unwrap_or(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::complex_noise;

    /// Where it is open.
    fn open(samples: &[C32], cut: usize) -> Vec<bool> {
        let mut gate = Gate::new(5.0);
        let mut said = Vec::new();
        for x in samples.chunks(cut) {
            gate.take(x);
            (0..x.len()).for_each(|_| said.push(gate.is_open(said.len() as u64)));
        }
        said
    }

    #[test]
    fn noise_is_passed_over_and_a_weak_burst_is_not() {
        let mut samples = complex_noise(200_000);
        let power = samples.iter().map(|x| x.norm_sqr()).sum::<f32>() / 200_000.0;
        // 5 dB above the noise, for a slot; and a strong one before it.
        let (strong, weak) = (120_000..121_280, 150_000..151_280);
        for (place, level) in [(strong, 100.0), (weak.clone(), 3.2)] {
            samples[place].iter_mut().for_each(|x| *x += C32::new((power * level).sqrt(), 0.0));
        }
        let said = open(&samples, 8192);
        assert!(said[weak.start + 80..weak.end].iter().all(|open| *open));
        let idle = said[70_000..110_000].iter().filter(|open| **open).count();
        assert!(idle < 40_000 / 8, "{idle} of 40000");
        for cut in [1, 39, 40, 1000] {
            assert_eq!(open(&samples, cut), said, "{cut}");
        }
    }

    #[test]
    fn a_burst_between_zeros_and_one_at_the_start_are_there() {
        let mut samples = vec![C32::ZERO; 4000];
        samples[..1280].fill(C32::new(0.5, 0.0));
        samples[2500..3780].fill(C32::new(0.5, 0.0));
        let said = open(&samples, 512);
        assert!(said[..1280].iter().chain(&said[2580..3780]).all(|open| *open));
        assert!(!said[2400]);
    }

    #[test]
    fn what_is_no_number_does_not_keep_it_open_or_shut() {
        let mut samples = complex_noise(60_000);
        samples[1000] = C32::new(f32::NAN, f32::INFINITY);
        samples[1001] = C32::new(1e30, 1e30);
        samples[55_000..56_280].iter_mut().for_each(|x| *x += C32::new(8.0, 0.0));
        assert!(open(&samples, 777)[55_080..56_280].iter().all(|open| *open));
    }
}
