//! Square roots.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use crate::dispatch::kernel;

kernel! {
    /// Square roots: `y[n] = √x[n]`, rounded once; NaN for negative numbers, −0 for −0.
    ///
    /// ```
    /// let mut y = [0.0; 2];
    /// superhet_kernels::sqrt(&mut y, &[2.25, 9.0]);
    /// assert_eq!(y, [1.5, 3.0]);
    /// ```
    pub fn sqrt(y: &mut [f32], x: &[f32]);
    same_length(y, x);
    table SQRT { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Inverse square roots: `y[n] = 1 / √x[n]`.
    ///
    /// Infinite for zeros (of their sign), 0 for infinity, NaN for negative numbers.
    ///
    /// **Accuracy**: 1.5 units in the last place, of subnormal numbers too.
    ///
    /// ```
    /// let mut y = [0.0; 2];
    /// superhet_kernels::inverse_sqrt(&mut y, &[0.25, 16.0]);
    /// assert_eq!(y, [2.0, 0.25]);
    /// ```
    pub fn inverse_sqrt(y: &mut [f32], x: &[f32]);
    same_length(y, x);
    table INVERSE_SQRT { x86_64: avx512, avx2; }
}

kernel! {
    /// Inverse square roots to three digits and a half: `y[n] ≈ 1 / √x[n]`.
    ///
    /// Infinite for zeros and subnormal numbers (of their sign), 0 for infinity, NaN for negative numbers.
    ///
    /// **Accuracy**: relative error ≤ 3.7e-4. All variants give the bits of the processor's own estimate; processors of
    /// different makers differ in it.
    ///
    /// ```
    /// let mut y = [0.0; 2];
    /// superhet_kernels::inverse_sqrt_fast(&mut y, &[0.25, 16.0]);
    /// assert!((y[0] - 2.0).abs() < 1e-3 && (y[1] - 0.25).abs() < 1e-4);
    /// ```
    pub fn inverse_sqrt_fast(y: &mut [f32], x: &[f32]);
    same_length(y, x);
    table INVERSE_SQRT_FAST { x86_64: avx2; }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{self, Want};

    #[test]
    fn every_variant_takes_roots() {
        let root = |x: f32| Want::ulps((x as f64).sqrt(), 0.5);
        let inverse = |x: f32| Want::ulps(1.0 / (x as f64).sqrt(), 1.5);
        check::unary(&SQRT, |run, y, x| run(y, x), root);
        check::unary(&INVERSE_SQRT, |run, y, x| run(y, x), inverse);

        let x: Vec<f32> = check::all_magnitudes().collect();
        check::sweep(&SQRT, &x, |run, y, x| run(y, x), root);
        check::sweep(&INVERSE_SQRT, &x, |run, y, x| run(y, x), inverse);
    }

    #[test]
    fn fast_inverse_roots_are_as_accurate_as_stated() {
        let inverse = |x: f32| {
            let x = if x.abs() < f32::MIN_POSITIVE { 0_f32.copysign(x) } else { x };
            let root = 1.0 / (x as f64).sqrt();
            Want::within(root, if root.is_finite() { root * 3.7e-4 } else { 0.0 })
        };
        check::unary(&INVERSE_SQRT_FAST, |run, y, x| run(y, x), inverse);
        let dense = (0..400_000).map(|n| 0.5 + n as f32 * 1e-5);
        let x: Vec<f32> = check::all_magnitudes().chain(dense).collect();
        check::sweep(&INVERSE_SQRT_FAST, &x, |run, y, x| run(y, x), inverse);
    }
}
