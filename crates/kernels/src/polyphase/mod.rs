//! The sums of a polyphase filter bank: what a channelizer transforms.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use crate::C32;
use crate::dispatch::kernel;

kernel! {
    /// Sums of the branches of a polyphase filter, for `K` frames:
    /// `y[k · M + m] = Σₚ x[k · step + p · M + m] · taps[p · M + m]`, with `M = y.len() / K` branches and as many frames as
    /// there are samples for: `K = (x.len() − taps.len()) / step + 1`.
    ///
    /// The Fourier transform of a frame of `y` then is a bank of `M` filters, each with these taps (in reverse, the one for
    /// the newest sample last), each about a frequency of its own. All variants give the same bits.
    ///
    /// **Accuracy**: `|error| ≤ 2⁻²⁴ · (taps / M + 1) · Σ |x| · |tap|` in each part.
    ///
    /// # Panics
    ///
    /// Unless `step` is positive, `x.len() ≥ taps.len()`, `x.len() − taps.len()` is a multiple of `step`, `y.len()` one of `K`,
    /// and `taps.len()` one of `M`.
    ///
    /// ```
    /// use superhet_kernels::{C32, polyphase_c32_f32};
    /// let x = [C32::ONE, C32::I, C32::ONE, C32::I];
    /// let mut y = [C32::ZERO; 2];
    /// polyphase_c32_f32(&mut y, &x, &[1.0, 2.0, 3.0, 4.0], 2);
    /// assert_eq!(y, [C32::new(4.0, 0.0), C32::new(0.0, 6.0)]);
    /// let mut two_frames = [C32::ZERO; 4];
    /// polyphase_c32_f32(&mut two_frames, &x, &[1.0, 2.0], 2);
    /// assert_eq!(two_frames, [C32::ONE, 2.0 * C32::I, C32::ONE, 2.0 * C32::I]);
    /// ```
    pub fn polyphase_c32_f32(y: &mut [C32], x: &[C32], taps: &[f32], step: usize);
    check whole_frames(y.len(), x.len(), taps.len(), step);
    work |n| { x: 8 * n, taps: 8 * n, step: 1 }
    kind Reduction;
    table POLYPHASE_C32_F32 { x86_64: avx512, avx2; }
}

/// How many frames there are samples for.
fn frames(samples: usize, taps: usize, step: usize) -> usize {
    (samples - taps) / step + 1
}

fn whole_frames(sums: usize, samples: usize, taps: usize, step: usize) {
    let fits = step > 0 && samples >= taps && (samples - taps).is_multiple_of(step) && {
        let frames = frames(samples, taps, step);
        sums.is_multiple_of(frames) && (taps == 0 || sums > 0 && taps.is_multiple_of(sums / frames))
    };
    assert!(
        fits,
        "polyphase_c32_f32 needs x.len() = taps.len() + a multiple of step, y.len() a multiple of the frames and \
         taps.len() one of the branches, got x.len() = {samples}, taps.len() = {taps}, y.len() = {sums} and step = {step}"
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Guarded, Item, Noise, Want, wide};
    use num_complex::Complex;

    #[test]
    fn every_variant_sums_each_branch_to_the_same_bits() {
        for branches in [1, 2, 3, 4, 7, 8, 12, 15, 16, 17, 31, 32, 33, 64, 100] {
            for rounds in [0, 1, 2, 5, 12] {
                let taps = Guarded::copy(&Noise::new(2).signal::<f32>(branches * rounds), rounds);
                let taps = taps.items();
                for (frames, step) in
                    [(1, 1), (2, branches), (5, branches), (9, branches.div_ceil(2)), (11, 3)]
                {
                    let samples = taps.len() + (frames - 1) * step;
                    let x = Guarded::copy(&Noise::new(1).signal::<C32>(samples), branches % 18);
                    let x = x.items();
                    let mut whole = vec![C32::JUNK; frames * branches];
                    POLYPHASE_C32_F32.variant("scalar").unwrap()(&mut whole, x, taps, step);
                    for (at, y) in whole.iter().enumerate() {
                        let (frame, m) = (at / branches, at % branches);
                        let products = || {
                            let taps = taps.iter().zip(&x[frame * step..]).skip(m).step_by(branches);
                            taps.map(|(tap, x)| (wide(*x), *tap as f64))
                        };
                        let sum: Complex<f64> = products().map(|(x, tap)| x * tap).sum();
                        let scale: f64 = products().map(|(x, tap)| x.norm() * tap.abs()).sum();
                        let bound = scale * (rounds + 1) as f64 / (1 << 24) as f64;
                        Want::complex_within(sum, bound).check(*y, &format!("branch {m} of {branches}"));
                    }
                    for (name, run) in POLYPHASE_C32_F32.variants() {
                        let mut y = Guarded::junk(frames * branches, 5 * rounds % 18);
                        run(y.items_mut(), x, taps, step);
                        y.check_guards(name);
                        let what = format!("{name}, {frames} frames of {branches} branches of {rounds} taps");
                        assert_eq!(y.items(), whole, "{what}");
                    }
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "got x.len() = 3, taps.len() = 3, y.len() = 2 and step = 1")]
    fn a_part_of_a_round_panics() {
        polyphase_c32_f32(&mut [C32::ZERO; 2], &[C32::ONE; 3], &[1.0; 3], 1);
    }

    #[test]
    #[should_panic(expected = "got x.len() = 5, taps.len() = 2, y.len() = 4 and step = 2")]
    fn a_part_of_a_step_panics() {
        polyphase_c32_f32(&mut [C32::ZERO; 4], &[C32::ONE; 5], &[1.0; 2], 2);
    }
}
