//! Looks for preambles: pulses in halves 0, 2, 7 and 9 of 16, each 0.5 µs long.
//!
//! When samples straddle two halves, the halves beside a pulse get part of it, so only the five that no pulse can
//! reach tell the floor. The simple version of the search is
//!
//! ```text
//! for p in positions:
//!     mean = sum(y[p + pulses]) / 4
//!     if mean > contrast · sum(y[p + quiet]) / 5
//!         and max(y[p + quiet]) < loudest_quiet · mean
//!         and min(y[p + pulses]) > WEAKEST_PULSE · mean { found }
//! ```
//!
//! What was changed: positions are tested `BLOCK` at a time without branches, so that the compiler uses vectors, by the first condition
//! first, which noise fails in most blocks; and the hits of a block are kept as a mask until the search has passed it.

use superhet_kernels::{self as kernels, ItemFunction};

use super::doubled::folded;
use super::slicer::{Levels, PREAMBLE, Spill};

/// Halves with a pulse.
pub(super) const PULSES: [usize; 4] = [0, 2, 7, 9];

/// Halves that no pulse reaches, not even by spilling into its neighbours.
pub(super) const QUIET: [usize; 5] = [4, 5, 12, 13, 14];

/// What the search asks of a preamble.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// How far the mean pulse stands above the mean floor.
    pub contrast: f32,
    /// The loudest quiet half, relative to the mean pulse; the data of a message has pulses where this asks for quiet.
    pub loudest_quiet: f32,
}

/// Where no filter comes before the magnitude.
///
/// Less finds little more at twice the time: with Gaussian noise of 0.05 per component on the recording of
/// `tests.rs`, a contrast of 3.0 gave 297 messages at 90 times real time, 2.5 gave 308 at 49 times.
pub(super) const MAGNITUDES: Limits = Limits { contrast: 2.7, loudest_quiet: 0.7 };

/// In the filtered channel, where [`bits`] tells noise apart at little cost.
///
/// Of 400 messages at 10 dB and 4 Msps 328 are found with 2.7 and 0.7, 363 with these, and 386 with 2.2 and 0.9, with which
/// noise takes half as long again.
pub(super) const CHANNEL: Limits = Limits { contrast: 2.4, loudest_quiet: 0.75 };

/// The weakest pulse, relative to the mean one.
const WEAKEST_PULSE: f32 = 0.3;

/// Bits whose presence is checked.
const CHECKED_BITS: usize = 28;

/// The weakest pulse of a bit, relative to the mean one of the preamble.
const WEAKEST_BIT: f32 = 0.35;

/// Checked bits that may be weaker.
const SILENT_BITS: u32 = 1;

/// The weakest mean pulse of the checked bits, relative to the mean one of the preamble.
///
/// Chance picks the loudest noise as a preamble; the noise after it is much weaker.
const WEAKEST_MEAN: f32 = 0.7;

/// Bits whose halves [`bits`] compares.
const CONTRAST_BITS: usize = 56;

/// Positions tested at once.
pub(super) const BLOCK: usize = 64;

/// Halves up to the last one that the search looks at.
const REACH: usize = 15;

/// The sums of the pulses of `y`, by half, and of its quiet halves.
#[inline(always)]
fn sums_of(y: impl Fn(usize) -> f32) -> (f32, f32) {
    (y(0) + y(2) + (y(7) + y(9)), y(4) + y(5) + (y(12) + y(13)) + y(14))
}

impl Limits {
    /// Whether the pulses stand far enough above the quiet halves, by the sums of both: without a division.
    #[inline(always)]
    fn stands_out(self, pulses: f32, quiet: f32) -> bool {
        pulses > self.contrast * (PULSES.len() as f32 / QUIET.len() as f32) * quiet
    }
}

/// Whether `y`, by half, looks like a preamble.
#[inline(always)]
fn matches(limits: Limits, y: impl Fn(usize) -> f32) -> bool {
    let (pulses, quiet) = sums_of(&y);
    let mean_pulse = pulses * (1.0 / PULSES.len() as f32);
    // Unlike f32::max and f32::min, these need no care for NaN and are one instruction each.
    let max = |a: f32, b: f32| if a > b { a } else { b };
    let min = |a: f32, b: f32| if a < b { a } else { b };
    let loudest_quiet = max(max(max(y(4), y(5)), max(y(12), y(13))), y(14));
    let weakest_pulse = min(min(y(0), y(2)), min(y(7), y(9)));
    limits.stands_out(pulses, quiet)
        & (loudest_quiet < limits.loudest_quiet * mean_pulse)
        & (weakest_pulse > WEAKEST_PULSE * mean_pulse)
}

