//! Audio at 48 kHz of any real stream.

use std::f64::consts::PI;

use super::Draw;
use super::samples::Samples;
use crate::error::Refusal;
use crate::frame::{FLOATS, Frame, Kind};
use crate::shape::{Known, is_complex};

/// The rate that viewers get.
pub(crate) const AUDIO_HZ: f64 = 48e3;
/// How much a frame has of it, in seconds.
const FRAME_S: f64 = 0.02;
/// Zero crossings of the filter's response on each side.
const CROSSINGS: f64 = 16.0;
/// Steps between two input samples at which the response is known; between those it is a line.
const PHASES: usize = 64;

/// Resamples a stream to 48 kHz: a sinc with a Kaiser-like window (Blackman) around each output sample. What lies above half of the
/// lower rate is at least 60 dB down.
pub(crate) struct Audio {
    /// Input samples for each output sample.
    step: f64,
    /// Reach of the response, in input samples.
    reach: usize,
    response: Vec<f32>,
    /// Input that is still needed.
    kept: Vec<f32>,
    /// Where the next output lies, in samples of `kept`.
    at: f64,
    next: u64,
    chunk: usize,
}

impl Audio {
    pub fn new(item: &str, known: Known) -> Result<Self, Refusal> {
        if is_complex(item) {
            return Err(Refusal::wrong(format!("audio needs a real stream, this one is of {item}")));
        }
        let rate_hz = known.rate_hz.filter(|rate_hz| (100.0..=20e6).contains(rate_hz));
        let rate_hz = rate_hz.ok_or_else(|| {
            Refusal::wrong("audio needs a stream whose rate is known, from 100 Hz to 20 MHz")
        })?;
        let step = rate_hz / AUDIO_HZ;
        // The cutoff as a share of half the input's rate; some of the band is left for the filter to fall off.
        let cutoff = 0.92 * (1.0 / step).min(1.0);
        let reach = (CROSSINGS / cutoff).ceil() as usize;
        let value = |n: usize| {
            let t = n as f64 / PHASES as f64 - reach as f64;
            let x = PI * cutoff * t;
            let sinc = if x == 0.0 { 1.0 } else { x.sin() / x };
            let u = PI * t / reach as f64;
            (cutoff * sinc * (0.42 + 0.5 * u.cos() + 0.08 * (2.0 * u).cos())) as f32
        };
        let response = (0..=2 * reach * PHASES).map(value).collect();
        let chunk = ((rate_hz * FRAME_S) as usize).max(1);
        Ok(Audio { step, reach, response, kept: vec![0.0; reach], at: reach as f64, next: 0, chunk })
    }

    /// The output that the input makes possible.
    fn resample(&mut self, x: &[f32]) -> Vec<f32> {
        self.kept.extend(x.iter().map(|x| if x.is_finite() { *x } else { 0.0 }));
        let mut y = Vec::with_capacity((x.len() as f64 / self.step) as usize + 1);
        while self.at as usize + self.reach + 1 < self.kept.len() {
            y.push(self.value());
            self.at += self.step;
        }
        let done = (self.at as usize).saturating_sub(self.reach).min(self.kept.len());
        self.kept.drain(..done);
        self.at -= done as f64;
        y
    }

    fn value(&self) -> f32 {
        let whole = self.at as usize;
        let first = whole + 1 - self.reach;
        // How far the first sample lies from the beginning of the response.
        let offset = (self.reach as f64 - (self.at - first as f64)) * PHASES as f64;
        let (place, part) = (offset as usize, offset.fract() as f32);
        let taps = self.response[place..].chunks(PHASES).map(|tap| tap[0]);
        let after =
            self.response[(place + 1).min(self.response.len() - 1)..].chunks(PHASES).map(|tap| tap[0]);
        let samples = &self.kept[first..(first + 2 * self.reach).min(self.kept.len())];
        let pairs = samples.iter().zip(taps.zip(after));
        pairs.map(|(x, (a, b))| x * (a + part * (b - a))).sum()
    }
}

impl Draw for Audio {
    fn items(&self) -> usize {
        self.chunk
    }

    fn draw(&mut self, first: u64, samples: &Samples) -> Option<Frame> {
        let Samples::Real(x) = samples else { return None };
        if first != self.next {
            // What is missing is not made up for.
            (self.kept, self.at) = (vec![0.0; self.reach], self.reach as f64);
        }
        self.next = first + x.len() as u64;
        let y = self.resample(x);
        Some(Frame::new(Kind::Audio, first).flagged(FLOATS).with(&y))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resampled(rate_hz: f64, tone_hz: f64, cut: usize) -> Vec<f32> {
        let known = Known { rate_hz: Some(rate_hz), center_hz: None };
        let mut audio = Audio::new("f32", known).unwrap();
        let x: Vec<f32> =
            (0..rate_hz as usize).map(|k| (2.0 * PI * tone_hz * k as f64 / rate_hz).sin() as f32).collect();
        let parts = x.chunks(cut).scan(0, |first, part| {
            let frame = audio.draw(*first, &Samples::Real(part.to_vec())).unwrap();
            *first += part.len() as u64;
            Some(frame.payload)
        });
        parts.flatten().collect::<Vec<u8>>().chunks(4).map(bytemuck::pod_read_unaligned).collect()
    }

    #[test]
    fn a_tone_stays_what_it_is_at_any_rate() {
        for rate_hz in [8e3, 48e3, 44.1e3, 240e3, 2.4e6] {
            let y = resampled(rate_hz, 1e3, 4800);
            assert!((y.len() as f64 - 48e3).abs() < 0.01 * 48e3, "{rate_hz}: {}", y.len());
            // The output begins at the first sample.
            let error = |k: usize| (y[k] - (2.0 * PI * 1e3 * k as f64 / 48e3).sin() as f32).abs();
            let worst = (1000..y.len() - 100).map(error).fold(0.0, f32::max);
            assert!(worst < 0.01, "{rate_hz}: {worst}");
        }
    }

    #[test]
    fn what_48_khz_cannot_have_is_filtered_out() {
        let y = resampled(240e3, 40e3, 4800);
        assert!(y[1000..y.len() - 100].iter().all(|y| y.abs() < 1e-3));
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        let whole = resampled(240e3, 1e3, 240_000);
        for cut in [1, 7, 4800] {
            assert_eq!(resampled(240e3, 1e3, cut), whole, "{cut}");
        }
    }
}
