//! A stream that is resampled by a little more or less, so that a buffer stays as full as it is to be.
//!
//! A radio and a sound card have a clock each, which differ by some 10 to 100 millionths. Without this, the buffer between them runs
//! empty or over within minutes.
//!
//! ```text
//! radio ──> Resampler(step) ──> buffer ──> card
//!               ^                  │
//!               └──── Steering <───┘ fill
//! ```

use std::f64::consts::PI;

/// Input frames that an output frame is made of, and between how many places of a frame there is a filter of its own.
const TAPS: usize = 32;
const PHASES: usize = 256;
/// The window's shape: its side lobes are 90 dB down.
const BETA: f64 = 9.0;

/// Frames at places between those that came: a windowed sinc, in 256 phases with straight lines between them.
///
/// `y[k] = Σₙ x[n] · h(tₖ − n)` with `tₖ₊₁ = tₖ + step`. Where no step was ever another than 1, `y` is `x` itself, behind 16 frames of
/// zeros at most.
///
/// **Source**: A. V. Oppenheim, R. W. Schafer, *Discrete-Time Signal Processing*, 3rd edition, sections 4.6 and 7.5 (windowed sinc, Kaiser
/// window).
pub(crate) struct Resampler {
    channels: usize,
    table: Vec<[f32; TAPS]>,
    /// Frames that are still needed.
    frames: Vec<f32>,
    /// Where the next output lies: behind the tap before it, in frames.
    at: f64,
}

impl Resampler {
    /// Of frames with so many channels.
    pub fn new(channels: usize) -> Self {
        let channels = channels.max(1);
        let frames = vec![0.0; channels * (TAPS / 2 - 1)];
        Resampler { channels, table: table(), frames, at: 0.0 }
    }

    /// Takes frames, and appends those that they make at a distance of `step` input frames, 0.9 to 1.1.
    pub fn take(&mut self, frames: &[f32], step: f64, out: &mut Vec<f32>) {
        let channels = self.channels;
        self.frames.extend_from_slice(frames);
        let step = if step.is_finite() { step.clamp(0.9, 1.1) } else { 1.0 };
        loop {
            let first = self.at as usize;
            let Some(window) = self.frames.get(first * channels..(first + TAPS) * channels) else { break };
            let place = (self.at - first as f64) * PHASES as f64;
            let phase = (place as usize).min(PHASES - 1);
            let between = (place - phase as f64) as f32;
            let (Some(low), Some(high)) = (self.table.get(phase), self.table.get(phase + 1)) else { break };
            for channel in 0..channels {
                let taps = low.iter().zip(high).map(|(low, high)| low + between * (high - low));
                let samples = window.iter().skip(channel).step_by(channels);
                out.push(taps.zip(samples).map(|(tap, sample)| tap * sample).sum());
            }
            self.at += step;
        }
        let used = (self.at as usize).min(self.frames.len() / channels);
        self.frames.drain(..used * channels);
        self.at -= used as f64;
    }

    /// Gives what is left, with zeros behind it.
    pub fn finish(&mut self, out: &mut Vec<f32>) {
        self.take(&vec![0.0; self.channels * TAPS / 2], 1.0, out);
    }
}

/// The filter of each phase, and that of the next frame's first.
fn table() -> Vec<[f32; TAPS]> {
    let half = TAPS as f64 / 2.0;
    let sinc = |x: f64| if x.abs() < 1e-12 { 1.0 } else { (PI * x).sin() / (PI * x) };
    let row = |phase: usize| {
        let mut taps = [0.0; TAPS];
        for (n, tap) in taps.iter_mut().enumerate() {
            // The output lies between the taps 15 and 16.
            let distance = n as f64 - (half - 1.0) - phase as f64 / PHASES as f64;
            let inside = 1.0 - (distance / half).powi(2);
            let window = if inside > 0.0 { bessel(BETA * inside.sqrt()) / bessel(BETA) } else { 0.0 };
            // At whole distances the sine is 0, not what is left of rounding.
            let is_whole = phase.is_multiple_of(PHASES);
            *tap = if is_whole && distance != 0.0 { 0.0 } else { sinc(distance) * window };
        }
        // A constant stays what it is.
        let sum: f64 = taps.iter().sum();
        taps.map(|tap| (tap / sum) as f32)
    };
    (0..=PHASES).map(row).collect()
}

