//! The carrier of a message: once its frequency and phase are known, the noise across it does no harm.
//!
//! Where a pulse is, is known for most bits from the magnitudes alone, so
//!
//! 1. the louder half of each bit is taken for its pulse;
//! 2. the frequency comes from the products of neighbouring pulses one half apart, which leave no doubt, and then, more
//!    exactly, from those of the sums of neighbouring groups of four bits;
//! 3. the phase of a group is that of the sum of the groups about it, so that a carrier that drifts is followed;
//! 4. what is left of each half is its part in phase, which is negative where noise alone is against it.
//!
//! That is worth about 1 dB where messages begin to be lost, and what a filter spills from one half into the next adds up
//! without a phase.

use superhet_runtime::C32;

use super::preamble::{PULSES, QUIET};
use super::slicer::PREAMBLE;

/// Halves of a group.
const GROUP: usize = 8;

/// Groups of the preamble.
const BEFORE: usize = PREAMBLE / GROUP;

/// Groups of the longest message.
const MOST_GROUPS: usize = 28;

/// Groups on each side of one that tell its phase, too.
const REACH: usize = 2;

/// How much of the pulses must be in phase; about 0.4 of noise is.
const LEAST_COHERENCE: f32 = 0.5;

/// What the preamble's pulses must be in phase at least, and what its quiet halves may be, relative to the mean pulse.
const LEAST_PULSE: f32 = 0.5;
const MOST_QUIET: f32 = 0.4;

/// Halves of the longest message, as far as they are in phase with its carrier.
pub(super) type InPhase = [f32; PREAMBLE + GROUP * MOST_GROUPS];

pub(super) const NONE_IN_PHASE: InPhase = [0.0; PREAMBLE + GROUP * MOST_GROUPS];

/// The halves of a message in phase with its carrier.
#[derive(Debug)]
pub(super) struct Carrier {
    in_phase: InPhase,
    /// How many of them are of the message that was followed last.
    count: usize,
    /// What turns the halves of a group back, and each group of that message.
    turns: [C32; GROUP],
    groups: [C32; BEFORE + MOST_GROUPS],
}

impl Default for Carrier {
    fn default() -> Self {
        Self {
            in_phase: NONE_IN_PHASE,
            count: 0,
            turns: [C32::ONE; GROUP],
            groups: [C32::ONE; BEFORE + MOST_GROUPS],
        }
    }
}

