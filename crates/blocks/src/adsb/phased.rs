//! A block of the channel where a few outputs with taps of their own take turns.
//!
//! ```text
//! for m in rounds { for p in phases { y[m · phases + p] = Σⱼ x[m · step + ahead[p] + j] · taps[p][j] } }
//! ```
//!
//! The samples that are `step` apart are put next to one another first, and the outputs of a phase are made next to one another. So
//! vectors hold neighbouring outputs and neighbouring samples, and no output is made to be thrown away.

use superhet_kernels::{self as kernels, C32, Machine, Routine, run_routine};

use super::channel::BLOCK;

/// Outputs of a phase that are made at a time.
const LANES: usize = 24;

/// What makes blocks, for one ratio of rates.
#[derive(Debug)]
pub(super) struct Phased {
    /// Samples from one round of outputs to the next.
    step: usize,
    phases: Vec<Phase>,
    /// Samples that a block takes.
    needed: usize,
    /// The samples: first those of the first of `step` places, and so on.
    apart: Vec<C32>,
    /// The outputs of each phase.
    outputs: Vec<C32>,
}

/// One output of each round.
#[derive(Debug)]
struct Phase {
    taps: Vec<f32>,
    /// Where the sample of each tap is in `apart`.
    places: Vec<usize>,
}

impl Phased {
    /// The output `p` of each round has `phases[p]`: how many samples it begins after the round, and its taps. Their number divides
    /// [`BLOCK`], and is [`BLOCK`] / [`LANES`] at most.
    pub fn new(step: usize, phases: &[(usize, &[f32])]) -> Self {
        let rounds = BLOCK / phases.len();
        let last = phases.iter().map(|(ahead, taps)| ahead + taps.len()).max().unwrap_or_default();
        let needed = (rounds - 1) * step + last;
        let each = needed.div_ceil(step);
        let place = |sample: usize| sample % step * each + sample / step;
        let phase = |(ahead, taps): &(usize, &[f32])| Phase {
            taps: taps.to_vec(),
            places: (0..taps.len()).map(|j| place(ahead + j)).collect(),
        };
        Self {
            step,
            phases: phases.iter().map(phase).collect(),
            needed,
            apart: vec![C32::ZERO; step * each],
            outputs: vec![C32::ZERO; BLOCK],
        }
    }

    /// Makes a block of the samples from its first one on.
    pub fn block(&mut self, samples: &[C32], block: &mut [C32; BLOCK], offset: C32) {
        let (samples, step) = (&samples[..self.needed], self.step);
        let (rows, each) = (samples.len() / step, samples.len().div_ceil(step));
        kernels::transpose_c32(&mut self.apart, samples, rows, step, each, step);
        for (apart, sample) in self.apart.chunks_exact_mut(each).zip(&samples[rows * step..]) {
            apart[rows] = *sample;
        }
        run_routine(Outputs { y: &mut self.outputs, x: &self.apart, phases: &self.phases, offset });
        let phases = self.phases.len();
        kernels::transpose_c32(block, &self.outputs, phases, BLOCK / phases, phases, BLOCK / phases);
    }
}

/// The outputs of one phase after the other, less an offset.
struct Outputs<'a> {
    y: &'a mut [C32],
    x: &'a [C32],
    phases: &'a [Phase],
    offset: C32,
}

impl Routine for Outputs<'_> {
    type Output = ();

    #[inline(always)]
    fn run<M: Machine>(self) {
        let Self { y, x, phases, offset } = self;
        let first: [f32; 2 * LANES] = std::array::from_fn(|n| -[offset.re, offset.im][n % 2]);
        for (y, phase) in y.chunks_exact_mut(BLOCK / phases.len()).zip(phases) {
            let last = y.len() - LANES;
            // The last ones may be made twice.
            for start in (0..y.len()).step_by(LANES).map(|start| start.min(last)) {
                let mut sums = first;
                for (tap, place) in phase.taps.iter().zip(&phase.places) {
                    let x: &[C32; LANES] = x[place + start..].first_chunk().expect("a sample for each lane");
                    for lane in 0..LANES {
                        sums[2 * lane] = M::multiply_add(*tap, x[lane].re, sums[2 * lane]);
                        sums[2 * lane + 1] = M::multiply_add(*tap, x[lane].im, sums[2 * lane + 1]);
                    }
                }
                let y: &mut [C32; LANES] = y[start..].first_chunk_mut().expect("an output for each lane");
                for (y, sum) in y.iter_mut().zip(sums.as_chunks::<2>().0) {
                    *y = C32::new(sum[0], sum[1]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::complex_noise;

    #[test]
    fn a_block_is_what_its_sums_are() {
        for (step, phases, len) in [(3, 5, 12), (5, 8, 12), (3, 2, 13), (5, 4, 1), (25, 8, 26)] {
            let taps: Vec<f32> = (0..len + phases).map(|n| 0.1 + 0.01 * n as f32).collect();
            let phases: Vec<(usize, &[f32])> =
                (0..phases).map(|p| (p * step / phases, &taps[p..][..len])).collect();
            let mut phased = Phased::new(step, &phases);
            let x = complex_noise(phased.needed);
            let (mut y, offset) = ([C32::ZERO; BLOCK], C32::new(0.25, -0.5));
            phased.block(&x, &mut y, offset);
            for (n, y) in y.iter().enumerate() {
                let (ahead, taps) = phases[n % phases.len()];
                let x = &x[n / phases.len() * step + ahead..];
                let sum: C32 = taps.iter().zip(x).map(|(tap, x)| x * tap).sum();
                assert!((y - (sum - offset)).norm() < 1e-5, "{step}: {y} at {n} is not {}", sum - offset);
            }
        }
    }
}
