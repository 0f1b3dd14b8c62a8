//! Samples in, messages out: a window after the other, and in each window candidate after candidate.

use std::ops::Range;
use std::sync::Arc;
use std::vec;

use superhet_fft::Complex32;
use superhet_fft::{Fft, FftPlanner};

use super::code::{self, CODE_BITS, Decoded, Propagated};
use super::demod::{SYMBOL, Tones};
use super::message::{self, Calls, Message};
use super::mode::{Mode, RATE_HZ};
use super::search::{Candidate, FINE, STEPS, Search, Spectrogram};
use super::signal::Signal;

/// A message that was heard.
#[derive(Clone, Debug)]
pub struct Heard {
    pub message: Message,
    /// Its 77 bits.
    pub bits: u128,
    /// The sample that its first symbol begins with, counted from the first that the decoder got; less than 0 before that.
    pub start: i64,
    /// The lowest tone, Hz.
    pub frequency_hz: f64,
    /// The signal by the noise in 2500 Hz, dB.
    pub snr_db: f64,
}

/// What a step came to.
#[derive(Debug)]
pub enum Progress {
    /// More samples are needed.
    Waiting,
    /// There is more to do.
    Busy,
    Heard(Box<Heard>),
}

/// What was read is taken out of the samples, and all is looked at again, up to so many times.
const PASSES: usize = 4;
/// So many places are looked at in a pass, those with a score from this on: noise has 1, with a spread of 0.2.
const MOST_CANDIDATES: usize = 300;
const LEAST_SCORE: f32 = 1.7;
/// Messages may begin so long before the first sample.
const BEFORE_S: f64 = 2.0;

/// The lowest tone of a message is no higher: its others lie below half of the rate.
pub const HIGHEST_HZ: f64 = 5500.0;

/// A decoder of one mode.
pub struct Decoder {
    mode: Mode,
    search: Search,
    bins: Range<usize>,
    max_frequency_hz: f64,
    calls: Calls,
    /// Samples yet to be decoded, and the number of the first.
    samples: Vec<f32>,
    first: i64,
    /// The end of the stream, once it is there.
    end: Option<i64>,
    window: Option<Window>,
    /// What was heard in the window before, by its bits and start.
    before: Vec<(u128, i64)>,
    forward: Arc<dyn Fft<f32>>,
    back: Arc<dyn Fft<f32>>,
}

/// Samples that are decoded together, and how far that has come.
struct Window {
    samples: Vec<f32>,
    pass: usize,
    power: Spectrogram,
    candidates: vec::IntoIter<Candidate>,
    /// The spectrum of the samples, unless they have changed.
    spectrum: Option<Vec<Complex32>>,
    signals: Vec<Signal>,
    /// How many signals there were when the pass began.
    known: usize,
    heard: Vec<(u128, i64)>,
}

impl std::fmt::Debug for Decoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Decoder")
            .field("mode", &self.mode)
            .field("first", &self.first)
            .finish_non_exhaustive()
    }
}

impl Decoder {
    /// For messages whose lowest tone lies between two frequencies.
    pub fn new(mode: Mode, min_frequency_hz: f64, max_frequency_hz: f64) -> Decoder {
        let search = Search::new(mode);
        let bin = |hz: f64| (hz / search.bin_hz()).round() as usize;
        let before = (BEFORE_S * RATE_HZ) as usize;
        let points = mode.window_samples().next_multiple_of(mode.decimation() * SYMBOL);
        let mut planner = FftPlanner::new();
        Decoder {
            mode,
            bins: bin(min_frequency_hz)..bin(max_frequency_hz) + 1,
            max_frequency_hz,
            search,
            calls: Calls::default(),
            samples: vec![0.0; before],
            first: -(before as i64),
            end: None,
            window: None,
            before: Vec::new(),
            forward: planner.plan_fft_forward(points),
            back: planner.plan_fft_inverse(points / mode.decimation()),
        }
    }

    /// Takes samples at 12 kHz.
    pub fn push(&mut self, samples: &[f32]) {
        self.samples.extend(samples.iter().map(|sample| if sample.is_finite() { *sample } else { 0.0 }));
    }

