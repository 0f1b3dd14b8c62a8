//! Product of one stream with the conjugate of another.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use crate::C32;
use crate::dispatch::kernel;

kernel! {
    /// Multiplies by conjugates: `y[n] = a[n] · conj(b[n])`.
    ///
    /// **Accuracy**: each part is within `2⁻²² · |a| · |b|`.
    ///
    /// ```
    /// use superhet_kernels::{C32, multiply_conjugate_c32};
    /// let mut y = [C32::ZERO];
    /// multiply_conjugate_c32(&mut y, &[C32::new(1.0, 2.0)], &[C32::new(3.0, -1.0)]);
    /// assert_eq!(y, [C32::new(1.0, 7.0)]);
    /// ```
    pub fn multiply_conjugate_c32(y: &mut [C32], a: &[C32], b: &[C32]);
    same_length(y, a, b);
    beyond_caches scalar;
    table MULTIPLY_CONJUGATE_C32 { x86_64: avx512, avx2; }
}

kernel! {
    /// Multiplies by conjugates in place: `a[n] = a[n] · conj(b[n])`.
    ///
    /// **Accuracy**: each part is within `2⁻²² · |a| · |b|`.
    ///
    /// ```
    /// use superhet_kernels::{C32, multiply_conjugate_c32_in_place};
    /// let mut a = [C32::new(1.0, 2.0)];
    /// multiply_conjugate_c32_in_place(&mut a, &[C32::new(3.0, -1.0)]);
    /// assert_eq!(a, [C32::new(1.0, 7.0)]);
    /// ```
    pub fn multiply_conjugate_c32_in_place(a: &mut [C32], b: &[C32]);
    same_length(a, b);
    table MULTIPLY_CONJUGATE_C32_IN_PLACE { x86_64: avx512, avx2; }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{self, Want, wide};

    #[test]
    fn every_variant_multiplies_by_the_conjugate() {
        let want = |a: C32, b: C32| {
            let (a, b) = (wide(a), wide(b));
            Want::complex_within(a * b.conj(), 2.0 * a.norm() * b.norm() * f32::EPSILON as f64)
        };
        check::binary(&MULTIPLY_CONJUGATE_C32, |run, y, a, b| run(y, a, b), want);
        check::binary_in_place(&MULTIPLY_CONJUGATE_C32_IN_PLACE, |run, a, b| run(a, b), want);
    }
}
