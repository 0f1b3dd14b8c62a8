//! Products with something added.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use crate::C32;
use crate::dispatch::kernel;

kernel! {
    /// Multiplies and adds real items: `y[n] = a[n] · b[n] + c[n]`; the product and the sum are each rounded once.
    ///
    /// ```
    /// let mut y = [0.0; 2];
    /// superhet_kernels::multiply_add_f32(&mut y, &[5.0, 6.0], &[2.0, 0.5], &[1.0, -1.0]);
    /// assert_eq!(y, [11.0, 2.0]);
    /// ```
    pub fn multiply_add_f32(y: &mut [f32], a: &[f32], b: &[f32], c: &[f32]);
    same_length(y, a, b, c);
    beyond_caches scalar;
    table MULTIPLY_ADD_F32 { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Multiplies complex by real items and adds complex ones: `y[n] = a[n] · b[n] + c[n]`; each part of the product
    /// and of the sum is rounded once.
    ///
    /// ```
    /// use superhet_kernels::{C32, multiply_add_c32_f32};
    /// let mut y = [C32::ZERO];
    /// multiply_add_c32_f32(&mut y, &[C32::new(1.0, 2.0)], &[0.5], &[C32::new(3.0, -1.0)]);
    /// assert_eq!(y, [C32::new(3.5, 0.0)]);
    /// ```
    pub fn multiply_add_c32_f32(y: &mut [C32], a: &[C32], b: &[f32], c: &[C32]);
    same_length(y, a, b, c);
    table MULTIPLY_ADD_C32_F32 { x86_64: avx512, avx2; }
}

kernel! {
    /// Adds conjugates times a constant: `y[n] = a[n] + conj(b[n]) · gain`.
    ///
    /// **Accuracy**: each part is within `2⁻²² · (|a| + |b| · |gain|)`.
    ///
    /// ```
    /// use superhet_kernels::{C32, multiply_conjugate_add_c32};
    /// let mut y = [C32::ZERO];
    /// multiply_conjugate_add_c32(&mut y, &[C32::new(1.0, 2.0)], &[C32::new(3.0, -1.0)], C32::new(0.0, 2.0));
    /// assert_eq!(y, [C32::new(-1.0, 8.0)]);
    /// ```
    pub fn multiply_conjugate_add_c32(y: &mut [C32], a: &[C32], b: &[C32], gain: C32);
    same_length(y, a, b);
    beyond_level_1 avx2;
    table MULTIPLY_CONJUGATE_ADD_C32 { x86_64: avx512, avx2; }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{self, Want, wide};

    /// The driver knows ops of two inputs: a third comes as the imaginary part of one.
    fn parts(x: &[C32]) -> (Vec<f32>, Vec<f32>) {
        x.iter().map(|x| (x.re, x.im)).unzip()
    }

    #[test]
    fn every_variant_multiplies_and_adds() {
        check::binary(
            &MULTIPLY_ADD_F32,
            |run, y: &mut [f32], a_and_c: &[C32], b: &[f32]| {
                let (a, c) = parts(a_and_c);
                run(y, &a, b, &c);
            },
            |a_and_c, b| Want::sum([a_and_c.re as f64 * b as f64, a_and_c.im as f64]),
        );
        check::binary(
            &MULTIPLY_ADD_C32_F32,
            |run, y: &mut [C32], a: &[C32], b_and_c: &[C32]| {
                let (b, c) = parts(b_and_c);
                let c: Vec<C32> = c.iter().map(|&c| C32::new(c, -0.5 * c)).collect();
                run(y, a, &b, &c);
            },
            |a, b_and_c| {
                let c = wide(C32::new(b_and_c.im, -0.5 * b_and_c.im));
                let product = wide(a) * b_and_c.re as f64;
                Want::complex_within(product + c, (product.norm() + c.norm()) * f32::EPSILON as f64)
            },
        );
    }

    #[test]
    fn every_variant_adds_conjugates_times_a_constant() {
        let gain = C32::new(0.7, -1.2);
        check::binary(
            &MULTIPLY_CONJUGATE_ADD_C32,
            |run, y, a, b| run(y, a, b, gain),
            |a, b| {
                let product = wide(b).conj() * wide(gain);
                let scale = wide(a).norm() + product.norm();
                Want::complex_within(wide(a) + product, 2.0 * scale * f32::EPSILON as f64)
            },
        );
    }
}