    /// No more samples come: what there is will be decoded.
    pub fn end(&mut self) {
        self.end.get_or_insert(self.first + self.samples.len() as i64);
    }

    /// Goes on a little: to the next candidate, pass or window.
    pub fn step(&mut self) -> Progress {
        let Some(mut window) = self.window.take() else {
            let Some(samples) = self.next_window() else { return Progress::Waiting };
            self.window = Some(self.begin(samples, 0, Vec::new(), Vec::new()));
            return Progress::Busy;
        };
        if let Some(candidate) = window.candidates.next() {
            let heard = self.try_at(&mut window, candidate);
            self.window = Some(window);
            return heard.map_or(Progress::Busy, |heard| Progress::Heard(Box::new(heard)));
        }
        let is_more = window.signals.len() > window.known;
        let Window { mut samples, pass, mut signals, heard, .. } = window;
        if is_more && pass + 1 < PASSES {
            // Each once more, now that the others are gone.
            signals.iter_mut().for_each(|signal| signal.take_again(&mut samples));
            self.window = Some(self.begin(samples, pass + 1, signals, heard));
        } else {
            let hop = self.mode.slot_samples();
            self.samples[..samples.len()].copy_from_slice(&samples);
            self.samples.drain(..hop);
            self.first += hop as i64;
            self.before = heard;
        }
        Progress::Busy
    }

    /// The next samples that are decoded together, if they are there, or no others come.
    fn next_window(&mut self) -> Option<Vec<f32>> {
        let length = self.mode.window_samples();
        if let Some(end) = self.end {
            // A message of which less than half is there cannot be read.
            if self.first + (self.mode.message_samples() / 2) as i64 >= end {
                return None;
            }
            self.samples.resize(self.samples.len().max(length), 0.0);
        }
        self.samples.get(..length).map(<[f32]>::to_vec)
    }

    /// Begins a pass over a window.
    fn begin(&self, samples: Vec<f32>, pass: usize, signals: Vec<Signal>, heard: Vec<(u128, i64)>) -> Window {
        let power = self.search.spectrogram(&samples, self.max_frequency_hz + NEAR * self.mode.spacing_hz());
        let steps = (self.mode.slot_samples() / self.search.step_samples()) as isize;
        let candidates =
            self.search.candidates(&power, 0..steps, self.bins.clone(), LEAST_SCORE, MOST_CANDIDATES);
        let known = signals.len();
        Window {
            samples,
            pass,
            power,
            candidates: candidates.into_iter(),
            spectrum: None,
            signals,
            known,
            heard,
        }
    }

    /// What is heard at a place, unless it was heard before.
    fn try_at(&mut self, window: &mut Window, candidate: Candidate) -> Option<Heard> {
        let spectrum = window.spectrum.get_or_insert_with(|| self.spectrum(&window.samples));
        let bin_hz = candidate.bin as f64 * self.search.bin_hz();
        let baseband = self.baseband(spectrum, bin_hz);
        let near = candidate.step * (SYMBOL / STEPS) as isize;
        let tones = Tones::find(self.mode, &baseband, near);
        let (decoded, message) = self.read(&tones)?;
        let bits = self.mode.masked(decoded.message);
        let decimation = self.mode.decimation();
        let frequency_hz = bin_hz + f64::from(tones.shift) * RATE_HZ / decimation as f64;
        let word = self.mode.tones_of_bits(&decoded.bits);
        let mut signal = Signal::new(self.mode, word, tones.start * decimation as isize, frequency_hz);
        let power = signal.take(&mut window.samples);
        let snr_db = self.snr_db(&window.power, &candidate, power);
        let start = signal.start as i64 + self.first;
        window.signals.push(signal);
        window.spectrum = None;
        let half = (self.mode.slot_samples() / 2) as i64;
        let is_known = |&(other, at): &(u128, i64)| other == bits && (at - start).abs() < half;
        if window.heard.iter().any(is_known) || self.before.iter().any(is_known) {
            return None;
        }
        window.heard.push((bits, start));
        for call in [&message.to, &message.from].into_iter().flatten() {
            self.calls.hear(call);
        }
        Some(Heard { message, bits, start, frequency_hz, snr_db })
    }

