//! Where messages may be: the synchronisation patterns in a spectrogram.

use std::sync::Arc;

use superhet_fft::Complex32;
use superhet_fft::{Fft, FftPlanner};

use super::mode::Mode;

/// Steps of time in a symbol, and of frequency between two tones.
pub const STEPS: usize = 4;
pub const FINE: usize = 2;

/// The power in each bin of frequency at each step of time.
pub struct Spectrogram {
    bins: usize,
    power: Vec<f32>,
    /// The power in a bin of noise of variance 1.
    gain: f32,
}

/// A place where a message may be.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// The step of time that it begins with, and the bin of its lowest tone.
    pub step: isize,
    pub bin: usize,
    /// The power of the tones that there should be by that of the others.
    pub score: f32,
}

pub struct Search {
    mode: Mode,
    fft: Arc<dyn Fft<f32>>,
    window: Vec<f32>,
}

impl Search {
    pub fn new(mode: Mode) -> Search {
        let samples = mode.symbol_samples();
        let fft = FftPlanner::new().plan_fft_forward(FINE * samples);
        // A window that is soft at its ends only: the tones stay apart.
        let edge = samples / 8;
        let window = (0..samples)
            .map(|n| {
                let n = n.min(samples - 1 - n);
                if n >= edge {
                    1.0
                } else {
                    0.5 - 0.5 * (std::f32::consts::PI * (n as f32 + 0.5) / edge as f32).cos()
                }
            })
            .collect();
        Search { mode, fft, window }
    }

    /// The width of a bin, Hz.
    pub fn bin_hz(&self) -> f64 {
        self.mode.spacing_hz() / FINE as f64
    }

    /// Samples of a step.
    pub fn step_samples(&self) -> usize {
        self.mode.symbol_samples() / STEPS
    }

    /// The spectrogram of samples up to a frequency.
    pub fn spectrogram(&self, samples: &[f32], max_frequency_hz: f64) -> Spectrogram {
        let symbol = self.mode.symbol_samples();
        let bins = ((max_frequency_hz / self.bin_hz()).ceil() as usize + 1).min(symbol * FINE / 2);
        let steps = samples.len().saturating_sub(symbol) / self.step_samples() + 1;
        let mut power = vec![0.0; bins * steps];
        let mut buffer = vec![Complex32::default(); FINE * symbol];
        let mut scratch = vec![Complex32::default(); self.fft.get_inplace_scratch_len()];
        // Two steps in one transform: as real and as imaginary part.
        for pair in 0..steps.div_ceil(2) {
            buffer.fill(Complex32::default());
            let start = 2 * pair * self.step_samples();
            let part = |start: usize| samples.get(start..start + symbol);
            if let Some(first) = part(start) {
                buffer
                    .iter_mut()
                    .zip(first)
                    .zip(&self.window)
                    .for_each(|((to, from), window)| to.re = from * window);
            }
            let second = part(start + self.step_samples()).filter(|_| 2 * pair + 1 < steps);
            if let Some(second) = second {
                buffer
                    .iter_mut()
                    .zip(second)
                    .zip(&self.window)
                    .for_each(|((to, from), window)| to.im = from * window);
            }
            self.fft.process_with_scratch(&mut buffer, &mut scratch);
            for bin in 0..bins {
                let (a, b) = (buffer[bin], buffer[(buffer.len() - bin) % buffer.len()].conj());
                power[2 * pair * bins + bin] = (a + b).norm_sqr() / 4.0;
                if second.is_some() {
                    power[(2 * pair + 1) * bins + bin] = (a - b).norm_sqr() / 4.0;
                }
            }
        }
        let gain = self.window.iter().map(|weight| weight * weight).sum();
        Spectrogram { bins, power, gain }
    }

