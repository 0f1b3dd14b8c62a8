//! Finds frames in samples.
//!
//! ```text
//! samples in blocks of 16 ──> products with those 16 later ──> sum over 6 blocks by their power: a peak that ends ──> candidate
//! candidate ──> correlation with the long training symbol ──> place, frequency ──> SIGNAL ──> how long the frame is
//! ```
//!
//! Only the first line is done for all samples: two dot products for 16 of them. Noise makes about five candidates in a second of
//! 20 million samples.

use std::collections::VecDeque;

use superhet_kernels as kernels;
use superhet_kernels::{C32, Rotator};

use super::bits::Signal;
use super::carriers::{FFT, LONG_START, long_symbol};
use super::demodulator::{Demodulator, MARGIN, Quality, SIGNAL_SAMPLES, frame_samples};

/// The period of the short training symbols.
const BLOCK: usize = 16;
/// So many blocks are correlated: ten short symbols have at least eight in which each sample comes again 16 later.
const WINDOW: usize = 6;
/// What a candidate's correlation is by its power, at least: that of a signal 2.5 dB below the noise. The mean of noise of 96
/// samples is above it once in 250,000 blocks.
const LEAST_CORRELATION: f32 = 0.36;
/// A peak is over when the correlation has fallen to so much of it, and the next is one when it has risen by so much.
const FALL: f32 = 0.75;
const RISE: f32 = 1.25;
/// A correlation that does not fall for so many blocks is no short training: a carrier, say.
const MOST_BLOCKS: u64 = 24;

/// A candidate begins so many samples before the end of the block with which its peak was over. The peak itself says little of the
/// place: where there is hardly any noise the correlation is as high when the window has just reached the short training. It is over
/// some 16 to 40 samples behind the end of that, earlier or later where there is noise or another signal.
const BEFORE_END: u64 = 80;
/// Where the first long symbol is looked for, counted from there: it begins 48 samples behind the end of the short training.
const SEARCH: usize = 16;
const PLACES: usize = 128;
/// Samples that a candidate needs.
const CANDIDATE_SAMPLES: usize = SEARCH + PLACES + SIGNAL_SAMPLES;
/// Of the power of the correlation with the long symbols, the least within so many samples, by what is possible.
const LEAST_MATCH: f32 = 0.25;
const SPREAD: usize = 16;
/// An echo before the strongest counts when it has so much of its power, and the window begins so many samples before the first.
const FIRST_ECHO: f32 = 0.12;
const BACK_OFF: usize = 3;
/// Samples of the guard interval that tell the frequency with those of the long symbols: echoes of what was before are in the others.
const GUARD_PART: usize = 16;

/// Frames are told when so many samples more are there, or the end: by then a block in front has said which samples they are.
const LATER: u64 = 1024;
/// Samples that are done with are thrown away when there are so many.
const MOST_DONE: usize = 8192;

/// A frame that was found.
#[derive(Debug)]
pub struct Found {
    /// Its first sample.
    pub start: u64,
    /// Its samples from [`MARGIN`] before the first long training symbol on, turned so that they lie in the middle of the band.
    pub samples: Vec<C32>,
    /// What its SIGNAL says.
    pub signal: Signal,
    /// What it is like.
    pub quality: Quality,
    /// Where it lay, in radians per sample.
    pub frequency: f32,
}

impl Found {
    /// How many samples it has, from the preamble on.
    pub fn len(signal: Signal) -> usize {
        LONG_START + frame_samples(signal) - 2 * MARGIN
    }
}

/// Finds frames; what is found does not depend on how the samples are cut.
#[derive(Debug)]
pub struct Finder {
    /// Samples from number `first` on.
    samples: Vec<C32>,
    first: u64,
    /// The next block.
    block: u64,
    /// Of the last blocks, products and powers, the newest last.
    last: [(C32, f32); WINDOW],
    peak: Option<Peak>,
    /// The least correlation since the last candidate.
    least: f32,
    candidates: VecDeque<Candidate>,
    pending: VecDeque<Pending>,
    /// The start of the last frame.
    newest: Option<u64>,
    long: [C32; FFT],
    demodulator: Demodulator,
    turned: Vec<C32>,
}

/// The highest correlation for now.
#[derive(Clone, Copy, Debug)]
struct Peak {
    block: u64,
    correlation: f32,
    product: C32,
}

