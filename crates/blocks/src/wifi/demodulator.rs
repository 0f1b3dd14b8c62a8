//! The bytes of a frame out of its samples.

use std::fmt;
use std::sync::Arc;

use superhet_fft::{Fft, FftPlanner};
use superhet_kernels::{C32, ViterbiK7};

use super::bits::{Descrambler, SERVICE_BITS, SIGNAL_BITS, Signal, TAIL_BITS};
use super::carriers::{DATA, FFT, GUARD, HIGHEST, PILOTS, SYMBOL, bin, carrier, polarity};
use super::channel::Channel;
use super::points::{Row, distance, soften};
use super::rate::{DATA_CARRIERS, RATES, Rate};
use super::tracker::Tracker;

/// Samples before the first long training symbol, and behind the last symbol, by which windows may move.
pub const MARGIN: usize = 8;
/// Where the window of SIGNAL begins, seen from that of the first long training symbol.
const SIGNAL_START: usize = 2 * FFT + GUARD;

/// How many samples a demodulator needs to read SIGNAL, and the whole frame: with margins, from the first long training symbol on.
pub const SIGNAL_SAMPLES: usize = 2 * MARGIN + 2 * FFT + SYMBOL;
pub fn frame_samples(signal: Signal) -> usize {
    SIGNAL_SAMPLES + signal.symbols() * SYMBOL
}

/// What a frame was like.
#[derive(Clone, Copy, Debug)]
pub struct Quality {
    /// Signal by noise in the whole bandwidth, dB, from the long training symbols.
    pub snr_db: f32,
    /// The mean distance of points from those that are meant, dB by the power of a point; of SIGNAL alone 0.
    pub evm_db: f32,
}

/// Reads frames.
pub struct Demodulator {
    transform: Arc<dyn Fft<f32>>,
    scratch: Vec<C32>,
    spectrum: [C32; FFT],
    viterbi: ViterbiK7,
    descrambler: Descrambler,
    /// Of each rate, where soft bits belong.
    places: Vec<Vec<u16>>,
    /// Pairs of soft bits of a frame.
    pairs: Vec<[u8; 2]>,
    bits: Vec<u8>,
}

impl fmt::Debug for Demodulator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Demodulator").finish_non_exhaustive()
    }
}

/// A frame that is being read.
struct Reading<'a> {
    /// With `MARGIN` samples before the first long training symbol.
    samples: &'a [C32],
    channel: Channel,
    /// The turn of all carriers, and of a carrier against the one before it.
    phase: Tracker,
    slope: Tracker,
    /// By how many samples windows have moved.
    moved: isize,
    /// What is noise in fact, as a mean over the last symbols.
    distance: f32,
}

/// Data of a symbol: points, and the power of the channel on their carriers.
struct Points {
    re: Row,
    im: Row,
    power: Row,
}

impl Default for Demodulator {
    fn default() -> Self {
        Demodulator::new()
    }
}

impl Demodulator {
    /// A demodulator.
    pub fn new() -> Self {
        let transform = FftPlanner::new().plan_fft_forward(FFT);
        Demodulator {
            scratch: vec![C32::ZERO; transform.get_inplace_scratch_len()],
            transform,
            spectrum: [C32::ZERO; FFT],
            viterbi: ViterbiK7::new(),
            descrambler: Descrambler::new(),
            places: RATES.iter().map(Rate::places).collect(),
            pairs: Vec::new(),
            bits: Vec::new(),
        }
    }

    /// The transform of 64 samples; zeros stand for those that there are not.
    fn transform(&mut self, samples: &[C32], start: usize) {
        match samples.get(start..start + FFT) {
            Some(samples) => self.spectrum.copy_from_slice(samples),
            None => {
                self.spectrum = std::array::from_fn(|n| samples.get(start + n).copied().unwrap_or(C32::ZERO))
            }
        }
        self.transform.process_with_scratch(&mut self.spectrum, &mut self.scratch);
    }

