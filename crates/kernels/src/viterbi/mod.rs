//! Viterbi decoding of the convolutional code of constraint length 7 and rate 1/2 that satellites and Wi-Fi use.
//!
//! The encoder shifts each bit into a register of 7, the newest lowest, and sends the parities of two selections:
//! `POLYNOMIALS`, which are 0o171 and 0o133 with the newest bit highest. The lower 6 bits are the state that the next bit
//! finds.
//!
//! ```text
//! state i      ──┬──> 2 i        The two states that lead to 2 i and 2 i + 1 are i and i + 32: a butterfly. Both
//!                ╳               polynomials contain the oldest and the newest bit. So the two bits sent on i -> 2 i and
//! state i + 32 ──┴──> 2 i + 1    i + 32 -> 2 i + 1 are the same, and on the other two branches both are inverted.
//! ```

#[cfg(target_arch = "x86_64")]
mod avx2;
mod decoder;
mod scalar;

use crate::dispatch::kernel;

pub use decoder::ViterbiK7;

/// States of the encoder.
const STATES: usize = 64;

/// Which bits of the register, the newest lowest, each parity is taken of.
const POLYNOMIALS: [u8; 2] = [0o171u8.reverse_bits() >> 1, 0o133u8.reverse_bits() >> 1];

/// The decisions of a step: see [`viterbi_k7`](fn@viterbi_k7).
type Decision = [u32; 2];

/// A variant of [`viterbi_k7`](fn@viterbi_k7).
type Kernel = fn(&mut [Decision], &mut [u16; STATES], &[[u8; 2]]);

/// For each polynomial and each `i`, 255 if the branch `i -> 2 i` sends a one, else 0: what turns a symbol into a cost.
const BRANCHES: [[u16; STATES / 2]; 2] = {
    let mut branches = [[0; STATES / 2]; 2];
    let mut i = 0;
    while i < STATES / 2 {
        let register = 2 * i as u8;
        branches[0][i] = 255 * ((register & POLYNOMIALS[0]).count_ones() % 2) as u16;
        branches[1][i] = 255 * ((register & POLYNOMIALS[1]).count_ones() % 2) as u16;
        i += 1;
    }
    branches
};

/// The cost of two symbols that say the contrary of what a branch sends.
const ALL_WRONG: u16 = 2 * 255;

/// After so many steps the least metric is subtracted from all. No state is worse than the best by more than 6 steps can
/// cost, 3060, and 64 steps add 32640 at most: 16 bits suffice.
const STEPS_TO_NORMALIZE: usize = 64;

fn normalize(metrics: &mut [u16; STATES]) {
    let least = metrics.iter().copied().min().unwrap_or(0);
    metrics.iter_mut().for_each(|metric| *metric -= least);
}

kernel! {
    /// Steps of the Viterbi algorithm for the code K = 7, rate 1/2: two soft symbols and 64 decisions each.
    ///
    /// | argument | item | unit |
    /// |---|---|---|
    /// | `decisions` | bit `i` of the words 0 and 1 | whether state `2 i` and `2 i + 1` were come to from `i + 32`, not from `i` |
    /// | `metrics` | of each state | the cost of the best way to it; at most 30000 in, at most 3060 more than the least out |
    /// | `symbols` | for each step, of the polynomials 0o171 and 0o133 | 0 is a sure zero, 255 a sure one |
    ///
    /// All variants give the same bits, and cuts make no difference to decisions. [`ViterbiK7`] decodes whole blocks.
    ///
    /// ```
    /// let mut metrics = [4000; 64];
    /// metrics[0] = 0; // the encoder starts in state 0
    /// let mut decisions = [[0; 2]; 1];
    /// superhet_kernels::viterbi_k7(&mut decisions, &mut metrics, &[[255, 255]]);
    /// assert_eq!((metrics[0], metrics[1]), (510, 0)); // it was sent a one
    /// ```
    pub fn viterbi_k7(decisions: &mut [[u32; 2]], metrics: &mut [u16; 64], symbols: &[[u8; 2]]);
    same_length(decisions, symbols);
    kind Reduction;
    table VITERBI_K7 { x86_64: avx2; }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{self, Noise};

    #[test]
    fn every_variant_decides_alike_wherever_the_steps_are_cut() {
        let symbols: Vec<[u8; 2]> = Noise::new(1).signal(check::LONGEST);
        let start = || std::array::from_fn(|state| if state == 0 { 0 } else { 4000 });
        let (mut whole, mut metrics) = (vec![[0; 2]; symbols.len()], start());
        VITERBI_K7.variant("scalar").unwrap()(&mut whole, &mut metrics, &symbols);
        for (name, run) in VITERBI_K7.variants() {
            for step in [1, 7, 63, 64, 65, 1000, check::LONGEST] {
                let (mut decisions, mut metrics) = (vec![[!0; 2]; symbols.len()], start());
                for (decisions, symbols) in decisions.chunks_mut(step).zip(symbols.chunks(step)) {
                    run(decisions, &mut metrics, symbols);
                }
                assert!(decisions == whole, "{name}, steps of {step}");
                let (least, most) = (metrics.iter().min().unwrap(), metrics.iter().max().unwrap());
                assert!(*least == 0 && *most <= 3060, "{name}: {least}, {most}");
            }
        }
    }

    #[test]
    fn the_polynomials_are_those_of_the_standards() {
        assert_eq!(POLYNOMIALS, [79, 109]);
    }
}
