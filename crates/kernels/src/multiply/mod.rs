//! Product of two streams.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use crate::C32;
use crate::dispatch::kernel;

kernel! {
    /// Multiplies real items: `y[n] = a[n] · b[n]`, rounded once.
    ///
    /// ```
    /// let mut y = [0.0; 2];
    /// superhet_kernels::multiply_f32(&mut y, &[5.0, 6.0], &[2.0, 0.5]);
    /// assert_eq!(y, [10.0, 3.0]);
    /// ```
    pub fn multiply_f32(y: &mut [f32], a: &[f32], b: &[f32]);
    same_length(y, a, b);
    beyond_caches scalar;
    table MULTIPLY_F32 { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Multiplies real items in place: `a[n] = a[n] · b[n]`, rounded once.
    ///
    /// ```
    /// let mut a = [5.0, 6.0];
    /// superhet_kernels::multiply_f32_in_place(&mut a, &[2.0, 0.5]);
    /// assert_eq!(a, [10.0, 3.0]);
    /// ```
    pub fn multiply_f32_in_place(a: &mut [f32], b: &[f32]);
    same_length(a, b);
    table MULTIPLY_F32_IN_PLACE { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Multiplies complex items: `y[n] = a[n] · b[n]`.
    ///
    /// **Accuracy**: each part is within `2⁻²² · |a| · |b|`.
    ///
    /// ```
    /// use superhet_kernels::{C32, multiply_c32};
    /// let mut y = [C32::ZERO];
    /// multiply_c32(&mut y, &[C32::new(1.0, 2.0)], &[C32::new(3.0, -1.0)]);
    /// assert_eq!(y, [C32::new(5.0, 5.0)]);
    /// ```
    pub fn multiply_c32(y: &mut [C32], a: &[C32], b: &[C32]);
    same_length(y, a, b);
    table MULTIPLY_C32 { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Multiplies complex items in place: `a[n] = a[n] · b[n]`.
    ///
    /// **Accuracy**: each part is within `2⁻²² · |a| · |b|`.
    ///
    /// ```
    /// use superhet_kernels::{C32, multiply_c32_in_place};
    /// let mut a = [C32::new(1.0, 2.0)];
    /// multiply_c32_in_place(&mut a, &[C32::new(3.0, -1.0)]);
    /// assert_eq!(a, [C32::new(5.0, 5.0)]);
    /// ```
    pub fn multiply_c32_in_place(a: &mut [C32], b: &[C32]);
    same_length(a, b);
    table MULTIPLY_C32_IN_PLACE { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Multiplies complex by real items: `y[n] = a[n] · b[n]`, each part rounded once.
    ///
    /// ```
    /// use superhet_kernels::{C32, multiply_c32_f32};
    /// let mut y = [C32::ZERO];
    /// multiply_c32_f32(&mut y, &[C32::new(1.0, 2.0)], &[-0.5]);
    /// assert_eq!(y, [C32::new(-0.5, -1.0)]);
    /// ```
    pub fn multiply_c32_f32(y: &mut [C32], a: &[C32], b: &[f32]);
    same_length(y, a, b);
    // AVX-512 gains nothing over AVX2.
    table MULTIPLY_C32_F32 { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Multiplies complex by real items in place: `a[n] = a[n] · b[n]`, each part rounded once.
    ///
    /// ```
    /// use superhet_kernels::{C32, multiply_c32_f32_in_place};
    /// let mut a = [C32::new(1.0, 2.0)];
    /// multiply_c32_f32_in_place(&mut a, &[-0.5]);
    /// assert_eq!(a, [C32::new(-0.5, -1.0)]);
    /// ```
    pub fn multiply_c32_f32_in_place(a: &mut [C32], b: &[f32]);
    same_length(a, b);
    table MULTIPLY_C32_F32_IN_PLACE { x86_64: avx512, avx2; }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{self, Want, wide};

    #[test]
    fn every_variant_multiplies() {
        let real = |a: f32, b: f32| Want::sum([a as f64 * b as f64]);
        check::binary(&MULTIPLY_F32, |run, y, a, b| run(y, a, b), real);
        check::binary_in_place(&MULTIPLY_F32_IN_PLACE, |run, a, b| run(a, b), real);

        let complex = |a: C32, b: C32| {
            let (a, b) = (wide(a), wide(b));
            Want::complex_within(a * b, 2.0 * a.norm() * b.norm() * f32::EPSILON as f64)
        };
        check::binary(&MULTIPLY_C32, |run, y, a, b| run(y, a, b), complex);
        check::binary_in_place(&MULTIPLY_C32_IN_PLACE, |run, a, b| run(a, b), complex);

        let mixed = |a: C32, b: f32| {
            let product = wide(a) * b as f64;
            Want::complex_within(product, product.norm() * f32::EPSILON as f64)
        };
        check::binary(&MULTIPLY_C32_F32, |run, y, a, b| run(y, a, b), mixed);
        check::binary_in_place(&MULTIPLY_C32_F32_IN_PLACE, |run, a, b| run(a, b), mixed);
    }
}
