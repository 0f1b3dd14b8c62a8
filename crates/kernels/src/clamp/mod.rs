//! Limits to a range.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use crate::dispatch::kernel;

kernel! {
    /// Limits items to a range: `y[n] = min(max(x[n], lowest), highest)`; a NaN stays one.
    ///
    /// If `lowest > highest`, all numbers become `highest`.
    ///
    /// ```
    /// let mut y = [0.0; 3];
    /// superhet_kernels::clamp_f32(&mut y, &[-2.5, 0.5, 3.0], -1.0, 1.0);
    /// assert_eq!(y, [-1.0, 0.5, 1.0]);
    /// ```
    pub fn clamp_f32(y: &mut [f32], x: &[f32], lowest: f32, highest: f32);
    same_length(y, x);
    table CLAMP_F32 { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Limits items to a range in place, the values of [`clamp_f32`](fn@clamp_f32).
    ///
    /// ```
    /// let mut x = [-2.5, 0.5, 3.0];
    /// superhet_kernels::clamp_f32_in_place(&mut x, -1.0, 1.0);
    /// assert_eq!(x, [-1.0, 0.5, 1.0]);
    /// ```
    pub fn clamp_f32_in_place(x: &mut [f32], lowest: f32, highest: f32);
    table CLAMP_F32_IN_PLACE { x86_64: avx512_full, avx2; }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{self, Want};

    #[test]
    fn every_variant_limits_to_the_range() {
        let want = |x: f32| Want::exact((x as f64).clamp(-0.5, 1.25));
        check::unary(&CLAMP_F32, |run, y, x| run(y, x, -0.5, 1.25), want);
        check::unary_in_place(&CLAMP_F32_IN_PLACE, |run, x| run(x, -0.5, 1.25), want);
    }

    #[test]
    fn nan_stays_and_infinities_are_limited() {
        let mut x = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
        clamp_f32_in_place(&mut x, -1.0, 1.0);
        assert!(x[0].is_nan());
        assert_eq!(x[1..], [1.0, -1.0]);
    }
}
