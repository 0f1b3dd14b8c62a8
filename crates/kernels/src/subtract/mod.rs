//! Difference of two streams.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use crate::C32;
use crate::dispatch::kernel;

kernel! {
    /// Subtracts real items: `y[n] = a[n] − b[n]`, rounded once.
    ///
    /// ```
    /// let mut y = [0.0; 2];
    /// superhet_kernels::subtract_f32(&mut y, &[5.0, 6.0], &[2.0, 0.5]);
    /// assert_eq!(y, [3.0, 5.5]);
    /// ```
    pub fn subtract_f32(y: &mut [f32], a: &[f32], b: &[f32]);
    same_length(y, a, b);
    beyond_caches scalar;
    table SUBTRACT_F32 { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Subtracts real items in place: `a[n] = a[n] − b[n]`, rounded once.
    ///
    /// ```
    /// let mut a = [5.0, 6.0];
    /// superhet_kernels::subtract_f32_in_place(&mut a, &[2.0, 0.5]);
    /// assert_eq!(a, [3.0, 5.5]);
    /// ```
    pub fn subtract_f32_in_place(a: &mut [f32], b: &[f32]);
    same_length(a, b);
    table SUBTRACT_F32_IN_PLACE { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Subtracts complex items: `y[n] = a[n] − b[n]`, each part rounded once.
    ///
    /// ```
    /// use superhet_kernels::{C32, subtract_c32};
    /// let mut y = [C32::ZERO];
    /// subtract_c32(&mut y, &[C32::new(1.0, 2.0)], &[C32::new(3.0, -1.0)]);
    /// assert_eq!(y, [C32::new(-2.0, 3.0)]);
    /// ```
    pub fn subtract_c32(y: &mut [C32], a: &[C32], b: &[C32]);
    same_length(y, a, b);
    beyond_caches scalar;
    table SUBTRACT_C32 { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Subtracts complex items in place: `a[n] = a[n] − b[n]`, each part rounded once.
    ///
    /// ```
    /// use superhet_kernels::{C32, subtract_c32_in_place};
    /// let mut a = [C32::new(1.0, 2.0)];
    /// subtract_c32_in_place(&mut a, &[C32::new(3.0, -1.0)]);
    /// assert_eq!(a, [C32::new(-2.0, 3.0)]);
    /// ```
    pub fn subtract_c32_in_place(a: &mut [C32], b: &[C32]);
    same_length(a, b);
    table SUBTRACT_C32_IN_PLACE { x86_64: avx512_full, avx2; }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{self, Want, wide};

    #[test]
    fn every_variant_subtracts() {
        let real = |a: f32, b: f32| Want::sum([a as f64, -(b as f64)]);
        check::binary(&SUBTRACT_F32, |run, y, a, b| run(y, a, b), real);
        check::binary_in_place(&SUBTRACT_F32_IN_PLACE, |run, a, b| run(a, b), real);

        let complex = |a: C32, b: C32| {
            let (a, b) = (wide(a), wide(b));
            Want::complex_within(a - b, (a.norm() + b.norm()) * f32::EPSILON as f64)
        };
        check::binary(&SUBTRACT_C32, |run, y, a, b| run(y, a, b), complex);
        check::binary_in_place(&SUBTRACT_C32_IN_PLACE, |run, a, b| run(a, b), complex);
    }
}
