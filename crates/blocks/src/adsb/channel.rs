//! From complex samples at any rate to the channel at 4 MHz: filtered, resampled, without a constant offset.
//!
//! Output `k` lies at `t = k · rate_hz / 4 MHz` samples and is `y[k] = Σₙ x[n] · h(n − t)`, where `h` is a low-pass filter
//! by the window method. Where the rates are as small numbers, few outputs have taps of their own (`phased.rs`); else each output
//! takes the nearest of 64 phases, which is off by 1/128 of a sample at most (`nearest.rs`). At half the channel's rate one routine does
//! all of it (`doubled.rs`).
//!
//! The places are whole numbers counted from the start of the stream, and outputs are made in blocks of [`BLOCK`] that
//! start at its multiples, so the result depends neither on where the stream is cut nor on where it begins.

use superhet_kernels::{self as kernels, run_routine};
use superhet_runtime::C32;

use super::doubled::{Doubled, Totals};
use super::nearest::Nearest;
use super::phased::Phased;
use crate::filters::rational_resampler::greatest_common_divisor;

/// The rate of the channel.
pub(super) const CHANNEL_HZ: u64 = 4_000_000;

/// Where the filter cuts off, if the rate lets it.
const CUTOFF_HZ: f64 = 1.2e6;

/// Half the length of the filter, in seconds and at least in samples.
const HALF_SECONDS: f64 = 1.0e-6;
const HALF_SAMPLES: f64 = 6.0;

/// Taps of a filter at the lowest rate.
pub(super) const FEWEST_TAPS: usize = 2 * HALF_SAMPLES as usize;

/// The most phases whose outputs are made at once.
const MOST_AT_ONCE: u64 = 8;

/// Outputs that are made at a time: 120 µs; a multiple of each number of phases that are made at once.
pub(super) const BLOCK: usize = 480;

/// The offset is a mean over about this many blocks: 16 ms.
const OFFSET_BLOCKS: f32 = 128.0;

/// Blocks that must have been seen before an offset is taken away.
const FEWEST_BLOCKS: u32 = 2;

/// Added to the variance of a block, which may be 0; full scale = 1.
const LEAST_VARIANCE: f32 = 1e-6;

/// What makes the channel of samples.
#[derive(Debug)]
pub(super) struct Channel {
    rate_hz: u64,
    /// `rate_hz / CHANNEL_HZ` in lowest terms.
    step: (u64, u64),
    filter: Filter,
    /// Samples on each side of an output.
    half: usize,
    /// The sample that comes next, unless any may begin a stream.
    next_sample: Option<u64>,
    /// Which output comes next.
    next: u128,
    offset: Offset,
}

/// How outputs are made, with the taps in the order of the samples.
#[derive(Debug)]
enum Filter {
    /// All have the same taps, and lie so many samples apart.
    Same(Vec<f32>, usize),
    /// Every other one is a sample.
    Doubled([f32; FEWEST_TAPS]),
    Phased(Phased),
    Nearest(Nearest),
}

/// What [`Channel::push`] has done.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pushed {
    /// Samples that are done with; those after them are presented again.
    pub taken: usize,
    /// Which output of the stream the first one is.
    pub first: u128,
    /// Outputs that were made.
    pub given: usize,
}

/// A mean of the blocks, in which each counts the more the less it varies: messages hardly count.
#[derive(Clone, Copy, Debug, Default)]
struct Offset {
    blocks: u32,
    weight: f32,
    sum: C32,
}

impl Offset {
    fn value(&self) -> C32 {
        if self.blocks < FEWEST_BLOCKS { C32::ZERO } else { self.sum / self.weight }
    }

