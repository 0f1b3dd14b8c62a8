//! saxpy: scales and shifts.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod vectors;

use crate::dispatch::kernel;

kernel! {
    /// Scales and shifts: `y[n] = gain · x[n] + offset`.
    ///
    /// **Accuracy**: the product and the sum are each rounded once, in every variant.
    ///
    /// ```
    /// let mut y = [0.0; 3];
    /// superhet_kernels::saxpy(&mut y, &[1.0, 2.0, 3.0], 2.0, 0.5);
    /// assert_eq!(y, [2.5, 4.5, 6.5]);
    /// ```
    pub fn saxpy(y: &mut [f32], x: &[f32], gain: f32, offset: f32);
    same_length(y, x);
    table SAXPY { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Scales and shifts in place: `x[n] = gain · x[n] + offset`, the values of [`saxpy`](fn@saxpy).
    ///
    /// ```
    /// let mut x = [1.0, 2.0, 3.0];
    /// superhet_kernels::saxpy_in_place(&mut x, 2.0, 0.5);
    /// assert_eq!(x, [2.5, 4.5, 6.5]);
    /// ```
    pub fn saxpy_in_place(x: &mut [f32], gain: f32, offset: f32);
    table SAXPY_IN_PLACE { x86_64: avx512_full, avx2; }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{self, Want};

    const GAIN: f32 = 1.7;
    const OFFSET: f32 = -0.3;

    #[test]
    fn every_variant_scales_and_shifts() {
        let want = |x: f32| Want::sum([GAIN as f64 * x as f64, OFFSET as f64]);
        check::unary(&SAXPY, |run, y, x| run(y, x, GAIN, OFFSET), want);
        check::unary_in_place(&SAXPY_IN_PLACE, |run, x| run(x, GAIN, OFFSET), want);
    }
}