    /// The message that tones say.
    fn read(&self, tones: &Tones) -> Option<(Decoded, Message)> {
        if !tones.may_be_message() {
            return None;
        }
        let mut sets: Vec<[f32; CODE_BITS]> = self.mode.together().iter().map(|&n| tones.soft(n)).collect();
        sets.push(std::array::from_fn(|bit| {
            sets.iter().map(|set| set[bit]).sum::<f32>() / sets.len() as f32
        }));
        let said = |decoded: Decoded| {
            let is_sure = decoded.against <= self.mode.most_against(tones.synced());
            let message =
                message::read(self.mode.masked(decoded.message), &self.calls).filter(|_| is_sure)?;
            Some((decoded, message))
        };
        let mut beliefs = Vec::new();
        for soft in &sets {
            match code::propagate(soft) {
                Propagated::Decoded(decoded) => {
                    if let Some(found) = said(decoded) {
                        return Some(found);
                    }
                }
                Propagated::Failed(sums) => beliefs.push((sums, soft)),
            }
        }
        let search = |(sums, soft): &(Box<[f32; CODE_BITS]>, &[f32; CODE_BITS])| {
            let found = code::search(sums, soft).or_else(|| code::search(soft, soft));
            found.and_then(said)
        };
        beliefs.iter().find_map(search)
    }

    /// The signal by the noise in 2500 Hz, of the mean power of a signal's symbols.
    fn snr_db(&self, power: &Spectrogram, candidate: &Candidate, symbols: f32) -> f64 {
        let near = (NEAR * FINE as f64) as usize;
        let bins = candidate.bin.saturating_sub(near)..candidate.bin + near + FINE * self.mode.tones();
        let steps = candidate.step..candidate.step + (self.mode.symbols() * STEPS) as isize;
        let variance = f64::from(power.noise(bins, steps));
        let samples = self.mode.symbol_samples() as f64;
        // A real signal of amplitude a gives a symbol (a·samples/2)², noise its variance times the samples.
        let signal = 2.0 * (f64::from(symbols) - variance * samples).max(0.0) / (samples * samples);
        let noise = variance * 2500.0 / (RATE_HZ / 2.0);
        (10.0 * (signal / noise).log10()).clamp(LEAST_SNR_DB, MOST_SNR_DB)
    }

    /// The spectrum of a window.
    fn spectrum(&self, window: &[f32]) -> Vec<Complex32> {
        let mut spectrum: Vec<Complex32> = window.iter().map(|sample| Complex32::new(*sample, 0.0)).collect();
        spectrum.resize(self.forward.len(), Complex32::default());
        self.forward.process(&mut spectrum);
        spectrum
    }

    /// What lies at a frequency and a message's band above it, brought to 0 Hz, at [`SYMBOL`] samples a symbol.
    fn baseband(&self, spectrum: &[Complex32], frequency_hz: f64) -> Vec<Complex32> {
        let bin_hz = RATE_HZ / spectrum.len() as f64;
        let center = (frequency_hz / bin_hz).round() as isize;
        let spacing = self.mode.spacing_hz() / bin_hz;
        let points = self.back.len();
        // A tone and a half more on each side; the last one falls off.
        let (low, high) = (-1.5 * spacing, (self.mode.tones() as f64 + 0.5) * spacing);
        let mut band = vec![Complex32::default(); points];
        for n in low as isize..=high as isize {
            let bin = usize::try_from(center + n).ok();
            let Some(value) = bin.and_then(|bin| spectrum.get(bin)) else { continue };
            let inside = (n as f64 - low).min(high - n as f64) / spacing;
            let weight = if inside >= 1.0 { 1.0 } else { 0.5 - 0.5 * (std::f64::consts::PI * inside).cos() };
            band[n.rem_euclid(points as isize) as usize] = value * (weight / spectrum.len() as f64) as f32;
        }
        self.back.process(&mut band);
        band
    }
}

