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
    table SQRT { x86_64: avx2; }
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
}