    fn begin<'a>(&mut self, samples: &'a [C32]) -> Reading<'a> {
        self.transform(samples, MARGIN);
        let first = self.spectrum;
        self.transform(samples, MARGIN + FFT);
        let channel = Channel::new(&first, &self.spectrum);
        let by_noise = 1.0 / channel.snr().max(0.1);
        // How well the two long symbols and their guard interval tell the frequency.
        let frequency = 1.6 * (by_noise + 0.5 * by_noise * by_noise) / 96.0;
        // Phase noise of some hundredths of a radian in a symbol; clocks that differ by 40 ppm.
        let clock = std::f32::consts::TAU / FFT as f32 * SYMBOL as f32 * 40e-6;
        let mut reading = Reading {
            samples,
            channel,
            phase: Tracker::new(frequency + 1e-5, [2e-4, 1e-7]),
            slope: Tracker::new(clock * clock, [1e-9, 1e-13]),
            moved: 0,
            distance: 0.0,
        };
        // From the middle of the training symbols to the symbol before SIGNAL, so to say.
        let symbols = (SIGNAL_START + FFT / 2 - FFT) as f32 / SYMBOL as f32;
        reading.phase.pass(symbols - 1.0);
        reading.slope.pass(symbols - 1.0);
        reading
    }

    /// The data of symbol `n`, SIGNAL's being 0.
    fn symbol(&mut self, reading: &mut Reading<'_>, n: usize) -> Points {
        let start = (MARGIN + SIGNAL_START + n * SYMBOL).saturating_add_signed(reading.moved);
        self.transform(reading.samples, start);
        let Reading { channel, phase, slope, .. } = reading;
        phase.pass(1.0);
        slope.pass(1.0);
        let polarity = polarity(n);
        let turned = |place: usize, at: i32| {
            let turn = C32::cis(-(phase.value + at as f32 * slope.value));
            self.spectrum[bin(place)] * channel.response[place].conj() * turn
        };
        let pilots = PILOTS.map(|(place, at, sign)| turned(place, at) * (sign * polarity));
        let sum: C32 = pilots.iter().sum();
        let powers = PILOTS.map(|(place, ..)| channel.response[place].norm_sqr());
        let power: f32 = powers.iter().sum();
        let by_carrier = |value: &dyn Fn(usize) -> f32| -> f32 {
            PILOTS.iter().enumerate().map(|(n, (_, at, _))| *at as f32 * value(n)).sum()
        };
        let noise = 0.5 * channel.weighed_noise;
        // The pilots' turns against their mean, and where that mean lies among the carriers: both by power.
        let whole = sum / sum.norm().max(f32::MIN_POSITIVE);
        let middle = by_carrier(&|n| powers[n]) / power;
        let apart = by_carrier(&|n| (pilots[n] * whole.conj()).im);
        let square = by_carrier(&|n| powers[n] * PILOTS[n].1 as f32) - power * middle * middle;
        let before = slope.value;
        slope.correct(apart / square, noise / square);
        phase.correct(sum.arg() - middle * (slope.value - before), noise / power);

        // One table of turns for all carriers: turns[at] for the carrier `at`, by products.
        let (all, step) = (C32::cis(-phase.value), C32::cis(-slope.value));
        let mut turns = [C32::ONE; HIGHEST as usize + 1];
        for at in 1..turns.len() {
            turns[at] = turns[at - 1] * step;
        }
        let mut points =
            Points { re: [0.0; DATA_CARRIERS], im: [0.0; DATA_CARRIERS], power: [0.0; DATA_CARRIERS] };
        for (n, place) in DATA.into_iter().enumerate() {
            let at = carrier(place);
            let turn = turns[at.unsigned_abs() as usize];
            let turn = if at < 0 { turn.conj() } else { turn };
            let response = channel.response[place];
            let point = self.spectrum[bin(place)] * (response.conj() * all * turn);
            let power = response.norm_sqr().max(f32::MIN_POSITIVE);
            (points.re[n], points.im[n], points.power[n]) = (point.re / power, point.im / power, power);
        }
        // Where the clocks differ, the window goes with the signal: a sample later turns each carrier by its number of 64ths.
        let sample = std::f32::consts::TAU / FFT as f32;
        if slope.value.abs() > 0.6 * sample {
            let late = slope.value < 0.0;
            reading.moved += if late { 1 } else { -1 };
            slope.jump(if late { sample } else { -sample });
        }
        points
    }

    /// The soft bits of a symbol, where they belong in `pairs` from `first` on; how far off its points are.
    fn soften(&mut self, reading: &mut Reading<'_>, points: &Points, rate: &Rate, first: usize) -> f32 {
        let Points { re, im, power } = points;
        let distance = distance(rate.carrier_bits, [re, im], power);
        if distance.is_finite() {
            reading.distance += 0.1 * (distance - reading.distance);
        }
        let scale = 1.0 / reading.channel.weighed_noise.max(reading.distance);
        let weight = power.map(|power| power * scale);
        let mut soft = [0; 6 * DATA_CARRIERS];
        let soft = &mut soft[..rate.coded_bits()];
        soften(rate.carrier_bits, [re, im], &weight, soft);
        let number = RATES.iter().position(|one| one.code == rate.code).unwrap_or(0);
        let pairs = self.pairs[first..first + rate.data_bits()].as_flattened_mut();
        for (place, soft) in self.places[number].iter().zip(soft) {
            pairs[usize::from(*place)] = *soft;
        }
        distance
    }

    fn read_signal(&mut self, reading: &mut Reading<'_>) -> Option<Signal> {
        let points = self.symbol(reading, 0);
        self.pairs.clear();
        self.pairs.resize(RATES[0].data_bits(), [127, 128]);
        self.soften(reading, &points, &RATES[0], 0);
        let mut bits = [0; SIGNAL_BITS];
        self.viterbi.decode(&mut bits, &self.pairs[..SIGNAL_BITS + TAIL_BITS]);
        Signal::read(&bits)
    }

    /// What SIGNAL says, of samples whose frequency is right, with [`MARGIN`] of them before the first long training symbol;
    /// `None` where it is none. So many are needed: [`SIGNAL_SAMPLES`].
    pub fn signal(&mut self, samples: &[C32]) -> Option<(Signal, Quality)> {
        let mut reading = self.begin(samples);
        let signal = self.read_signal(&mut reading)?;
        Some((signal, Quality { snr_db: 10.0 * reading.channel.snr().log10(), evm_db: 0.0 }))
    }

    /// The bytes of a frame into `bytes`, of samples as [`Demodulator::signal`] has them, [`frame_samples`] of them; whether they are
    /// right is not known. `None` where there is no frame.
    pub fn frame(&mut self, samples: &[C32], bytes: &mut Vec<u8>) -> Option<(Signal, Quality)> {
        let mut reading = self.begin(samples);
        let signal = self.read_signal(&mut reading)?;
        let (rate, symbols) = (signal.rate, signal.symbols());
        reading.distance = 0.0;
        self.pairs.clear();
        // What was not sent says nothing.
        self.pairs.resize(symbols * rate.data_bits(), [127, 128]);
        let mut sum = 0.0;
        for n in 0..symbols {
            let points = self.symbol(&mut reading, n + 1);
            sum += self.soften(&mut reading, &points, rate, n * rate.data_bits());
        }
        let count = SERVICE_BITS + 8 * signal.bytes;
        self.bits.resize(count, 0);
        self.viterbi.decode(&mut self.bits, &self.pairs[..count + TAIL_BITS]);
        self.descrambler.bytes(&self.bits, bytes)?;
        let channel = &reading.channel;
        let evm = sum / symbols as f32 / channel.power.max(f32::MIN_POSITIVE);
        Some((signal, Quality { snr_db: 10.0 * channel.snr().log10(), evm_db: 10.0 * evm.log10() }))
    }
}
