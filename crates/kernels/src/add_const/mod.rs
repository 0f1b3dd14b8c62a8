//! Addition of a constant.

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
    /// Shifts real items by a constant: `y[n] = x[n] + offset`, rounded once.
    ///
    /// ```
    /// let mut y = [0.0; 2];
    /// superhet_kernels::add_const_f32(&mut y, &[5.0, 6.0], 0.5);
    /// assert_eq!(y, [5.5, 6.5]);
    /// ```
    pub fn add_const_f32(y: &mut [f32], x: &[f32], offset: f32);
    same_length(y, x);
    beyond_level_1 narrow;
    table ADD_CONST_F32 { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Shifts real items by a constant in place: `x[n] = x[n] + offset`, rounded once.
    ///
    /// ```
    /// let mut x = [5.0, 6.0];
    /// superhet_kernels::add_const_f32_in_place(&mut x, 0.5);
    /// assert_eq!(x, [5.5, 6.5]);
    /// ```
    pub fn add_const_f32_in_place(x: &mut [f32], offset: f32);
    table ADD_CONST_F32_IN_PLACE { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Shifts complex items by a complex constant: `y[n] = x[n] + offset`.
    ///
    /// **Accuracy**: each part is within `2⁻²³ · (|x| + |offset|)`.
    ///
    /// ```
    /// use superhet_kernels::{C32, add_const_c32};
    /// let mut y = [C32::ZERO];
    /// add_const_c32(&mut y, &[C32::new(1.0, 2.0)], C32::new(3.0, -1.0));
    /// assert_eq!(y, [C32::new(4.0, 1.0)]);
    /// ```
    pub fn add_const_c32(y: &mut [C32], x: &[C32], offset: C32);
    same_length(y, x);
    beyond_caches scalar;
    table ADD_CONST_C32 { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Shifts complex items by a complex constant in place: `x[n] = x[n] + offset`.
    ///
    /// **Accuracy**: each part is within `2⁻²³ · (|x| + |offset|)`.
    ///
    /// ```
    /// use superhet_kernels::{C32, add_const_c32_in_place};
    /// let mut x = [C32::new(1.0, 2.0)];
    /// add_const_c32_in_place(&mut x, C32::new(3.0, -1.0));
    /// assert_eq!(x, [C32::new(4.0, 1.0)]);
    /// ```
    pub fn add_const_c32_in_place(x: &mut [C32], offset: C32);
    table ADD_CONST_C32_IN_PLACE { x86_64: avx512_full, avx2; }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{self, Want, wide};

    #[test]
    fn every_variant_adds_a_constant() {
        let constant = 0.7f32;
        let real = |x: f32| Want::sum([x as f64, constant as f64]);
        check::unary(&ADD_CONST_F32, |run, y, x| run(y, x, constant), real);
        check::unary_in_place(&ADD_CONST_F32_IN_PLACE, |run, x| run(x, constant), real);

        let constant = C32::new(0.7, -1.2);
        let complex = |x: C32| {
            let (x, constant) = (wide(x), wide(constant));
            Want::complex_within(x + constant, (x.norm() + constant.norm()) * f32::EPSILON as f64)
        };
        check::unary(&ADD_CONST_C32, |run, y, x| run(y, x, constant), complex);
        check::unary_in_place(&ADD_CONST_C32_IN_PLACE, |run, x| run(x, constant), complex);
    }
}