/// Whether what follows the preamble at `halves[0]` is one pulse per bit, as no other signal on 1090 MHz has it.
///
/// Replies to secondary radars without Mode S often look like a preamble, but are silent for whole bits.
pub(super) fn has_bits<const STRIDE: usize>(halves: &[f32]) -> bool {
    let Some(window) = halves.get(..(PREAMBLE + 2 * CHECKED_BITS) * STRIDE) else { return false };
    let (preamble, bits) = window.split_at(PREAMBLE * STRIDE);
    let pulse = PULSES.map(|k| preamble[k * STRIDE]).iter().sum::<f32>() / PULSES.len() as f32;
    let (mut silent, mut sum) = (0, 0.0);
    for bit in bits.chunks_exact(2 * STRIDE) {
        let loudest = bit[0].max(bit[STRIDE]);
        silent += u32::from(loudest < WEAKEST_BIT * pulse);
        sum += loudest;
    }
    silent <= SILENT_BITS && sum > WEAKEST_MEAN * pulse * CHECKED_BITS as f32
}

/// A search for preambles that goes forward through one slice.
#[derive(Debug)]
pub(super) struct Search<'a, const STRIDE: usize> {
    halves: &'a [f32],
    limits: Limits,
    /// The first position that is not searched; at least `REACH` halves follow the last one that is.
    end: usize,
    /// The first position of the block looked at.
    block: usize,
    /// Hits in it: bit n stands for position `block + n`.
    hits: u64,
}

impl<'a, const STRIDE: usize> Search<'a, STRIDE> {
    /// Looks at the positions before `end`.
    pub fn new(halves: &'a [f32], limits: Limits, end: usize) -> Self {
        let mut search = Self { halves, limits, end, block: 0, hits: 0 };
        search.look();
        search
    }

    /// The first position from `from` on that looks like a preamble; `from` never goes back.
    pub fn next(&mut self, from: usize) -> Option<usize> {
        if from >= self.block + BLOCK {
            self.block = from;
            self.look();
        } else {
            self.hits &= u64::MAX << (from - self.block);
        }
        while self.hits == 0 {
            self.block += BLOCK;
            if self.block >= self.end {
                return None;
            }
            self.look();
        }
        Some(self.block + self.hits.trailing_zeros() as usize)
    }

    /// Fills `hits`.
    fn look(&mut self) {
        let Self { halves, limits, end, block, .. } = *self;
        self.hits = 0;
        if block + BLOCK <= end {
            hits::<STRIDE>(halves, limits, &[block], std::array::from_mut(&mut self.hits));
        } else {
            for n in 0..end.saturating_sub(block) {
                let hit = matches(limits, |k| halves[block + n + k * STRIDE]);
                self.hits |= u64::from(hit) << n;
            }
        }
    }
}

/// Says which positions look like a preamble: bit `b` of `masks[n]` is for the position `starts[n] + b`, behind which there are
/// `BLOCK + REACH * STRIDE` halves.
pub(super) fn hits<const STRIDE: usize>(halves: &[f32], limits: Limits, starts: &[usize], masks: &mut [u64]) {
    kernels::map(masks, starts, &Hits::<STRIDE> { halves, limits });
}

/// Which positions of the block from `start` on look like a preamble; a function of one item, so that it is compiled for the
/// instruction set that is there.
struct Hits<'a, const STRIDE: usize> {
    halves: &'a [f32],
    limits: Limits,
}

