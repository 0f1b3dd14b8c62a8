//! Multiplication by a constant.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod narrow;
mod scalar;

use crate::C32;
use crate::dispatch::kernel;

kernel! {
    /// Multiplies real items by a constant: `y[n] = gain · x[n]`, rounded once.
    ///
    /// ```
    /// let mut y = [0.0; 2];
    /// superhet_kernels::multiply_const_f32(&mut y, &[5.0, 6.0], 0.5);
    /// assert_eq!(y, [2.5, 3.0]);
    /// ```
    pub fn multiply_const_f32(y: &mut [f32], x: &[f32], gain: f32);
    same_length(y, x);
    beyond_level_1 narrow;
    table MULTIPLY_CONST_F32 { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Multiplies real items by a constant in place: `x[n] = gain · x[n]`, rounded once.
    ///
    /// ```
    /// let mut x = [5.0, 6.0];
    /// superhet_kernels::multiply_const_f32_in_place(&mut x, 0.5);
    /// assert_eq!(x, [2.5, 3.0]);
    /// ```
    pub fn multiply_const_f32_in_place(x: &mut [f32], gain: f32);
    table MULTIPLY_CONST_F32_IN_PLACE { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Multiplies complex items by a complex constant: `y[n] = gain · x[n]`.
    ///
    /// **Accuracy**: each part is within `2⁻²² · |gain| · |x|`.
    ///
    /// ```
    /// use superhet_kernels::{C32, multiply_const_c32};
    /// let mut y = [C32::ZERO];
    /// multiply_const_c32(&mut y, &[C32::new(1.0, 2.0)], C32::new(3.0, -1.0));
    /// assert_eq!(y, [C32::new(5.0, 5.0)]);
    /// ```
    pub fn multiply_const_c32(y: &mut [C32], x: &[C32], gain: C32);
    same_length(y, x);
    // On a Zen 4, AVX2 is ahead: 10.7 to 9.3 Gitems/s.
    beyond_level_1 narrow;
    table MULTIPLY_CONST_C32 { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Multiplies complex items by a complex constant in place: `x[n] = gain · x[n]`.
    ///
    /// **Accuracy**: each part is within `2⁻²² · |gain| · |x|`.
    ///
    /// ```
    /// use superhet_kernels::{C32, multiply_const_c32_in_place};
    /// let mut x = [C32::new(1.0, 2.0)];
    /// multiply_const_c32_in_place(&mut x, C32::new(3.0, -1.0));
    /// assert_eq!(x, [C32::new(5.0, 5.0)]);
    /// ```
    pub fn multiply_const_c32_in_place(x: &mut [C32], gain: C32);
    // On a Zen 4, AVX2 is ahead: 10.7 to 9.3 Gitems/s.
    table MULTIPLY_CONST_C32_IN_PLACE { x86_64: avx512_full, avx2; }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{self, Want, wide};

    #[test]
    fn every_variant_multiplies_by_a_constant() {
        let constant = 0.7f32;
        let real = |x: f32| Want::sum([x as f64 * constant as f64]);
        check::unary(&MULTIPLY_CONST_F32, |run, y, x| run(y, x, constant), real);
        check::unary_in_place(&MULTIPLY_CONST_F32_IN_PLACE, |run, x| run(x, constant), real);

        let constant = C32::new(0.7, -1.2);
        let complex = |x: C32| {
            let (x, constant) = (wide(x), wide(constant));
            Want::complex_within(x * constant, 2.0 * x.norm() * constant.norm() * f32::EPSILON as f64)
        };
        check::unary(&MULTIPLY_CONST_C32, |run, y, x| run(y, x, constant), complex);
        check::unary_in_place(&MULTIPLY_CONST_C32_IN_PLACE, |run, x| run(x, constant), complex);
    }
}
