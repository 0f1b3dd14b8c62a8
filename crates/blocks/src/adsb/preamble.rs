//! Looks for preambles: pulses in halves 0, 2, 7 and 9 of 16, each 0.5 µs long.
//!
//! When samples straddle two halves, the halves beside a pulse get part of it, so only the five that no pulse can
//! reach tell the floor. The simple version of the search is
//!
//! ```text
//! for p in positions:
//!     mean = sum(y[p + pulses]) / 4
//!     if mean > CONTRAST · sum(y[p + quiet]) / 5
//!         and max(y[p + quiet]) < LOUDEST_QUIET · mean
//!         and min(y[p + pulses]) > WEAKEST_PULSE · mean { found }
//! ```
//!
//! What was changed: positions are tested `BLOCK` at a time without branches, so that the compiler uses vectors,
//! and the hits of a block are kept as a mask until the search has passed it.

use super::slicer::{Levels, PREAMBLE, Spill};

/// Halves with a pulse.
pub(super) const PULSES: [usize; 4] = [0, 2, 7, 9];

/// Halves that no pulse reaches, not even by spilling into its neighbours.
const QUIET: [usize; 5] = [4, 5, 12, 13, 14];

/// How far the mean pulse stands above the mean floor.
///
/// Less finds little more at twice the time: with Gaussian noise of 0.05 per component on the recording of
/// `tests.rs`, 3.0 gave 297 messages at 90 times real time, 2.5 gave 308 at 49 times.
const CONTRAST: f32 = 2.7;

/// The loudest quiet half, relative to the mean pulse; the data of a message has pulses where this asks for quiet.
const LOUDEST_QUIET: f32 = 0.7;

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

/// Positions tested at once.
const BLOCK: usize = 32;

/// Halves up to the last one that the search looks at.
const REACH: usize = 15;

/// Whether `y`, by half, looks like a preamble.
#[inline(always)]
fn matches(y: impl Fn(usize) -> f32) -> bool {
    let mean_pulse = (y(0) + y(2) + y(7) + y(9)) / PULSES.len() as f32;
    let mean_quiet = (y(4) + y(5) + y(12) + y(13) + y(14)) / QUIET.len() as f32;
    // Unlike f32::max and f32::min, these need no care for NaN and are one instruction each.
    let max = |a: f32, b: f32| if a > b { a } else { b };
    let min = |a: f32, b: f32| if a < b { a } else { b };
    let loudest_quiet = max(max(max(y(4), y(5)), max(y(12), y(13))), y(14));
    let weakest_pulse = min(min(y(0), y(2)), min(y(7), y(9)));
    (mean_pulse > CONTRAST * mean_quiet)
        & (loudest_quiet < LOUDEST_QUIET * mean_pulse)
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
    /// The first position that is not searched; at least `REACH` halves follow the last one that is.
    end: usize,
    /// The first position of the block looked at.
    block: usize,
    /// Hits in it: bit n stands for position `block + n`.
    hits: u32,
}

impl<'a, const STRIDE: usize> Search<'a, STRIDE> {
    /// Looks at the positions before `end`.
    pub fn new(halves: &'a [f32], end: usize) -> Self {
        let mut search = Self { halves, end, block: 0, hits: 0 };
        search.look();
        search
    }

    /// The first position from `from` on that looks like a preamble; `from` never goes back.
    pub fn next(&mut self, from: usize) -> Option<usize> {
        if from >= self.block + BLOCK {
            self.block = from;
            self.look();
        } else {
            self.hits &= u32::MAX << (from - self.block);
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
        let Self { halves, end, block, .. } = *self;
        let mut hits = [false; BLOCK];
        if block + BLOCK <= end {
            let window = &halves[block..block + BLOCK + REACH * STRIDE];
            let lanes: [&[f32]; REACH] = std::array::from_fn(|k| &window[k * STRIDE..k * STRIDE + BLOCK]);
            for (n, hit) in hits.iter_mut().enumerate() {
                *hit = matches(|k| lanes[k][n]);
            }
        } else {
            for (n, hit) in hits.iter_mut().take(end.saturating_sub(block)).enumerate() {
                *hit = matches(|k| halves[block + n + k * STRIDE]);
            }
        }
        self.hits = 0;
        if hits.contains(&true) {
            self.hits = hits.iter().rev().fold(0, |mask, &hit| mask << 1 | u32::from(hit));
        }
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

/// The spills to try: the one that the preamble shows, then none, then half a pulse to either side.
pub(super) fn spills<const STRIDE: usize>(halves: &[f32], levels: Levels) -> impl Iterator<Item = Spill> {
    let y = |k: usize| ((halves[k * STRIDE] - levels.floor) / levels.pulse).clamp(0.0, 1.0);
    let measured = Spill { early: y(6), late: (y(3) + y(10)) / 2.0 };
    let fixed = [(0.0, 0.0), (0.5, 0.0), (0.0, 0.5)];
    std::iter::once(measured).chain(fixed.map(|(early, late)| Spill { early, late }))
}
