//! Rotation: shifts in frequency.
//!
//! The op multiplies by a table of turns and one anchor; [`Rotator`] keeps both for a stream.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod rotator;
mod scalar;

use crate::C32;
use crate::dispatch::kernel;

pub use rotator::Rotator;

kernel! {
    /// Turns complex samples by a table and by one factor more: `y[n] = turns[n] · (anchor · x[n])`.
    ///
    /// With `turns[n] = exp(j · n · increment)` and `anchor = exp(j · phase)` that is a shift in frequency;
    /// [`Rotator`] does it to a stream.
    ///
    /// **Accuracy**: each part is within `2⁻²¹ · |turns[n]| · |anchor| · |x[n]|`.
    ///
    /// ```
    /// use superhet_kernels::{C32, rotate_c32};
    /// let mut y = [C32::ZERO; 2];
    /// rotate_c32(&mut y, &[C32::ONE, C32::ONE], &[C32::ONE, C32::I], -C32::ONE);
    /// assert_eq!(y, [-C32::ONE, -C32::I]);
    /// ```
    pub fn rotate_c32(y: &mut [C32], x: &[C32], turns: &[C32], anchor: C32);
    same_length(y, x, turns);
    table ROTATE_C32 { x86_64: avx512, avx2; }
}

kernel! {
    /// Turns complex samples in place, as [`rotate_c32`](fn@rotate_c32): `x[n] = turns[n] · (anchor · x[n])`.
    ///
    /// **Accuracy**: each part is within `2⁻²¹ · |turns[n]| · |anchor| · |x[n]|`.
    ///
    /// ```
    /// use superhet_kernels::{C32, rotate_c32_in_place};
    /// let mut x = [C32::ONE; 2];
    /// rotate_c32_in_place(&mut x, &[C32::ONE, C32::I], -C32::ONE);
    /// assert_eq!(x, [-C32::ONE, -C32::I]);
    /// ```
    pub fn rotate_c32_in_place(x: &mut [C32], turns: &[C32], anchor: C32);
    same_length(x, turns);
    table ROTATE_C32_IN_PLACE { x86_64: avx512, avx2; }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{self, Want, wide};

    #[test]
    fn every_variant_rotates() {
        let anchor = C32::new(0.6, -0.8);
        let want = |x: C32, turn: C32| {
            let exact = wide(turn) * wide(anchor) * wide(x);
            let bound = wide(turn).norm() * wide(anchor).norm() * wide(x).norm();
            Want::complex_within(exact, bound / (1 << 21) as f64)
        };
        check::binary(&ROTATE_C32, |run, y, x, turns| run(y, x, turns, anchor), want);
        check::binary_in_place(&ROTATE_C32_IN_PLACE, |run, x, turns| run(x, turns, anchor), want);
    }
}