/// The modified Bessel function of the first kind and order 0, by its series.
fn bessel(x: f64) -> f64 {
    let mut term = 1.0;
    let terms = (1..40).map(|n| {
        term *= (x / 2.0 / f64::from(n)).powi(2);
        term
    });
    1.0 + terms.sum::<f64>()
}

/// How fast the difference to the wanted fill is answered, per second and per second squared: both poles at −0.05 /s.
const PROPORTIONAL: f64 = 0.1;
const INTEGRAL: f64 = PROPORTIONAL * PROPORTIONAL / 4.0;
/// Over how many seconds the fill is averaged: pieces come and go.
const AVERAGE_S: f64 = 1.0;
/// By how much the step may differ from 1: 5000 millionths, a twelfth of a semitone. And how much of that lasts.
const MOST: f64 = 0.005;
const MOST_LASTING: f64 = 0.003;
/// A pause of that many seconds tells nothing of clocks.
const PAUSE_S: f64 = 1.0;
/// How long a buffer is watched that has begun to play. What it then holds is what it is to hold, if that is near to what was asked for:
/// to bring it there would be heard, as a pitch that is off for seconds.
const WATCH_S: f64 = 2.0;
const BEGUN: f64 = 0.5;
const NEAR: std::ops::RangeInclusive<f64> = 0.75..=2.0;

/// Finds the step that keeps a buffer as full as it is to be: a loop of second order.
#[derive(Clone, Debug)]
pub(crate) struct Steering {
    nominal_s: f64,
    /// What the buffer is to hold, once it is known.
    target_s: Option<f64>,
    /// What it holds, averaged, since so many seconds.
    average_s: Option<f64>,
    watched_s: f64,
    lasting: f64,
    step: f64,
}

impl Steering {
    /// Of a buffer that is to hold about so many seconds.
    pub fn new(nominal_s: f64) -> Self {
        Steering { nominal_s, target_s: None, average_s: None, watched_s: 0.0, lasting: 0.0, step: 1.0 }
    }

    /// The buffer begins anew; what is known of the clocks stays.
    pub fn begin(&mut self) -> f64 {
        (self.target_s, self.average_s, self.watched_s) = (None, None, 0.0);
        self.step = 1.0 + self.lasting;
        self.step
    }

    /// Nothing is to be steered: the other side waits for the card.
    pub fn rest(&mut self) -> f64 {
        self.lasting = 0.0;
        self.begin()
    }

    /// The step, after the buffer was found to hold `fill_s` seconds, `passed_s` seconds after the last look.
    pub fn look(&mut self, fill_s: f64, passed_s: f64) -> f64 {
        if !(0.0..PAUSE_S).contains(&passed_s) || !fill_s.is_finite() {
            return self.begin();
        }
        let Some(average_s) = self.average_s else {
            // Before it begins to play it fills, which tells nothing.
            self.average_s = (fill_s >= BEGUN * self.nominal_s).then_some(fill_s);
            return self.step;
        };
        let average_s = average_s + (fill_s - average_s) * (1.0 - (-passed_s / AVERAGE_S).exp());
        self.average_s = Some(average_s);
        self.watched_s += passed_s;
        if self.watched_s < WATCH_S {
            return self.step;
        }
        let near_s = average_s.clamp(NEAR.start() * self.nominal_s, NEAR.end() * self.nominal_s);
        let ahead_s = average_s - *self.target_s.get_or_insert(near_s);
        self.lasting = (self.lasting + INTEGRAL * ahead_s * passed_s).clamp(-MOST_LASTING, MOST_LASTING);
        self.step = 1.0 + (self.lasting + PROPORTIONAL * ahead_s).clamp(-MOST, MOST);
        self.step
    }

