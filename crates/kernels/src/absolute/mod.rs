//! Absolute values.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use crate::dispatch::kernel;

kernel! {
    /// Absolute values: `y[n] = |x[n]|`, exact; a NaN stays one.
    ///
    /// ```
    /// let mut y = [0.0; 2];
    /// superhet_kernels::absolute_f32(&mut y, &[-2.5, 3.0]);
    /// assert_eq!(y, [2.5, 3.0]);
    /// ```
    pub fn absolute_f32(y: &mut [f32], x: &[f32]);
    same_length(y, x);
    table ABSOLUTE_F32 { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Absolute values in place: `x[n] = |x[n]|`, the values of [`absolute_f32`](fn@absolute_f32).
    ///
    /// ```
    /// let mut x = [-2.5, 3.0];
    /// superhet_kernels::absolute_f32_in_place(&mut x);
    /// assert_eq!(x, [2.5, 3.0]);
    /// ```
    pub fn absolute_f32_in_place(x: &mut [f32]);
    table ABSOLUTE_F32_IN_PLACE { x86_64: avx512_full, avx2; }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{self, Want};

    #[test]
    fn every_variant_gives_absolute_values() {
        let want = |x: f32| Want::exact((x as f64).abs());
        check::unary(&ABSOLUTE_F32, |run, y, x| run(y, x), want);
        check::unary_in_place(&ABSOLUTE_F32_IN_PLACE, |run, x| run(x), want);
    }
}