    /// Adds a block from which `offset` was taken away.
    fn add(&mut self, block: Totals, offset: C32) {
        let mean = block.sum / BLOCK as f32;
        let variance = block.energy / BLOCK as f32 - mean.norm_sqr();
        let mean = mean + offset;
        let weight = 1.0 / (variance.max(0.0) + LEAST_VARIANCE);
        if !(variance.is_finite() && (mean * weight).norm_sqr().is_finite()) {
            return;
        }
        let keep = 1.0 - 1.0 / OFFSET_BLOCKS;
        self.blocks = self.blocks.saturating_add(1);
        self.weight = keep * self.weight + weight;
        self.sum = self.sum * keep + mean * weight;
    }
}

/// `h` at `t` samples from its middle, before it is scaled.
fn response(t: f64, cutoff: f64, half: f64) -> f64 {
    let x = std::f64::consts::TAU * cutoff * t;
    let sinc = if x == 0.0 { 1.0 } else { x.sin() / x };
    let place = std::f64::consts::PI * (t / half).clamp(-1.0, 1.0);
    sinc * (0.5 + 0.5 * place.cos())
}

/// `2 · half` taps for an output that lies `part` of a sample behind the one in the middle, with the sum 1.
pub(super) fn taps(half: usize, cutoff: f64, part: f64) -> Vec<f32> {
    let middle = half as f64 - 1.0 + part;
    let taps: Vec<f64> = (0..2 * half).map(|j| response(j as f64 - middle, cutoff, half as f64)).collect();
    let sum: f64 = taps.iter().sum();
    taps.iter().map(|tap| (tap / sum) as f32).collect()
}

impl Channel {
    /// Takes samples of this rate, at least 2 MHz.
    pub fn new(rate_hz: u64) -> Self {
        let divisor = greatest_common_divisor(rate_hz as usize, CHANNEL_HZ as usize) as u64;
        let step = (rate_hz / divisor, CHANNEL_HZ / divisor);
        let half = (HALF_SECONDS * rate_hz as f64).max(HALF_SAMPLES).ceil() as usize;
        let cutoff = (CUTOFF_HZ / rate_hz as f64).min(0.5);
        Self {
            rate_hz,
            step,
            filter: Filter::new(step, half, cutoff),
            half,
            next_sample: None,
            next: 0,
            offset: Offset::default(),
        }
    }

    /// Samples that a block takes, at most.
    pub fn block_samples(&self) -> usize {
        (BLOCK as u64 * self.rate_hz).div_ceil(CHANNEL_HZ) as usize + 2 * self.half
    }

    /// Makes the outputs of the samples from `start` on, in whole blocks, as far as there is room. The channel begins anew after
    /// a gap.
    ///
    /// [`block_samples`](Self::block_samples) samples and room for a [`BLOCK`] are always enough for one.
    pub fn push(&mut self, samples: &[C32], start: u64, room: &mut [C32]) -> Pushed {
        if self.next_sample != Some(start) {
            self.restart(start);
        }
        let first = self.next;
        let mut from = self.from(start);
        let mut given = 0;
        for block in room.as_chunks_mut::<BLOCK>().0 {
            let needed = from + self.needed() as i128;
            if needed > samples.len() as i128 {
                break;
            }
            match usize::try_from(from) {
                Ok(from) => self.block(&samples[from..], block),
                // Zeros stand for what came before the stream.
                Err(_) => {
                    let mut all = vec![C32::ZERO; from.unsigned_abs() as usize];
                    all.extend_from_slice(&samples[..needed.max(0) as usize]);
                    self.block(&all, block);
                }
            }
            given += BLOCK;
            from = self.from(start);
        }
        let taken = from.clamp(0, samples.len() as i128) as usize;
        self.next_sample = Some(start.wrapping_add(taken as u64));
        Pushed { taken, first, given }
    }