    /// By how many millionths more frames are taken than given.
    pub fn ppm(&self) -> f64 {
        (self.step - 1.0) * 1e6
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tone(hz: f64, n: usize) -> Vec<f32> {
        (0..n).map(|n| (2.0 * PI * hz * n as f64).sin() as f32).collect()
    }

    #[test]
    fn without_steering_each_frame_stays_what_it_is() {
        let mut resampler = Resampler::new(2);
        let frames: Vec<f32> = (0..2000).map(|n| (n * 37 % 101) as f32 / 101.0).collect();
        let mut out = Vec::new();
        for piece in frames.chunks(14) {
            resampler.take(piece, 1.0, &mut out);
        }
        resampler.finish(&mut out);
        assert_eq!(out[..2000], frames[..]);
    }

    #[test]
    fn a_tone_comes_out_at_the_frequency_that_the_step_makes_of_it() {
        for (hz, step) in [(0.01, 1.0005), (0.1, 0.9995), (0.3, 1.004), (0.4, 0.996)] {
            let mut out = Vec::new();
            Resampler::new(1).take(&tone(hz, 20_000), step, &mut out);
            assert!((out.len() as f64 - 20_000.0 / step).abs() < 40.0, "{}", out.len());
            let wanted = |n: usize| (2.0 * PI * hz * step * n as f64).sin();
            let worst = out
                .iter()
                .enumerate()
                .skip(100)
                .map(|(n, y)| (f64::from(*y) - wanted(n)).abs())
                .fold(0.0, f64::max);
            // −70 dB at most of the tones that people hear.
            assert!(worst < 3e-4, "{hz} {step}: {worst}");
        }
    }

    #[test]
    fn pieces_of_any_length_make_the_same() {
        let input = tone(0.07, 3000);
        let made = |length: usize| {
            let (mut resampler, mut out) = (Resampler::new(1), Vec::new());
            input.chunks(length).for_each(|piece| resampler.take(piece, 1.003, &mut out));
            out
        };
        let whole = made(3000);
        for length in [1, 7, 480] {
            let pieces = made(length);
            assert_eq!(pieces.len(), whole.len());
            let worst = pieces.iter().zip(&whole).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(worst < 1e-5, "{length}: {worst}");
        }
    }

    /// A buffer for 40 minutes between a source and a card whose clocks differ by so many millionths: the least and the most that it has
    /// held after the first minute, in seconds, and the last step in millionths.
    fn simulate(drift: f64, piece_s: f64, target_s: f64) -> (f64, f64, f64) {
        let mut steering = Steering::new(target_s);
        let (mut fill_s, mut step) = (target_s, 1.0);
        let (mut least, mut most) = (f64::INFINITY, 0.0f64);
        let mut noise = 12_345u32;
        for piece in 0..(2400.0 / piece_s) as usize {
            // Pieces come up to half a piece early or late.
            noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let late_s = (f64::from(noise >> 16) / 65_536.0 - 0.5) * piece_s;
            let came_s = piece_s * (1.0 + drift * 1e-6) / step;
            let before_s = fill_s - piece_s - late_s;
            fill_s += came_s - piece_s;
            step = steering.look(fill_s - late_s, piece_s);
            if piece as f64 * piece_s > 60.0 {
                (least, most) = (least.min(before_s), most.max(fill_s - late_s));
            }
        }
        (least, most, steering.ppm())
    }

    #[test]
    fn clocks_that_differ_keep_the_buffer_as_full_as_it_is_to_be() {
        for drift in [-2000.0, -100.0, 0.0, 20.0, 500.0] {
            for piece_s in [0.005, 0.02, 0.05] {
                let (least, most, ppm) = simulate(drift, piece_s, 0.1);
                assert!(least > 0.01 && most < 0.2, "{drift} {piece_s}: {least} to {most}");
                assert!((ppm - drift).abs() < 700.0, "{drift} {piece_s}: {ppm}");
            }
        }
    }

    #[test]
    fn a_pause_or_nonsense_moves_nothing() {
        let mut steering = Steering::new(0.1);
        for (fill_s, passed_s) in [(0.1, 5.0), (f64::NAN, 0.1), (0.01, 0.1), (0.01, 0.1)] {
            assert_eq!(steering.look(fill_s, passed_s), 1.0);
        }
        // As it is when it begins to play it is to stay.
        (0..100).for_each(|_| assert!((steering.look(0.13, 0.1) - 1.0).abs() < 1e-12));
        // Far too much is too much.
        let mut steering = Steering::new(0.1);
        for _ in 0..100 {
            steering.look(9.0, 0.1);
        }
        assert!((steering.ppm() - 1e6 * MOST).abs() < 1e-6);
        assert!((steering.begin() - 1.0 - MOST_LASTING).abs() < 1e-12);
        assert_eq!((steering.rest(), steering.ppm()), (1.0, 0.0));
    }
}
