//! The definition of the Viterbi steps.

use super::{ALL_WRONG, BRANCHES, STATES, STEPS_TO_NORMALIZE, normalize};

pub(super) fn viterbi_k7(decisions: &mut [[u32; 2]], metrics: &mut [u16; STATES], symbols: &[[u8; 2]]) {
    let decisions = decisions.chunks_mut(STEPS_TO_NORMALIZE);
    for (decisions, symbols) in decisions.zip(symbols.chunks(STEPS_TO_NORMALIZE)) {
        for (decision, symbols) in decisions.iter_mut().zip(symbols) {
            *decision = step(metrics, *symbols);
        }
        normalize(metrics);
    }
}

fn step(metrics: &mut [u16; STATES], [a, b]: [u8; 2]) -> [u32; 2] {
    let (mut next, mut decision) = ([0; STATES], [0; 2]);
    for i in 0..STATES / 2 {
        let cost = (u16::from(a) ^ BRANCHES[0][i]) + (u16::from(b) ^ BRANCHES[1][i]);
        let (low, high) = (metrics[i], metrics[i + STATES / 2]);
        for bit in 0..2 {
            let (from_low, from_high) = match bit {
                0 => (low + cost, high + (ALL_WRONG - cost)),
                _ => (low + (ALL_WRONG - cost), high + cost),
            };
            next[2 * i + bit] = from_low.min(from_high);
            decision[bit] |= u32::from(from_high < from_low) << i;
        }
    }
    *metrics = next;
    decision
}