    /// Makes the outputs of the last samples, which `start` is the first of, behind `values`: what would come after them counts
    /// as 0. Returns which output of the stream the first one is. The next sample begins another stream.
    pub fn finish(&mut self, samples: &[C32], start: u64, values: &mut Vec<C32>) -> u128 {
        if samples.is_empty() && self.next_sample.is_none() {
            return self.next;
        }
        let mut all = samples.to_vec();
        all.resize(samples.len() + self.block_samples(), C32::ZERO);
        let old = values.len();
        // At the lowest rate there are two outputs to a sample, and the first block may begin before the samples.
        values.resize(old + 2 * (all.len() + BLOCK), C32::ZERO);
        let Pushed { first, given, .. } = self.push(&all, start, &mut values[old..]);
        values.truncate(old + given);
        self.next_sample = None;
        first
    }

    fn restart(&mut self, start: u64) {
        let at = u128::from(start) * u128::from(CHANNEL_HZ);
        let first = at.div_ceil(u128::from(self.rate_hz));
        self.next = first - first % BLOCK as u128;
        self.offset = Offset::default();
    }

    /// The first sample that the next output takes, counted from sample `start`.
    fn from(&self, start: u64) -> i128 {
        self.place(self.next).0 as i128 - (self.half as i128 - 1) - i128::from(start)
    }

    /// The first sample that output `k` takes, counted from `half − 1` before the stream's start, and its phase as a part
    /// of `step.1`.
    fn place(&self, k: u128) -> (u128, u64) {
        let (at, whole) = (k * u128::from(self.step.0), u128::from(self.step.1));
        (at / whole, (at % whole) as u64)
    }

    /// How many samples the next block takes.
    fn needed(&self) -> usize {
        let [first, last] = [self.next, self.next + BLOCK as u128 - 1].map(|k| self.place(k).0);
        (last - first) as usize + 2 * self.half
    }

    /// Makes the next block, of samples from its first one on.
    fn block(&mut self, samples: &[C32], block: &mut [C32; BLOCK]) {
        let offset = self.offset.value();
        let part = self.place(self.next).1;
        let totals = self.filter.block(samples, part, block, offset);
        self.offset.add(totals, offset);
        self.next += BLOCK as u128;
    }
}

impl Filter {
    /// The filter for outputs that lie `step.0 / step.1` samples apart.
    fn new(step: (u64, u64), half: usize, cutoff: f64) -> Self {
        if step.1 > MOST_AT_ONCE {
            return Self::Nearest(Nearest::new(step, |part| taps(half, cutoff, part)));
        }
        let phase = |phase| taps(half, cutoff, (phase * step.0 % step.1) as f64 / step.1 as f64);
        let phases: Vec<Vec<f32>> = (0..step.1).map(phase).collect();
        // Where all of the band passes, an output that lies at a sample is that sample.
        let keeps_samples = cutoff == 0.5;
        match (&phases[..], step) {
            ([all], _) => Self::Same(all.clone(), step.0 as usize),
            ([_, between], (1, 2)) if keeps_samples && between.len() == FEWEST_TAPS => {
                Self::Doubled(std::array::from_fn(|tap| between[tap]))
            }
            _ => {
                let mut all: Vec<(usize, &[f32])> = (0..step.1)
                    .zip(&phases)
                    .map(|(phase, taps)| ((phase * step.0 / step.1) as usize, &taps[..]))
                    .collect();
                if keeps_samples {
                    all[0] = (half - 1, &[1.0]);
                }
                Self::Phased(Phased::new(step.0 as usize, &all))
            }
        }
    }

    /// Makes a block of samples from its first one on. Its first output lies `part / step.1` behind a sample.
    fn block(&mut self, samples: &[C32], part: u64, block: &mut [C32; BLOCK], offset: C32) -> Totals {
        match self {
            Self::Doubled(taps) => return run_routine(Doubled { y: block, x: samples, taps, offset }),
            Self::Phased(phased) => phased.block(samples, block, offset),
            Self::Same(taps, step) => {
                kernels::fir_c32_f32(block, samples, taps, *step);
                kernels::add_const_c32_in_place(block, -offset);
            }
            Self::Nearest(nearest) => nearest.block(samples, part, block, offset),
        }
        Totals::of(block)
    }
}
