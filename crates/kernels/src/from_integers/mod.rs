//! Integer samples to floating point, full scale 1.0.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
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
    }
}