impl Carrier {
    /// The part of each half in phase with the carrier; `None` where the pulses have none in common.
    ///
    /// `halves[0]` is the first of the preamble, and `magnitudes` are those of the halves.
    pub fn follow(&mut self, halves: &[C32], magnitudes: &[f32]) -> Option<&[f32]> {
        let (_, message) = halves.as_chunks::<GROUP>().0.split_at_checked(BEFORE)?;
        // The first bit tells a message of 56 bits from one of 112.
        let is_long = magnitudes.get(PREAMBLE)? > magnitudes.get(PREAMBLE + 1)?;
        let message = &message[..message.len().min(if is_long { MOST_GROUPS } else { MOST_GROUPS / 2 })];
        let magnitudes = magnitudes[PREAMBLE..].as_chunks::<GROUP>().0;
        let mut pulses = [[(0, C32::ZERO); GROUP / 2]; MOST_GROUPS];
        let mut all = 0.0;
        for ((pulses, halves), magnitudes) in pulses.iter_mut().zip(message).zip(magnitudes) {
            for (n, pulse) in pulses.iter_mut().enumerate() {
                let at = 2 * n + usize::from(magnitudes[2 * n + 1] > magnitudes[2 * n]);
                *pulse = (at, halves[at]);
                all += magnitudes[at];
            }
        }
        let pulses = &pulses[..message.len()];

        // Products of neighbours that are 1, 2 and 3 halves apart.
        let mut products = [C32::ZERO; 3];
        for pulses in pulses {
            for pair in pulses.windows(2) {
                let (apart, product) = (pair[1].0 - pair[0].0, pair[1].1 * pair[0].1.conj());
                for (n, sum) in products.iter_mut().enumerate() {
                    *sum += product * if apart == n + 1 { 1.0 } else { 0.0 };
                }
            }
        }
        let first = products[0].arg();
        let step = C32::from_polar(1.0, -first);
        let left = products[0] * step + products[1] * step * step + products[2] * step * step * step;
        let coarse = first + left.arg() / 2.0;
        let turns = turns(coarse);
        let sum = |pulses: &[(usize, C32)]| pulses.iter().map(|&(at, pulse)| pulse * turns[at]).sum::<C32>();
        let mut sums = [C32::ZERO; MOST_GROUPS];
        for (group, pulses) in sums.iter_mut().zip(pulses) {
            *group = sum(pulses);
        }
        let groups: C32 = sums.windows(2).map(|pair| pair[1] * pair[0].conj()).sum();
        let back = C32::from_polar(1.0, -coarse * GROUP as f32);
        let fine = (groups * back).arg() / GROUP as f32;
        self.turns = self::turns(coarse + fine);
        let step = C32::from_polar(1.0, -(coarse + fine) * GROUP as f32);
        // Within a group the coarse frequency is good enough.
        let mut phase = C32::ONE;
        for sum in &mut sums[..message.len()] {
            *sum *= phase;
            phase *= step;
        }
        let (mut kept, mut phase) = (0.0, C32::ONE);
        for (n, sum) in sums[..message.len()].iter().enumerate() {
            let about = &sums[n.saturating_sub(REACH)..(n + REACH + 1).min(message.len())];
            let about: C32 = about.iter().sum();
            let direction = about.conj() / about.norm_sqr().sqrt().max(f32::MIN_POSITIVE);
            kept += (sum * direction).re;
            if n == 0 {
                for group in 0..BEFORE {
                    self.groups[group] = direction * step.powi(group as i32 - BEFORE as i32);
                }
            }
            self.groups[BEFORE + n] = direction * phase;
            phase *= step;
        }
        self.count = PREAMBLE + GROUP * message.len();
        turned_back(&halves[..self.count], &self.turns, &self.groups, &mut self.in_phase);
        let mean =
            |places: &[usize]| places.iter().map(|&k| self.in_phase[k]).sum::<f32>() / places.len() as f32;
        let level = all / (message.len() * GROUP / 2) as f32;
        let has_preamble = mean(&PULSES) > LEAST_PULSE * level && mean(&QUIET) < MOST_QUIET * level;
        (has_preamble && kept > LEAST_COHERENCE * all).then_some(self.in_phase())
    }

    /// What [`follow`](Self::follow) gave last.
    pub fn in_phase(&self) -> &[f32] {
        &self.in_phase[..self.count]
    }

    /// The parts of `values` in phase with the carrier that was followed last, in whole groups; each lies in its half or next to it.
    pub fn turn_back<'a>(&self, values: &[C32], out: &'a mut InPhase) -> &'a [f32] {
        turned_back(&values[..self.count.min(values.len())], &self.turns, &self.groups, out)
    }
}

/// Turns whole groups of values back, and keeps their real parts.
fn turned_back<'a>(values: &[C32], turns: &[C32; GROUP], groups: &[C32], out: &'a mut InPhase) -> &'a [f32] {
    let values = values.as_chunks::<GROUP>().0;
    for (out, (values, group)) in out.as_chunks_mut::<GROUP>().0.iter_mut().zip(values.iter().zip(groups)) {
        for n in 0..GROUP {
            out[n] = (values[n] * (turns[n] * group)).re;
        }
    }
    &out[..values.len() * GROUP]
}

/// What turns each half of a group back, where the carrier turns by `turn` in a half.
fn turns(turn: f32) -> [C32; GROUP] {
    let step = C32::from_polar(1.0, -turn);
    let mut turns = [C32::ONE; GROUP];
    for n in 1..GROUP {
        turns[n] = turns[n - 1] * step;
    }
    turns
}