    /// The places with the highest scores from this one on, the highest first, for messages that begin at one of the steps.
    pub fn candidates(
        &self,
        power: &Spectrogram,
        starts: std::ops::Range<isize>,
        bins: std::ops::Range<usize>,
        least: f32,
        most: usize,
    ) -> Vec<Candidate> {
        let tones = self.mode.tones();
        let width = (tones - 1) * FINE + 1;
        let bins = bins.start..bins.end.min(power.bins.saturating_sub(width));
        // The power of all tones, for each bin as the lowest.
        let mut all = vec![0.0f32; power.power.len()];
        for (all, row) in all.chunks_mut(power.bins).zip(power.power.chunks(power.bins)) {
            for bin in 0..row.len().saturating_sub(width) {
                all[bin] = (0..tones).map(|tone| row[bin + FINE * tone]).sum();
            }
        }
        let rows = (power.power.len() / power.bins) as isize;
        let sync: Vec<(usize, usize)> = self
            .mode
            .sync()
            .iter()
            .flat_map(|(start, tones)| {
                tones
                    .iter()
                    .enumerate()
                    .map(move |(n, tone)| ((start + n) * STEPS, FINE * usize::from(*tone)))
            })
            .collect();
        let count = bins.len();
        let mut scores = vec![0.0f32; starts.len() * count];
        let symbols = sync.len() as f32;
        for (score, start) in scores.chunks_mut(count).zip(starts.clone()) {
            for &(step, tone) in &sync {
                let row = start + step as isize;
                if (0..rows).contains(&row) {
                    let at = row as usize * power.bins + bins.start;
                    let tone_row = &power.power[at + tone..at + tone + count];
                    let all_row = &all[at..at + count];
                    for ((score, tone), all) in score.iter_mut().zip(tone_row).zip(all_row) {
                        *score += if *all > 0.0 { tone / all * tones as f32 } else { 1.0 };
                    }
                } else {
                    score.iter_mut().for_each(|score| *score += 1.0);
                }
            }
            score.iter_mut().for_each(|score| *score /= symbols);
        }
        // Those that no neighbour exceeds.
        let at = |step: isize, bin: isize| {
            let inside = (0..starts.len() as isize).contains(&step) && (0..count as isize).contains(&bin);
            if inside { scores[step as usize * count + bin as usize] } else { 0.0 }
        };
        let mut found = Vec::new();
        for step in 0..starts.len() as isize {
            for bin in 0..count as isize {
                let score = at(step, bin);
                if score < least {
                    continue;
                }
                let is_peak = (-2..=2).all(|a| {
                    (-1..=1).all(|b| {
                        let other = at(step + a, bin + b);
                        other < score || other == score && (a, b) >= (0, 0)
                    })
                });
                if is_peak {
                    found.push(Candidate {
                        step: starts.start + step,
                        bin: bins.start + bin as usize,
                        score,
                    });
                }
            }
        }
        found.sort_by(|a, b| b.score.total_cmp(&a.score));
        found.truncate(most);
        found
    }
}

impl Spectrogram {
    /// The variance of the samples' noise, by the bins near a message: the level that three tenths of them lie below, taken as white
    /// noise.
    pub fn noise(&self, bins: std::ops::Range<usize>, steps: std::ops::Range<isize>) -> f32 {
        let rows = (self.power.len() / self.bins) as isize;
        let mut near: Vec<f32> = steps
            .step_by(STEPS)
            .filter(|row| (0..rows).contains(row))
            .flat_map(|row| {
                let at = row as usize * self.bins;
                let (first, last) = (at + bins.start.min(self.bins), at + bins.end.min(self.bins));
                self.power[first..last].iter().copied()
            })
            .filter(|power| *power > 0.0)
            .collect();
        if near.is_empty() {
            return f32::MIN_POSITIVE;
        }
        let place = near.len() * 3 / 10;
        let (_, level, _) = near.select_nth_unstable_by(place, f32::total_cmp);
        // Power of noise is distributed exponentially.
        *level / -(0.7f32).ln() / self.gain
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ft8::mode::RATE_HZ;
    use crate::ft8::waveform::samples;
    use crate::testing::noise;

    #[test]
    fn the_best_candidate_is_where_the_message_is() {
        let mode = Mode::Ft4;
        let search = Search::new(mode);
        let mut audio: Vec<f32> = noise(80_000).iter().map(|x| 0.1 * x).collect();
        let signal = samples(mode, &mode.tones_of(0x1234_5678), 1000.0);
        audio[10_000..].iter_mut().zip(signal).for_each(|(to, from)| *to += 0.1 * from as f32);
        let power = search.spectrogram(&audio, 3000.0);
        let found = search.candidates(&power, 0..200, 0..250, 2.0, 10);
        let start = (10_000 + mode.symbol_samples()) as f64 / search.step_samples() as f64;
        assert!(
            (found[0].step as f64 - start).abs() < 1.0
                && (found[0].bin as f64 - 1000.0 / search.bin_hz()).abs() < 1.0,
            "{found:?}"
        );
        // Variance 0.01 / 3.
        let variance = power.noise(0..250, 0..400);
        assert!((0.8..1.2).contains(&(variance / (0.01 / 3.0))), "{variance}");
        assert_eq!(RATE_HZ / 576.0, mode.spacing_hz());
    }
}
