//! Signals that were read, taken out of the samples, so that weaker ones below them can be read.

use superhet_fft::Complex32;

use super::demod::SYMBOL;
use super::mode::{Mode, RATE_HZ};
use super::waveform::phases;

/// A signal in a window of samples.
pub struct Signal {
    pub mode: Mode,
    pub tones: Vec<u8>,
    /// The sample of the window that it begins with; before it, if less than 0.
    pub start: isize,
    pub frequency_hz: f64,
    /// What was taken out of the window.
    taken: Vec<f32>,
}

impl Signal {
    pub fn new(mode: Mode, tones: Vec<u8>, start: isize, frequency_hz: f64) -> Signal {
        Signal { mode, tones, start, frequency_hz, taken: Vec::new() }
    }

    /// Where its samples lie in a window of this length.
    fn place(&self, n: usize, length: usize) -> Option<usize> {
        usize::try_from(self.start + n as isize).ok().filter(|at| *at < length)
    }

    /// Puts back what was taken out, and takes it out again, by what is there now.
    pub fn take_again(&mut self, window: &mut [f32]) {
        for (n, sample) in self.taken.iter().enumerate() {
            if let Some(at) = self.place(n, window.len()) {
                window[at] += sample;
            }
        }
        self.take(window);
    }

    /// Finds its start to some samples, and takes it out of a window. The mean power of its symbols: the square of the sum of the
    /// samples turned to 0 Hz.
    pub fn take(&mut self, window: &mut [f32]) -> f32 {
        let symbol = self.mode.symbol_samples();
        let reference: Vec<Complex32> = phases(self.mode, &self.tones, symbol, self.frequency_hz / RATE_HZ)
            .into_iter()
            .map(|phase| Complex32::new(phase.cos() as f32, phase.sin() as f32))
            .collect();
        let power_at = |start: isize| -> f32 {
            let (mut power, mut count) = (0.0, 0);
            for (n, part) in reference.chunks(symbol).enumerate() {
                let at = usize::try_from(start + (n * symbol) as isize).ok();
                if let Some(samples) = at.and_then(|at| window.get(at..at + symbol)) {
                    power += samples
                        .iter()
                        .zip(part)
                        .map(|(sample, part)| part.conj() * *sample)
                        .sum::<Complex32>()
                        .norm_sqr();
                    count += 1;
                }
            }
            power / count.max(1) as f32
        };
        // From half a sample of the demodulator on, in halves.
        let mut best = (self.start, power_at(self.start));
        let mut step = (symbol / SYMBOL / 2) as isize;
        while step >= 2 {
            for start in [best.0 - step, best.0 + step] {
                let power = power_at(start);
                if power > best.1 {
                    best = (start, power);
                }
            }
            step /= 2;
        }
        self.start = best.0;
        // Its amplitude changes slowly: it is what the reference turns to 0 Hz, smoothed.
        let turned: Vec<Complex32> = reference
            .iter()
            .enumerate()
            .map(|(n, part)| {
                self.place(n, window.len()).map_or(Complex32::default(), |at| part.conj() * window[at])
            })
            .collect();
        let amplitude = smooth(&turned, symbol * SMOOTHED.0 / SMOOTHED.1);
        self.taken =
            reference.iter().zip(&amplitude).map(|(part, amplitude)| 2.0 * (part * amplitude).re).collect();
        for (n, sample) in self.taken.iter().enumerate() {
            if let Some(at) = self.place(n, window.len()) {
                window[at] -= sample;
            }
        }
        best.1
    }
}

/// The amplitude is smoothed over so many symbols, by a fraction: longer, it misses what fading does, shorter, it takes a weak signal
/// on the same frequency away, too.
const SMOOTHED: (usize, usize) = (7, 5);

/// The mean around each item, weighted by a triangle of this width; at the ends over what is there.
fn smooth(items: &[Complex32], width: usize) -> Vec<Complex32> {
    // A triangle is a mean of means.
    mean(&mean(items, width / 2), width / 2)
}

fn mean(items: &[Complex32], width: usize) -> Vec<Complex32> {
    let mut sums = Vec::with_capacity(items.len() + 1);
    let mut sum = (0.0f64, 0.0f64);
    sums.push(sum);
    for item in items {
        sum = (sum.0 + f64::from(item.re), sum.1 + f64::from(item.im));
        sums.push(sum);
    }
    (0..items.len())
        .map(|n| {
            let (first, last) = (n.saturating_sub(width / 2), (n + width / 2 + 1).min(items.len()));
            let count = (last - first) as f64;
            Complex32::new(
                ((sums[last].0 - sums[first].0) / count) as f32,
                ((sums[last].1 - sums[first].1) / count) as f32,
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::noise;

    #[test]
    fn what_is_taken_out_leaves_the_noise() {
        let mode = Mode::Ft4;
        let tones = mode.tones_of(0x1234_5678_9abc_def0);
        let phases = phases(mode, &tones, mode.symbol_samples(), 1000.3 / RATE_HZ);
        let mut window: Vec<f32> = noise(70_000).iter().map(|noise| 0.01 * noise).collect();
        let power = |samples: &[f32]| samples.iter().map(|x| x * x).sum::<f32>() / samples.len() as f32;
        let before = power(&window);
        for (sample, phase) in window[5003..].iter_mut().zip(&phases) {
            *sample += phase.cos() as f32;
        }
        let mut signal = Signal::new(mode, tones, 5010, 1000.25);
        let found = signal.take(&mut window);
        let symbol = mode.symbol_samples() as f32;
        assert!((found / (symbol * symbol / 4.0) - 1.0).abs() < 0.02, "{found}");
        assert!((signal.start - 5003).abs() <= 2, "{}", signal.start);
        assert!(power(&window) < 3.0 * before, "{} of {before}", power(&window));
        let once = window.clone();
        signal.take_again(&mut window);
        assert!(once.iter().zip(&window).all(|(a, b)| (a - b).abs() < 0.02));
    }
}
