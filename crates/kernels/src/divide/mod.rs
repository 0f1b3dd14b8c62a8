//! Quotients.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use crate::C32;
use crate::dispatch::kernel;

kernel! {
    /// Divides real items: `y[n] = a[n] / b[n]`, rounded once.
    ///
    /// ```
    /// let mut y = [0.0; 2];
    /// superhet_kernels::divide_f32(&mut y, &[5.0, 6.0], &[2.0, -0.5]);
    /// assert_eq!(y, [2.5, -12.0]);
    /// ```
    pub fn divide_f32(y: &mut [f32], a: &[f32], b: &[f32]);
    same_length(y, a, b);
    table DIVIDE_F32 { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Divides real items in place: `a[n] = a[n] / b[n]`, rounded once.
    ///
    /// ```
    /// let mut a = [5.0, 6.0];
    /// superhet_kernels::divide_f32_in_place(&mut a, &[2.0, -0.5]);
    /// assert_eq!(a, [2.5, -12.0]);
    /// ```
    pub fn divide_f32_in_place(a: &mut [f32], b: &[f32]);
    same_length(a, b);
    table DIVIDE_F32_IN_PLACE { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Divides complex items: `y[n] = a[n] · conj(b[n]) / |b[n]|²`.
    ///
    /// Both parts are NaN for `b[n] = 0`, and may be for magnitudes that the accuracy does not cover.
    ///
    /// **Accuracy**: each part is within `2⁻²¹ · |a / b|` for magnitudes within 1e-9..1e9.
    ///
    /// ```
    /// use superhet_kernels::{C32, divide_c32};
    /// let mut y = [C32::ZERO];
    /// divide_c32(&mut y, &[C32::new(5.0, 5.0)], &[C32::new(3.0, -1.0)]);
    /// assert_eq!(y, [C32::new(1.0, 2.0)]);
    /// ```
    pub fn divide_c32(y: &mut [C32], a: &[C32], b: &[C32]);
    same_length(y, a, b);
    table DIVIDE_C32 { x86_64: avx512, avx2; }
}

kernel! {
    /// Divides complex items in place, the values of [`divide_c32`](fn@divide_c32).
    ///
    /// ```
    /// use superhet_kernels::{C32, divide_c32_in_place};
    /// let mut a = [C32::new(5.0, 5.0)];
    /// divide_c32_in_place(&mut a, &[C32::new(3.0, -1.0)]);
    /// assert_eq!(a, [C32::new(1.0, 2.0)]);
    /// ```
    pub fn divide_c32_in_place(a: &mut [C32], b: &[C32]);
    same_length(a, b);
    table DIVIDE_C32_IN_PLACE { x86_64: avx512, avx2; }
}

kernel! {
    /// Reciprocals: `y[n] = 1 / x[n]`, rounded once.
    ///
    /// ```
    /// let mut y = [0.0; 2];
    /// superhet_kernels::reciprocal(&mut y, &[2.0, -0.5]);
    /// assert_eq!(y, [0.5, -2.0]);
    /// ```
    pub fn reciprocal(y: &mut [f32], x: &[f32]);
    same_length(y, x);
    table RECIPROCAL { x86_64: avx512_full, avx2; }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{self, Want, wide};

    fn complex(a: C32, b: C32) -> Want {
        let quotient = wide(a) / wide(b);
        Want::complex_within(quotient, 4.0 * quotient.norm() * f32::EPSILON as f64)
    }

    #[test]
    fn every_variant_divides() {
        let real = |a: f32, b: f32| Want::ulps(a as f64 / b as f64, 0.5);
        check::binary(&DIVIDE_F32, |run, y, a, b| run(y, a, b), real);
        check::binary_in_place(&DIVIDE_F32_IN_PLACE, |run, a, b| run(a, b), real);
        check::binary(&DIVIDE_C32, |run, y, a, b| run(y, a, b), complex);
        check::binary_in_place(&DIVIDE_C32_IN_PLACE, |run, a, b| run(a, b), complex);
        check::unary(&RECIPROCAL, |run, y, x| run(y, x), |x: f32| Want::ulps(1.0 / x as f64, 0.5));
    }

    #[test]
    fn the_stated_range_keeps_the_stated_accuracy() {
        for (a, b) in [(1e-9, 1e-9), (1e-9, 1e9), (1e9, 1e-9), (1e9, 1e9)] {
            for turn in 0..1000 {
                let (a, b) = (C32::from_polar(a, 0.1 * turn as f32), C32::from_polar(b, 0.7 * turn as f32));
                let mut y = [C32::ZERO];
                divide_c32(&mut y, &[a], &[b]);
                complex(a, b).check(y[0], &format!("{a} / {b}"));
            }
        }
    }

    #[test]
    fn reciprocals_are_rounded_once() {
        let x: Vec<f32> = check::all_magnitudes().collect();
        check::sweep(&RECIPROCAL, &x, |run, y, x| run(y, x), |x| Want::exact(f64::from(1.0 / x)));
    }
}
