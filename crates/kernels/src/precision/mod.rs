//! Floating-point samples of one precision to the other.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use crate::dispatch::kernel;
use crate::{C32, C64};

kernel! {
    /// Real samples to double precision, exactly.
    ///
    /// ```
    /// let mut y = [0.0; 1];
    /// superhet_kernels::f32_to_f64(&mut y, &[0.5]);
    /// assert_eq!(y, [0.5]);
    /// ```
    pub fn f32_to_f64(y: &mut [f64], x: &[f32]);
    same_length(y, x);
    beyond_caches scalar;
    table F32_TO_F64 { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Real samples to single precision, rounded half to even; too large ones become infinite.
    ///
    /// ```
    /// let mut y = [0.0; 2];
    /// superhet_kernels::f64_to_f32(&mut y, &[0.1, 1e300]);
    /// assert_eq!(y, [0.1, f32::INFINITY]);
    /// ```
    pub fn f64_to_f32(y: &mut [f32], x: &[f64]);
    same_length(y, x);
    beyond_caches scalar;
    table F64_TO_F32 { x86_64: avx512, avx2; }
}

kernel! {
    /// Complex samples to double precision, exactly.
    ///
    /// ```
    /// use superhet_kernels::{C32, C64, c32_to_c64};
    /// let mut y = [C64::ZERO];
    /// c32_to_c64(&mut y, &[C32::new(0.5, -1.0)]);
    /// assert_eq!(y, [C64::new(0.5, -1.0)]);
    /// ```
    pub fn c32_to_c64(y: &mut [C64], x: &[C32]);
    same_length(y, x);
    beyond_caches scalar;
    table C32_TO_C64 { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Complex samples to single precision, each part rounded half to even; too large ones become infinite.
    ///
    /// ```
    /// use superhet_kernels::{C32, C64, c64_to_c32};
    /// let mut y = [C32::ZERO];
    /// c64_to_c32(&mut y, &[C64::new(0.1, -1e300)]);
    /// assert_eq!(y, [C32::new(0.1, f32::NEG_INFINITY)]);
    /// ```
    pub fn c64_to_c32(y: &mut [C32], x: &[C64]);
    same_length(y, x);
    beyond_caches scalar;
    table C64_TO_C32 { x86_64: avx512, avx2; }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{self, Want, wide};

    #[test]
    fn every_variant_changes_the_precision() {
        check::unary(&F32_TO_F64, |run, y, x| run(y, x), |x: f32| Want::exact(f64::from(x)));
        check::unary(&F64_TO_F32, |run, y, x| run(y, x), |x: f64| Want::exact(f64::from(x as f32)));
        check::unary(&C32_TO_C64, |run, y, x| run(y, x), |x| Want::complex_within(wide(x), 0.0));
        let narrow = |x: C64| Want::complex_within(wide(C32::new(x.re as f32, x.im as f32)), 0.0);
        check::unary(&C64_TO_C32, |run, y, x| run(y, x), narrow);
    }

    #[test]
    fn single_precision_rounds_half_to_even_and_overflows_to_infinity() {
        let half = f64::from(f32::EPSILON) / 2.0;
        let mut y = [0.0; 5];
        f64_to_f32(&mut y, &[1.0 + half, 1.0 + 3.0 * half, -1e39, 1e-60, f64::NAN]);
        assert_eq!(y[..4], [1.0, 1.0 + 2.0 * f32::EPSILON, f32::NEG_INFINITY, 0.0]);
        assert!(y[4].is_nan());
    }
}
