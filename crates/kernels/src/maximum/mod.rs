//! The larger and the smaller of two items.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use crate::dispatch::kernel;

kernel! {
    /// The larger of two items: `y[n] = max(a[n], b[n])`.
    ///
    /// `b[n]` where they are equal, as zeros of different signs, and where one of them is NaN.
    ///
    /// ```
    /// let mut y = [0.0; 2];
    /// superhet_kernels::maximum_f32(&mut y, &[1.0, -2.0], &[-1.0, 0.5]);
    /// assert_eq!(y, [1.0, 0.5]);
    /// ```
    pub fn maximum_f32(y: &mut [f32], a: &[f32], b: &[f32]);
    same_length(y, a, b);
    beyond_caches scalar;
    table MAXIMUM_F32 { x86_64: avx512_full, avx2; }
}

kernel! {
    /// The smaller of two items: `y[n] = min(a[n], b[n])`.
    ///
    /// `b[n]` where they are equal, as zeros of different signs, and where one of them is NaN.
    ///
    /// ```
    /// let mut y = [0.0; 2];
    /// superhet_kernels::minimum_f32(&mut y, &[1.0, -2.0], &[-1.0, 0.5]);
    /// assert_eq!(y, [-1.0, -2.0]);
    /// ```
    pub fn minimum_f32(y: &mut [f32], a: &[f32], b: &[f32]);
    same_length(y, a, b);
    beyond_caches scalar;
    table MINIMUM_F32 { x86_64: avx512_full, avx2; }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{self, Want};

    #[test]
    fn every_variant_gives_the_larger_or_the_smaller() {
        let larger = |a: f32, b: f32| Want::exact(a.max(b) as f64);
        check::binary(&MAXIMUM_F32, |run, y, a, b| run(y, a, b), larger);
        let smaller = |a: f32, b: f32| Want::exact(a.min(b) as f64);
        check::binary(&MINIMUM_F32, |run, y, a, b| run(y, a, b), smaller);
    }

    #[test]
    fn where_two_do_not_compare_the_second_is_taken() {
        for op in [maximum_f32, minimum_f32] {
            let mut y = [0.0; 4];
            op(&mut y, &[f32::NAN, 1.0, 0.0, -0.0], &[1.0, f32::NAN, -0.0, 0.0]);
            assert_eq!(y[0], 1.0);
            assert!(y[1].is_nan() && y[2].is_sign_negative() && y[3].is_sign_positive());
        }
    }
}
