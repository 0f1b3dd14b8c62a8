//! Bits from the signs of real samples.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod narrow;
mod scalar;

use crate::dispatch::kernel;

kernel! {
    /// Decides bits, as bytes: `y[n] = 1` where `x[n] ≥ 0`, −0 too, else 0, as for NaN.
    ///
    /// ```
    /// let mut y = [7; 4];
    /// superhet_kernels::binary_slicer_u8(&mut y, &[0.5, -0.5, -0.0, f32::NAN]);
    /// assert_eq!(y, [1, 0, 1, 0]);
    /// ```
    pub fn binary_slicer_u8(y: &mut [u8], x: &[f32]);
    same_length(y, x);
    table BINARY_SLICER_U8 { x86_64: avx512, avx2; }
}

kernel! {
    /// Decides bits, as 32-bit integers: `y[n] = 1` where `x[n] ≥ 0`, −0 too, else 0, as for NaN.
    ///
    /// ```
    /// let mut y = [7; 4];
    /// superhet_kernels::binary_slicer_i32(&mut y, &[0.5, -0.5, -0.0, f32::NAN]);
    /// assert_eq!(y, [1, 0, 1, 0]);
    /// ```
    pub fn binary_slicer_i32(y: &mut [i32], x: &[f32]);
    same_length(y, x);
    beyond_level_1 narrow;
    table BINARY_SLICER_I32 { x86_64: avx512_full, avx2; }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{self, Want};

    #[test]
    fn every_variant_decides_bits() {
        let want = |x: f32| Want::exact(if x < 0.0 { 0.0 } else { 1.0 });
        check::unary(&BINARY_SLICER_U8, |run, y, x| run(y, x), want);
        check::unary(&BINARY_SLICER_I32, |run, y, x| run(y, x), want);
    }
}