impl<const STRIDE: usize> ItemFunction for Hits<'_, STRIDE> {
    type In = usize;
    type Out = u64;

    #[inline(always)]
    fn apply(&self, start: usize) -> u64 {
        let window = &self.halves[start..start + BLOCK + REACH * STRIDE];
        let lanes: [&[f32; BLOCK]; REACH] =
            std::array::from_fn(|k| window[k * STRIDE..].first_chunk().expect("a block"));
        // Of all positions: vectors have no branches.
        let any = |any, n: usize| {
            let (pulses, quiet) = sums_of(|k| lanes[k][n]);
            any | u32::from(self.limits.stands_out(pulses, quiet))
        };
        if (0..BLOCK).fold(0, any) == 0 {
            return 0;
        }
        let mut hits = [0_u8; BLOCK];
        for n in 0..BLOCK {
            hits[n] = u8::from(matches(self.limits, |k| lanes[k][n]));
        }
        // The multiplication brings the lowest bit of byte n to bit 56 + n.
        let bits = |hits: &[u8; 8]| u64::from_le_bytes(*hits).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        hits.as_chunks().0.iter().rev().fold(0, |mask, hits| mask << 8 | bits(hits))
    }
}

/// The levels of the preamble at `halves[0]`; `None` where nothing stands above the floor.
pub(super) fn levels<const STRIDE: usize>(halves: &[f32]) -> Option<Levels> {
    if halves.len() <= REACH * STRIDE {
        return None;
    }
    let y = |k: usize| halves[k * STRIDE];
    let floor = QUIET.map(y).iter().sum::<f32>() / QUIET.len() as f32;
    let pulse = PULSES.map(y).iter().sum::<f32>() / PULSES.len() as f32 - floor;
    (pulse.is_finite() && pulse > 0.0).then_some(Levels { floor, pulse })
}

/// The first 56 bits after a preamble.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bits {
    /// How far the halves of a bit are apart, relative to their sum: about 1 less the noise in a message, 0.3 in noise.
    pub contrast: f32,
    /// What both halves of a bit are together.
    pub level: f32,
}

/// Values that are summed at once.
const LANES: usize = 16;

/// Sums of the differences of values half a bit apart, and of their sums, in lanes.
pub(super) type BitSums = [[f32; LANES]; 2];

/// The sums of the bits behind the preambles at the places `at`, and at the next three.
///
/// # Panics
/// Unless there are 258 magnitudes from each place on.
pub(super) fn sums_of_bits(magnitudes: &[f32], at: &[usize], sums: &mut [BitSums]) {
    kernels::map(sums, at, &SumsOfBits(magnitudes));
}

/// The sums at a place: a function of one item, as [`Hits`].
struct SumsOfBits<'a>(&'a [f32]);

impl ItemFunction for SumsOfBits<'_> {
    type In = usize;
    type Out = BitSums;

    #[inline(always)]
    fn apply(&self, at: usize) -> BitSums {
        let bits = &self.0[at + 2 * PREAMBLE..][..4 * CONTRAST_BITS + 2];
        let (mut apart, mut all) = ([0.0; LANES], [0.0; LANES]);
        let (early, late) = (bits.as_chunks::<LANES>().0, bits[2..].as_chunks::<LANES>().0);
        for (early, late) in early.iter().zip(late) {
            for lane in 0..LANES {
                apart[lane] += (early[lane] - late[lane]).abs();
                all[lane] += early[lane] + late[lane];
            }
        }
        [apart, all]
    }
}

/// The bits of the messages that begin at a place and at the next three, two of which are half a bit.
pub(super) fn bits([apart, all]: BitSums) -> [Bits; 4] {
    let (apart, all): ([f32; 4], [f32; 4]) = (folded(apart), folded(all));
    std::array::from_fn(|n| Bits { contrast: apart[n] / all[n], level: all[n] / CONTRAST_BITS as f32 })
}

/// The mean pulse of the preamble at `magnitudes[0]`, and its mean quiet half.
pub(super) fn means<const STRIDE: usize>(magnitudes: &[f32]) -> (f32, f32) {
    let mean =
        |halves: &[usize]| halves.iter().map(|k| magnitudes[k * STRIDE]).sum::<f32>() / halves.len() as f32;
    (mean(&PULSES), mean(&QUIET))
}

/// The spills to try: the one that the preamble shows, then none, then those of `others`.
pub(super) fn spills<const STRIDE: usize>(
    halves: &[f32],
    levels: Levels,
    others: &'static [Spill],
) -> impl Iterator<Item = Spill> {
    let y = |k: usize| ((halves[k * STRIDE] - levels.floor) / levels.pulse).clamp(0.0, 1.0);
    let measured = Spill { early: y(6), late: (y(3) + y(10)) / 2.0 };
    [measured, Spill { early: 0.0, late: 0.0 }].into_iter().chain(others.iter().copied())
}
