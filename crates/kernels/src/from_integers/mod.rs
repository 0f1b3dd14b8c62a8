//! Integer samples to floating point, full scale 1.0.

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
    /// Unsigned bytes to real samples: `y[n] = (x[n] − 127.5) / 127.5`, which takes 0 to −1, 255 to 1; no code is 0.
    ///
    /// **Accuracy**: within 2⁻²³.
    ///
    /// ```
    /// let mut y = [0.0; 2];
    /// superhet_kernels::u8_to_f32(&mut y, &[0, 255]);
    /// assert_eq!(y, [-1.0, 1.0]);
    /// ```
    pub fn u8_to_f32(y: &mut [f32], x: &[u8]);
    same_length(y, x);
    table U8_TO_F32 { x86_64: avx512, avx2; }
}

kernel! {
    /// Signed bytes to real samples: `y[n] = x[n] / 128`, which takes −128 to −1, 127 to 0.992.
    ///
    /// **Accuracy**: exact.
    ///
    /// ```
    /// let mut y = [0.0; 2];
    /// superhet_kernels::i8_to_f32(&mut y, &[-128, 64]);
    /// assert_eq!(y, [-1.0, 0.5]);
    /// ```
    pub fn i8_to_f32(y: &mut [f32], x: &[i8]);
    same_length(y, x);
    table I8_TO_F32 { x86_64: avx512, avx2; }
}

kernel! {
    /// Signed 16-bit integers to real samples: `y[n] = x[n] / 32768`, which takes −32768 to −1.
    ///
    /// **Accuracy**: exact.
    ///
    /// ```
    /// let mut y = [0.0; 2];
    /// superhet_kernels::i16_to_f32(&mut y, &[-32768, 16384]);
    /// assert_eq!(y, [-1.0, 0.5]);
    /// ```
    pub fn i16_to_f32(y: &mut [f32], x: &[i16]);
    same_length(y, x);
    table I16_TO_F32 { x86_64: avx512, avx2; }
}

kernel! {
    /// Unsigned bytes, interleaved IQ, to complex samples: each part is `(x − 127.5) / 127.5`.
    ///
    /// **Accuracy**: within 2⁻²³.
    ///
    /// ```
    /// use superhet_kernels::{C32, u8_to_c32};
    /// let mut y = [C32::ZERO];
    /// u8_to_c32(&mut y, &[[0, 255]]);
    /// assert_eq!(y, [C32::new(-1.0, 1.0)]);
    /// ```
    pub fn u8_to_c32(y: &mut [C32], x: &[[u8; 2]]);
    same_length(y, x);
    table U8_TO_C32 { x86_64: avx512, avx2; }
}

kernel! {
    /// Signed bytes, interleaved IQ, to complex samples: each part is `x / 128`.
    ///
    /// **Accuracy**: exact.
    ///
    /// ```
    /// use superhet_kernels::{C32, i8_to_c32};
    /// let mut y = [C32::ZERO];
    /// i8_to_c32(&mut y, &[[-128, 64]]);
    /// assert_eq!(y, [C32::new(-1.0, 0.5)]);
    /// ```
    pub fn i8_to_c32(y: &mut [C32], x: &[[i8; 2]]);
    same_length(y, x);
    table I8_TO_C32 { x86_64: avx512, avx2; }
}

kernel! {
    /// Signed 16-bit integers, interleaved IQ, to complex samples: each part is `x / 32768`.
    ///
    /// **Accuracy**: exact.
    ///
    /// ```
    /// use superhet_kernels::{C32, i16_to_c32};
    /// let mut y = [C32::ZERO];
    /// i16_to_c32(&mut y, &[[-32768, 16384]]);
    /// assert_eq!(y, [C32::new(-1.0, 0.5)]);
    /// ```
    pub fn i16_to_c32(y: &mut [C32], x: &[[i16; 2]]);
    same_length(y, x);
    table I16_TO_C32 { x86_64: avx512, avx2; }
}

