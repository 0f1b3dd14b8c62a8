//! Magnitude and its square.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use crate::C32;
use crate::dispatch::kernel;

kernel! {
    /// Magnitudes: `y[n] = √(re² + im²)`, in the unit of `x`.
    ///
    /// Above 1.8e19 the squares overflow to infinity, below 1e-19 they lose digits.
    ///
    /// **Accuracy**: relative error ≤ 2⁻²³ for magnitudes within 1e-18..1e19.
    ///
    /// ```
    /// use superhet_kernels::{C32, magnitude};
    /// let mut y = [0.0];
    /// magnitude(&mut y, &[C32::new(3.0, -4.0)]);
    /// assert_eq!(y, [5.0]);
    /// ```
    pub fn magnitude(y: &mut [f32], x: &[C32]);
    same_length(y, x);
    table MAGNITUDE { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Squared magnitudes, the power of samples: `y[n] = re² + im²`, in the squared unit of `x`.
    ///
    /// **Accuracy**: relative error ≤ 2⁻²³ for magnitudes within 1e-18..1e19.
    ///
    /// ```
    /// use superhet_kernels::{C32, magnitude_squared};
    /// let mut y = [0.0];
    /// magnitude_squared(&mut y, &[C32::new(3.0, -4.0)]);
    /// assert_eq!(y, [25.0]);
    /// ```
    pub fn magnitude_squared(y: &mut [f32], x: &[C32]);
    same_length(y, x);
    beyond_caches scalar;
    table MAGNITUDE_SQUARED { x86_64: avx512, avx2; }
}

kernel! {
    /// Magnitudes as signed 16-bit integers: `y[n] = scale · √(re² + im²)`, where `scale` is the code for 1.0.
    ///
    /// The magnitude is that of [`magnitude`](fn@magnitude). The product is rounded to `f32`, then half to even, and
    /// saturates to −32768..=32767; it becomes 0 if it is NaN.
    ///
    /// ```
    /// use superhet_kernels::{C32, magnitude_to_i16_scaled};
    /// let mut y = [0];
    /// magnitude_to_i16_scaled(&mut y, &[C32::new(3.0, -4.0)], 100.0);
    /// assert_eq!(y, [500]);
    /// ```
    pub fn magnitude_to_i16_scaled(y: &mut [i16], x: &[C32], scale: f32);
    same_length(y, x);
    table MAGNITUDE_TO_I16_SCALED { x86_64: avx512, avx2; }
}

kernel! {
    /// Magnitudes of interleaved 16-bit IQ: `y[n] = √(re² + im²)`.
    ///
    /// The root is rounded to `f32`, then half to even; above 32767 it saturates.
    ///
    /// ```
    /// let mut y = [0; 2];
    /// superhet_kernels::magnitude_i16(&mut y, &[[3, -4], [-32768, 1]]);
    /// assert_eq!(y, [5, 32767]);
    /// ```
    pub fn magnitude_i16(y: &mut [i16], x: &[[i16; 2]]);
    same_length(y, x);
    table MAGNITUDE_I16 { x86_64: avx512, avx2; }
}

kernel! {
    /// Magnitudes of interleaved 16-bit IQ as real samples: `y[n] = √(re² + im²) · (1 / scale)`, where `scale` is the code
    /// for 1.0.
    ///
    /// **Accuracy**: relative error ≤ 2⁻²², for a `scale` within 1e-20..1e20.
    ///
    /// ```
    /// let mut y = [0.0];
    /// superhet_kernels::magnitude_i16_to_f32_scaled(&mut y, &[[3, -4]], 10.0);
    /// assert_eq!(y, [0.5]);
    /// ```
    pub fn magnitude_i16_to_f32_scaled(y: &mut [f32], x: &[[i16; 2]], scale: f32);
    same_length(y, x);
    table MAGNITUDE_I16_TO_F32_SCALED { x86_64: avx512_full, avx2; }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{self, Want, wide};

    #[test]
    fn every_variant_gives_magnitudes() {
        check::unary(&MAGNITUDE, |run, y, x| run(y, x), |x| Want::sum([wide(x).norm()]));
        check::unary(&MAGNITUDE_SQUARED, |run, y, x| run(y, x), |x| Want::sum([wide(x).norm_sqr()]));
    }

    #[test]
    fn every_variant_gives_integer_magnitudes() {
        let code = |x: f64| x.min(32767.0);
        check::unary(
            &MAGNITUDE_TO_I16_SCALED,
            |run, y, x| run(y, x, 30000.0),
            |x| Want::within(code(30000.0 * wide(x).norm()), 0.5 + 6e-3),
        );
        // The root is rounded to `f32`, then to an integer: where it is next to a half, the wrong way is possible.
        let norm = |[re, im]: [i16; 2]| f64::from(re).hypot(f64::from(im));
        check::unary(&MAGNITUDE_I16, |run, y, x| run(y, x), |x| Want::within(code(norm(x)), 0.5 + 6e-3));
        check::unary(
            &MAGNITUDE_I16_TO_F32_SCALED,
            |run, y, x| run(y, x, 30000.0),
            |x| Want::within(norm(x) / 30000.0, norm(x) / 30000.0 * 2.0 * f32::EPSILON as f64),
        );
    }

    #[test]
    fn the_largest_integers_have_a_magnitude() {
        let x = [[-32768i16, -32768]; 40];
        for (variant, run) in MAGNITUDE_I16_TO_F32_SCALED.variants() {
            let mut y = [0.0; 40];
            run(&mut y, &x, 32768.0);
            assert_eq!(y, [std::f32::consts::SQRT_2; 40], "{variant}");
        }
        for (variant, run) in MAGNITUDE_I16.variants() {
            let mut y = [0; 40];
            run(&mut y, &x);
            assert_eq!(y, [32767; 40], "{variant}");
        }
    }

    #[test]
    fn the_stated_range_keeps_the_stated_accuracy() {
        for scale in [1e-18f32, 1e-10, 1e10, 0.99e19] {
            let x = C32::new(0.6, -0.8) * scale;
            let mut y = [0.0];
            magnitude(&mut y, &[x]);
            Want::sum([wide(x).norm()]).check(y[0], "magnitude");
            magnitude_squared(&mut y, &[x]);
            Want::sum([wide(x).norm_sqr()]).check(y[0], "magnitude_squared");
        }
    }
}