/// What may be the short training of a frame.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    /// [`BEFORE_END`].
    start: u64,
    /// Radians per sample.
    frequency: f32,
}

/// A frame whose samples have not all come.
#[derive(Clone, Copy, Debug)]
struct Pending {
    /// [`MARGIN`] before the first long symbol.
    start: u64,
    frequency: f32,
    signal: Signal,
    quality: Quality,
}

impl Finder {
    /// One that has seen nothing yet.
    pub fn new() -> Finder {
        Finder {
            samples: Vec::new(),
            first: 0,
            block: 0,
            last: [(C32::ZERO, 0.0); WINDOW],
            peak: None,
            least: 0.0,
            candidates: VecDeque::new(),
            pending: VecDeque::new(),
            newest: None,
            long: long_symbol(),
            demodulator: Demodulator::new(),
            turned: Vec::new(),
        }
    }

    /// Takes samples; calls `found` with the frames that are whole now, in their order.
    pub fn push(&mut self, samples: &[C32], found: &mut impl FnMut(Found)) {
        self.samples.extend_from_slice(samples);
        let end = self.end();
        while (self.block + 2) * BLOCK as u64 <= end {
            self.look();
        }
        self.settle(end, found);
        self.forget();
    }

    /// There is no more: tells the frames that are still waiting, but for those that lack samples.
    pub fn finish(&mut self, found: &mut impl FnMut(Found)) {
        if let Some(peak) = self.peak.take() {
            self.propose(peak);
        }
        // What a candidate or a frame looks at beyond its last sample.
        let end = self.end() + LATER + (CANDIDATE_SAMPLES + MARGIN) as u64;
        self.samples.resize((end - self.first) as usize, C32::ZERO);
        let real = end - LATER - CANDIDATE_SAMPLES as u64;
        while self.candidates.front().is_some() {
            self.try_candidate();
        }
        self.pending.retain(|pending| pending.start + frame_samples(pending.signal) as u64 <= real);
        self.settle(u64::MAX, found);
    }

    /// The number of the first sample that has not come.
    fn end(&self) -> u64 {
        self.first + self.samples.len() as u64
    }

    /// The samples from number `start` on.
    fn from(&self, start: u64) -> &[C32] {
        &self.samples[(start - self.first) as usize..]
    }