/// Noise is measured so far from a signal, in distances of tones.
const NEAR: f64 = 24.0;
/// What is said of a signal by the noise: less, or more, cannot be measured.
const LEAST_SNR_DB: f64 = -30.0;
const MOST_SNR_DB: f64 = 60.0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ft8::waveform;
    use crate::testing::noise;

    /// Noise over a slot and a half, and messages at frequencies, of amplitudes, that begin at samples.
    fn audio(mode: Mode, messages: &[(&str, f64, f32, isize)]) -> Vec<f32> {
        let mut audio: Vec<f32> = noise(mode.slot_samples() * 3 / 2).iter().map(|x| 0.1 * x).collect();
        for &(text, frequency_hz, amplitude, start) in messages {
            let tones = mode.tones_of(message::write(text).unwrap());
            for (n, sample) in waveform::samples(mode, &tones, frequency_hz).into_iter().enumerate() {
                let at = usize::try_from(start + n as isize).ok().filter(|at| *at < audio.len());
                at.into_iter().for_each(|at| audio[at] += amplitude * sample as f32);
            }
        }
        audio
    }

    fn decode(mode: Mode, audio: &[f32], cut: usize) -> Vec<Heard> {
        let mut decoder = Decoder::new(mode, 1400.0, 1440.0);
        let mut heard = Vec::new();
        let go_on = |decoder: &mut Decoder, heard: &mut Vec<Heard>| {
            loop {
                match decoder.step() {
                    Progress::Waiting => break,
                    Progress::Busy => {}
                    Progress::Heard(message) => heard.push(*message),
                }
            }
        };
        for part in audio.chunks(cut) {
            decoder.push(part);
            go_on(&mut decoder, &mut heard);
        }
        decoder.end();
        go_on(&mut decoder, &mut heard);
        heard
    }

    #[test]
    fn messages_are_heard_at_any_time_and_below_stronger_ones() {
        for mode in [Mode::Ft8, Mode::Ft4] {
            let slot = mode.slot_samples() as isize;
            let wanted = [
                ("CQ K1ABC FN42", 1420.0, 0.5, slot / 30),
                ("K1ABC W9XYZ -11", 1423.7, 0.05, slot / 25),
                ("TNX BOB 73 GL", 1411.3, 0.1, slot / 2 + 1234),
            ];
            let audio = audio(mode, &wanted);
            let heard = decode(mode, &audio, 10_007);
            assert_eq!(heard.len(), wanted.len(), "{heard:?}");
            for (text, frequency_hz, amplitude, start) in wanted {
                let found = heard
                    .iter()
                    .find(|heard| heard.message.text == text)
                    .unwrap_or_else(|| panic!("{text}: {heard:?}"));
                assert!((found.frequency_hz - frequency_hz).abs() < 0.1 * mode.spacing_hz(), "{found:?}");
                // FT4 has a symbol before the first.
                let ramp = if mode == Mode::Ft4 { mode.symbol_samples() as i64 } else { 0 };
                assert!((found.start - start as i64 - ramp).abs() < 100, "{found:?}, {start}");
                // Noise within ±0.1 has the variance 0.01 / 3 over 6 kHz.
                let snr_db =
                    10.0 * f64::from(amplitude * amplitude / 2.0 / (0.01 / 3.0 * 2500.0 / 6000.0)).log10();
                // The noise below a stronger signal is less sure.
                assert!(
                    (found.snr_db - snr_db).abs() < if amplitude < 0.1 { 6.0 } else { 3.0 },
                    "{found:?}, {snr_db}"
                );
            }
            let cut: Vec<String> =
                decode(mode, &audio, 999).into_iter().map(|heard| heard.message.text).collect();
            assert_eq!(cut, heard.into_iter().map(|heard| heard.message.text).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_message_that_began_before_the_recording_is_heard_and_noise_is_not() {
        let mode = Mode::Ft4;
        let heard = decode(mode, &audio(mode, &[("CQ K1ABC FN42", 1420.0, 0.3, -9000)]), 5000);
        assert_eq!(heard.len(), 1, "{heard:?}");
        assert!(heard[0].start < 0, "{heard:?}");
        assert!(decode(mode, &audio(mode, &[]), 5000).is_empty());
        let broken = vec![f32::NAN; mode.slot_samples()];
        assert!(decode(mode, &broken, 5000).is_empty());
    }
}