kernel! {
    /// Signed 32-bit integers to real samples: `y[n] = x[n] / 2³¹`, which takes the lowest to −1, the highest to 1.
    ///
    /// **Accuracy**: rounded once, half to even.
    ///
    /// ```
    /// let mut y = [0.0; 2];
    /// superhet_kernels::i32_to_f32(&mut y, &[i32::MIN, 1 << 30]);
    /// assert_eq!(y, [-1.0, 0.5]);
    /// ```
    pub fn i32_to_f32(y: &mut [f32], x: &[i32]);
    same_length(y, x);
    beyond_level_1 narrow;
    table I32_TO_F32 { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Unsigned bytes to real samples: `y[n] = x[n] · (1 / scale)`, where `scale` is the code that becomes 1.0.
    ///
    /// The reciprocal is rounded to `f32`, then the product; a power of two keeps every code exact.
    ///
    /// **Accuracy**: relative error ≤ 2⁻²³, for a `scale` within 1e-20..1e20.
    ///
    /// ```
    /// let mut y = [0.0; 2];
    /// superhet_kernels::u8_to_f32_scaled(&mut y, &[0, 255], 255.0);
    /// assert_eq!(y, [0.0, 1.0]);
    /// ```
    pub fn u8_to_f32_scaled(y: &mut [f32], x: &[u8], scale: f32);
    same_length(y, x);
    table U8_TO_F32_SCALED { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Signed bytes to real samples: `y[n] = x[n] · (1 / scale)`, where `scale` is the code that becomes 1.0.
    ///
    /// The reciprocal is rounded to `f32`, then the product; a power of two keeps every code exact.
    ///
    /// **Accuracy**: relative error ≤ 2⁻²³, for a `scale` within 1e-20..1e20.
    ///
    /// ```
    /// let mut y = [0.0; 2];
    /// superhet_kernels::i8_to_f32_scaled(&mut y, &[-100, 50], 100.0);
    /// assert_eq!(y, [-1.0, 0.5]);
    /// ```
    pub fn i8_to_f32_scaled(y: &mut [f32], x: &[i8], scale: f32);
    same_length(y, x);
    table I8_TO_F32_SCALED { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Signed 16-bit integers to real samples: `y[n] = x[n] · (1 / scale)`, where `scale` is the code that becomes 1.0.
    ///
    /// The reciprocal is rounded to `f32`, then the product; a power of two keeps every code exact.
    ///
    /// **Accuracy**: relative error ≤ 2⁻²³, for a `scale` within 1e-20..1e20.
    ///
    /// ```
    /// let mut y = [0.0; 2];
    /// superhet_kernels::i16_to_f32_scaled(&mut y, &[-2048, 1024], 2048.0);
    /// assert_eq!(y, [-1.0, 0.5]);
    /// ```
    pub fn i16_to_f32_scaled(y: &mut [f32], x: &[i16], scale: f32);
    same_length(y, x);
    table I16_TO_F32_SCALED { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Signed 32-bit integers to real samples: `y[n] = x[n] · (1 / scale)`, where `scale` is the code that becomes 1.0.
    ///
    /// The reciprocal is rounded to `f32`, then the product; a power of two keeps codes of up to 24 bits exact.
    ///
    /// **Accuracy**: relative error ≤ 1.5 · 2⁻²³, for a `scale` within 1e-20..1e20.
    ///
    /// ```
    /// let mut y = [0.0; 2];
    /// superhet_kernels::i32_to_f32_scaled(&mut y, &[-2048, 1024], 2048.0);
    /// assert_eq!(y, [-1.0, 0.5]);
    /// ```
    pub fn i32_to_f32_scaled(y: &mut [f32], x: &[i32], scale: f32);
    same_length(y, x);
    beyond_level_1 narrow;
    table I32_TO_F32_SCALED { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Signed bytes, interleaved IQ, to complex samples: each part is `x · (1 / scale)`.
    ///
    /// The reciprocal is rounded to `f32`, then the product; a power of two keeps every code exact.
    ///
    /// **Accuracy**: relative error of each part ≤ 2⁻²³, for a `scale` within 1e-20..1e20.
    ///
    /// ```
    /// use superhet_kernels::{C32, i8_to_c32_scaled};
    /// let mut y = [C32::ZERO];
    /// i8_to_c32_scaled(&mut y, &[[-100, 50]], 100.0);
    /// assert_eq!(y, [C32::new(-1.0, 0.5)]);
    /// ```
    pub fn i8_to_c32_scaled(y: &mut [C32], x: &[[i8; 2]], scale: f32);
    same_length(y, x);
    table I8_TO_C32_SCALED { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Signed 16-bit integers, interleaved IQ, to complex samples: each part is `x · (1 / scale)`.
    ///
    /// The reciprocal is rounded to `f32`, then the product; a power of two keeps every code exact.
    ///
    /// **Accuracy**: relative error of each part ≤ 2⁻²³, for a `scale` within 1e-20..1e20.
    ///
    /// ```
    /// use superhet_kernels::{C32, i16_to_c32_scaled};
    /// let mut y = [C32::ZERO];
    /// i16_to_c32_scaled(&mut y, &[[-100, 50]], 100.0);
    /// assert_eq!(y, [C32::new(-1.0, 0.5)]);
    /// ```
    pub fn i16_to_c32_scaled(y: &mut [C32], x: &[[i16; 2]], scale: f32);
    same_length(y, x);
    table I16_TO_C32_SCALED { x86_64: avx512_full, avx2; }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{self, Want};
    use num_complex::Complex;

    fn from_u8(x: u8) -> f64 {
        (f64::from(x) - 127.5) / 127.5
    }

    #[test]
    fn every_variant_converts_from_integers() {
        let tolerance = f32::EPSILON as f64;
        check::unary(&U8_TO_F32, |run, y, x| run(y, x), |x| Want::within(from_u8(x), tolerance));
        check::unary(&I8_TO_F32, |run, y, x| run(y, x), |x| Want::exact(f64::from(x) / 128.0));
        check::unary(&I16_TO_F32, |run, y, x| run(y, x), |x| Want::exact(f64::from(x) / 32768.0));

        let complex = |[re, im]: [f64; 2], tolerance| Want::complex_within(Complex::new(re, im), tolerance);
        check::unary(&U8_TO_C32, |run, y, x| run(y, x), |x: [u8; 2]| complex(x.map(from_u8), tolerance));
        check::unary(
            &I8_TO_C32,
            |run, y, x| run(y, x),
            |x: [i8; 2]| complex(x.map(|x| f64::from(x) / 128.0), 0.0),
        );
        check::unary(
            &I16_TO_C32,
            |run, y, x| run(y, x),
            |x: [i16; 2]| complex(x.map(|x| f64::from(x) / 32768.0), 0.0),
        );
        check::unary(
            &I32_TO_F32,
            |run, y, x| run(y, x),
            |x: i32| Want::exact((x as f32 / 2f32.powi(31)).into()),
        );
    }

    #[test]
    fn every_variant_scales_integers() {
        for scale in [1.0f32, 100.0, -3e-20, 7e19] {
            let value = |x: f64| {
                let value = x / f64::from(scale);
                Want::within(value, value.abs() * f32::EPSILON as f64)
            };
            let rounded_before = |x: i32| {
                let value = f64::from(x) / f64::from(scale);
                Want::within(value, value.abs() * 1.5 * f32::EPSILON as f64)
            };
            check::unary(&U8_TO_F32_SCALED, |run, y, x| run(y, x, scale), |x: u8| value(x.into()));
            check::unary(&I8_TO_F32_SCALED, |run, y, x| run(y, x, scale), |x: i8| value(x.into()));
            check::unary(&I16_TO_F32_SCALED, |run, y, x| run(y, x, scale), |x: i16| value(x.into()));
            check::unary(&I32_TO_F32_SCALED, |run, y, x| run(y, x, scale), rounded_before);
        }
        let parts = |x: [f64; 2]| {
            let x = x.map(|x| x / 100.0);
            let largest = x[0].abs().max(x[1].abs());
            Want::complex_within(Complex::new(x[0], x[1]), largest * f32::EPSILON as f64)
        };
        let i8s = |x: [i8; 2]| parts(x.map(f64::from));
        check::unary(&I8_TO_C32_SCALED, |run, y, x| run(y, x, 100.0), i8s);
        let i16s = |x: [i16; 2]| parts(x.map(f64::from));
        check::unary(&I16_TO_C32_SCALED, |run, y, x| run(y, x, 100.0), i16s);
    }

    #[test]
    fn a_power_of_two_as_scale_is_the_unscaled_conversion() {
        let codes: Vec<i16> = (i16::MIN..=i16::MAX).collect();
        let (mut scaled, mut unscaled) = (vec![0.0; codes.len()], vec![0.0; codes.len()]);
        i16_to_f32_scaled(&mut scaled, &codes, 32768.0);
        i16_to_f32(&mut unscaled, &codes);
        assert_eq!(scaled, unscaled);
    }
}
