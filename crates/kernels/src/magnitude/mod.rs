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
    table MAGNITUDE { x86_64: avx512, avx2; }
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
    table MAGNITUDE_SQUARED { x86_64: avx512, avx2; }
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
