//! Conjugation.

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
    /// Conjugates: `y[n] = re x[n] − j · im x[n]`, exactly.
    ///
    /// ```
    /// use superhet_kernels::{C32, conjugate};
    /// let mut y = [C32::ZERO];
    /// conjugate(&mut y, &[C32::new(1.0, 2.0)]);
    /// assert_eq!(y, [C32::new(1.0, -2.0)]);
    /// ```
    pub fn conjugate(y: &mut [C32], x: &[C32]);
    same_length(y, x);
    beyond_level_1 narrow;
    beyond_caches scalar;
    table CONJUGATE { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Conjugates in place: `x[n] = re x[n] − j · im x[n]`, exactly.
    ///
    /// ```
    /// use superhet_kernels::{C32, conjugate_in_place};
    /// let mut x = [C32::new(1.0, 2.0)];
    /// conjugate_in_place(&mut x);
    /// assert_eq!(x, [C32::new(1.0, -2.0)]);
    /// ```
    pub fn conjugate_in_place(x: &mut [C32]);
    table CONJUGATE_IN_PLACE { x86_64: avx512_full, avx2; }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{self, Want, wide};

    #[test]
    fn every_variant_conjugates() {
        let want = |x: C32| Want::complex_within(wide(x).conj(), 0.0);
        check::unary(&CONJUGATE, |run, y, x| run(y, x), want);
        check::unary_in_place(&CONJUGATE_IN_PLACE, |run, x| run(x), want);
    }
}