    /// Looks at the next block.
    fn look(&mut self) {
        let block = self.block;
        let samples = &self.from(block * BLOCK as u64)[..2 * BLOCK];
        let (now, later) = samples.split_at(BLOCK);
        let product = kernels::dot_conjugate_c32(now, later);
        // The mean power of both: the newer block is the older one of the next.
        let power = |x: &[C32]| kernels::dot_f32(bytemuck::cast_slice(x), bytemuck::cast_slice(x));
        let power = 0.5 * power(samples);
        self.last.rotate_left(1);
        self.last[WINDOW - 1] = (product, power);
        self.block += 1;
        let (product, power) =
            self.last.iter().fold((C32::ZERO, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        // Of no power, or of what is no number: nothing.
        let correlation = if power > 0.0 && power.is_finite() { product.norm() / power } else { 0.0 };
        let new = Peak { block, correlation, product };
        match self.peak {
            Some(peak) if correlation < FALL * peak.correlation => {
                self.propose(peak);
                (self.peak, self.least) = (None, correlation);
            }
            Some(peak) if correlation > peak.correlation || block > peak.block + MOST_BLOCKS => {
                self.peak = Some(new);
            }
            Some(_) => {}
            None => {
                self.least = self.least.min(correlation);
                if correlation > LEAST_CORRELATION.max(RISE * self.least) {
                    self.peak = Some(new);
                }
            }
        }
    }

    fn propose(&mut self, peak: Peak) {
        let Some(start) = (self.block * BLOCK as u64).checked_sub(BEFORE_END) else { return };
        let frequency = -peak.product.arg() / BLOCK as f32;
        self.candidates.push_back(Candidate { start, frequency });
    }

    /// Tries candidates, and tells frames, as far as there are samples up to `end`.
    fn settle(&mut self, end: u64, found: &mut impl FnMut(Found)) {
        while self.candidates.front().is_some_and(|one| one.start + CANDIDATE_SAMPLES as u64 <= end) {
            self.try_candidate();
        }
        while let Some(pending) = self.pending.front() {
            let samples = frame_samples(pending.signal);
            if pending.start.saturating_add(samples as u64 + LATER) > end {
                break;
            }
            let mut turned = vec![C32::ZERO; samples];
            Rotator::new(-f64::from(pending.frequency))
                .rotate(&mut turned, &self.from(pending.start)[..samples]);
            found(Found {
                start: (pending.start + (MARGIN + BACK_OFF) as u64).saturating_sub(LONG_START as u64),
                samples: turned,
                signal: pending.signal,
                quality: pending.quality,
                frequency: pending.frequency,
            });
            self.pending.pop_front();
        }
    }

    /// Looks whether the oldest candidate is a frame.
    fn try_candidate(&mut self) {
        let Some(candidate) = self.candidates.pop_front() else { return };
        let Some((start, frequency)) = self.place(candidate) else { return };
        if self.newest.is_some_and(|newest| start.abs_diff(newest) < 2 * FFT as u64) {
            return;
        }
        let mut turned = std::mem::take(&mut self.turned);
        turned.resize(SIGNAL_SAMPLES, C32::ZERO);
        Rotator::new(-f64::from(frequency)).rotate(&mut turned, &self.from(start)[..SIGNAL_SAMPLES]);
        if let Some((signal, quality)) = self.demodulator.signal(&turned) {
            self.pending.push_back(Pending { start, frequency, signal, quality });
            self.newest = Some(start);
        }
        self.turned = turned;
    }

    /// Where the samples of a demodulator begin, and the frequency in radians per sample; `None` where there is no long training.
    fn place(&mut self, candidate: Candidate) -> Option<(u64, f32)> {
        let from = candidate.start + SEARCH as u64;
        let len = PLACES + 2 * FFT;
        let mut turned = std::mem::take(&mut self.turned);
        turned.resize(len, C32::ZERO);
        Rotator::new(-f64::from(candidate.frequency)).rotate(&mut turned, &self.from(from)[..len]);
        let found = self.first_echo(&turned);
        let place = found.and_then(|first| {
            let start = first.checked_sub(BACK_OFF)?;
            let guard = start.min(GUARD_PART);
            let part = |at: usize| &turned[at - guard..at + FFT];
            let turn = kernels::dot_conjugate_c32(part(start), part(start + FFT));
            let more = -turn.arg() / FFT as f32;
            Some((from + start as u64 - MARGIN as u64, candidate.frequency + more))
        });
        self.turned = turned;
        place.filter(|(_, frequency)| frequency.is_finite())
    }

    /// In samples whose frequency is about right, where the first echo of the long training begins.
    fn first_echo(&self, turned: &[C32]) -> Option<usize> {
        let mut single = [C32::ZERO; PLACES + FFT];
        for (at, value) in single.iter_mut().enumerate() {
            *value = kernels::dot_conjugate_c32(&turned[at..at + FFT], &self.long);
        }
        let power: [f32; PLACES] = std::array::from_fn(|at| (single[at] + single[at + FFT]).norm_sqr());
        let (best, most) = power
            .iter()
            .enumerate()
            .fold((0, 0.0), |most, (at, power)| if *power > most.1 { (at, *power) } else { most });
        let around = best.saturating_sub(SPREAD / 2)..(best + SPREAD / 2).min(PLACES);
        let both = &turned[best..best + 2 * FFT];
        let energy = kernels::dot_f32(bytemuck::cast_slice(both), bytemuck::cast_slice(both));
        let least = LEAST_MATCH * energy * 2.0 * FFT as f32;
        let is_match = power[around].iter().sum::<f32>() > least && least > 0.0;
        let early = best.saturating_sub(SPREAD / 2);
        let first = power[early..=best].iter().position(|power| *power > FIRST_ECHO * most);
        first.filter(|_| is_match).map(|place| early + place)
    }

    /// Forgets what nobody will look at again.
    fn forget(&mut self) {
        let blocks = (self.block * BLOCK as u64)
            .saturating_sub((MOST_BLOCKS as usize + WINDOW + 2) as u64 * BLOCK as u64);
        let oldest = [
            self.pending.front().map(|pending| pending.start),
            self.candidates.front().map(|candidate| candidate.start),
        ];
        let keep = oldest.into_iter().flatten().fold(blocks, u64::min);
        let done = keep.saturating_sub(self.first) as usize;
        if done > MOST_DONE {
            self.samples.drain(..done);
            self.first += done as u64;
        }
    }
}
