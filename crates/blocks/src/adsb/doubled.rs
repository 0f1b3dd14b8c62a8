//! A block of the channel where samples come at half its rate, as they do from the common receivers.

use superhet_kernels::{self as kernels, Machine, Routine};
use superhet_runtime::C32;

use super::channel::{BLOCK, FEWEST_TAPS};

/// Sums over a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Totals {
    pub sum: C32,
    pub energy: f32,
}

impl Totals {
    pub fn of(block: &[C32]) -> Self {
        Totals { sum: kernels::mean_c32(block) * block.len() as f32, energy: kernels::energy_c32(block) }
    }
}

/// Samples that are taken at a time at the lowest rate.
const LANES: usize = 8;

/// A block at twice the rate of the samples, which are its even outputs; each odd one lies between two of them. Filter, offset and sums
/// are one loop, so that no value is read again.
pub(super) struct Doubled<'a> {
    pub y: &'a mut [C32; BLOCK],
    /// The first outputs are sample `FEWEST_TAPS / 2 − 1` and what lies behind it.
    pub x: &'a [C32],
    pub taps: &'a [f32; FEWEST_TAPS],
    pub offset: C32,
}

impl Routine for Doubled<'_> {
    type Output = Totals;

    #[inline(always)]
    fn run<M: Machine>(self) -> Totals {
        let Self { y, x, taps, offset } = self;
        // Taps of its own: those behind a reference are read again after each output, as it might have changed them.
        let (offset, taps) = ([offset.re, offset.im], *taps);
        let (mut sums, mut energies) = ([0.0; 4 * LANES], [0.0; 4 * LANES]);
        for (n, y) in y.as_chunks_mut::<{ 2 * LANES }>().0.iter_mut().enumerate() {
            let x = &x[n * LANES..][..LANES + FEWEST_TAPS - 1];
            let at = |j: usize| -> &[C32; LANES] { x[j..].first_chunk().expect("a sample for each lane") };
            let mut odd = [0.0; 2 * LANES];
            for (j, tap) in taps.iter().enumerate() {
                let x = at(j);
                for lane in 0..LANES {
                    odd[2 * lane] = M::multiply_add(*tap, x[lane].re, odd[2 * lane]);
                    odd[2 * lane + 1] = M::multiply_add(*tap, x[lane].im, odd[2 * lane + 1]);
                }
            }
            let even = at(FEWEST_TAPS / 2 - 1);
            // Real and imaginary parts of both.
            let mut parts = [0.0; 4 * LANES];
            for lane in 0..LANES {
                let pair = [even[lane].re, even[lane].im, odd[2 * lane], odd[2 * lane + 1]];
                for part in 0..4 {
                    parts[4 * lane + part] = pair[part] - offset[part % 2];
                }
            }
            for part in 0..4 * LANES {
                sums[part] += parts[part];
                energies[part] += parts[part] * parts[part];
            }
            for (y, part) in y.iter_mut().zip(parts.as_chunks::<2>().0) {
                *y = C32::new(part[0], part[1]);
            }
        }
        let [re, im] = folded(sums);
        let [energy] = folded(energies);
        Totals { sum: C32::new(re, im), energy }
    }
}

/// Adds the lanes whose numbers differ by multiples of `PARTS`, in halves as vectors are added. Both numbers are powers of 2.
#[inline(always)]
pub(super) fn folded<const ALL: usize, const PARTS: usize>(mut lanes: [f32; ALL]) -> [f32; PARTS] {
    let mut half = ALL / 2;
    while half >= PARTS {
        for lane in 0..half {
            lanes[lane] += lanes[lane + half];
        }
        half /= 2;
    }
    std::array::from_fn(|lane| lanes[lane])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::complex_noise;
    use superhet_kernels::run_routine;

    #[test]
    fn a_block_is_what_separate_steps_make() {
        let x = complex_noise(BLOCK / 2 + FEWEST_TAPS);
        let taps = std::array::from_fn(|n| 0.1 + 0.01 * n as f32);
        let offset = C32::new(0.25, -0.5);
        let mut y = [C32::ZERO; BLOCK];
        let totals = run_routine(Doubled { y: &mut y, x: &x, taps: &taps, offset });
        for (n, pair) in y.as_chunks::<2>().0.iter().enumerate() {
            let between: C32 = taps.iter().zip(&x[n..]).map(|(tap, x)| x * tap).sum();
            assert_eq!(pair[0], x[n + FEWEST_TAPS / 2 - 1] - offset);
            assert!((pair[1] - (between - offset)).norm() < 1e-5, "{n}: {} is not {between}", pair[1]);
        }
        let Totals { sum, energy } = Totals::of(&y);
        assert!((totals.sum - sum).norm() < 1e-2 && (totals.energy - energy).abs() < 1e-4 * energy);
    }

    #[test]
    fn lanes_are_folded_by_their_number() {
        let lanes: [f32; 16] = std::array::from_fn(|lane| lane as f32);
        assert_eq!(folded::<16, 4>(lanes), [24.0, 28.0, 32.0, 36.0]);
        assert_eq!(folded::<16, 1>(lanes), [120.0]);
    }
}
