//! The sums of a polyphase filter bank: what a channelizer transforms.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use crate::C32;
use crate::dispatch::kernel;

kernel! {
    /// Sums of the branches of a polyphase filter: `y[m] = Σₚ x[p · M + m] · taps[p · M + m]` with `M = y.len()`
    /// branches.
    ///
    /// The Fourier transform of `y` then is a bank of `M` filters, each with these taps (in reverse, the one for the newest
    /// sample last), each about a frequency of its own. All variants give the same bits.
    ///
    /// **Accuracy**: `|error| ≤ 2⁻²⁴ · (taps / M + 1) · Σ |x| · |tap|` in each part.
    ///
    /// # Panics
    ///
    /// Unless `x.len() == taps.len()` and that is a multiple of `y.len()`.
    ///
    /// ```
    /// use superhet_kernels::{C32, polyphase_c32_f32};
    /// let x = [C32::ONE, C32::I, C32::ONE, C32::I];
    /// let mut y = [C32::ZERO; 2];
    /// polyphase_c32_f32(&mut y, &x, &[1.0, 2.0, 3.0, 4.0]);
    /// assert_eq!(y, [C32::new(4.0, 0.0), C32::new(0.0, 6.0)]);
    /// ```
    pub fn polyphase_c32_f32(y: &mut [C32], x: &[C32], taps: &[f32]);
    check whole_rounds(y.len(), x.len(), taps.len());
    work |n| { x: 8 * n, taps: 8 * n }
    kind Reduction;
    table POLYPHASE_C32_F32 { x86_64: avx512, avx2; }
}

fn whole_rounds(branches: usize, samples: usize, taps: usize) {
    assert!(
        samples == taps && (samples == 0 || branches > 0 && samples.is_multiple_of(branches)),
        "polyphase_c32_f32 needs x.len() == taps.len(), a multiple of y.len(), got {samples}, {taps} and {branches}"
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Guarded, Item, Noise, Want, wide};
    use num_complex::Complex;

    #[test]
    fn every_variant_sums_each_branch_to_the_same_bits() {
        for branches in [1, 2, 7, 15, 16, 17, 31, 32, 33, 64, 100] {
            for rounds in [0, 1, 2, 5, 12] {
                let x = Guarded::copy(&Noise::new(1).signal::<C32>(branches * rounds), branches % 18);
                let taps = Guarded::copy(&Noise::new(2).signal::<f32>(branches * rounds), rounds);
                let (x, taps) = (x.items(), taps.items());
                let mut whole = vec![C32::JUNK; branches];
                POLYPHASE_C32_F32.variant("scalar").unwrap()(&mut whole, x, taps);
                for (m, y) in whole.iter().enumerate() {
                    let products = || (m..x.len()).step_by(branches).map(|n| (wide(x[n]), taps[n] as f64));
                    let sum: Complex<f64> = products().map(|(x, tap)| x * tap).sum();
                    let scale: f64 = products().map(|(x, tap)| x.norm() * tap.abs()).sum();
                    let bound = scale * (rounds + 1) as f64 / (1 << 24) as f64;
                    Want::complex_within(sum, bound).check(*y, &format!("branch {m} of {branches}"));
                }
                for (name, run) in POLYPHASE_C32_F32.variants() {
                    let mut y = Guarded::junk(branches, 5 * rounds % 18);
                    run(y.items_mut(), x, taps);
                    y.check_guards(name);
                    assert_eq!(y.items(), whole, "{name}, {branches} branches of {rounds} taps");
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "got 3, 3 and 2")]
    fn a_part_of_a_round_panics() {
        polyphase_c32_f32(&mut [C32::ZERO; 2], &[C32::ONE; 3], &[1.0; 3]);
    }
}
