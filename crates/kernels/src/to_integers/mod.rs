//! Floating-point samples to integers, the inverse of `from_integers`.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use crate::C32;
use crate::dispatch::kernel;

kernel! {
    /// Real samples to unsigned bytes: `y[n] = 127.5 · x[n] + 127.5`.
    ///
    /// Rounds half to even, saturates to 0..=255; NaN becomes 128.
    ///
    /// ```
    /// let mut y = [0; 2];
    /// superhet_kernels::f32_to_u8(&mut y, &[-1.0, 9.0]);
    /// assert_eq!(y, [0, 255]);
    /// ```
    pub fn f32_to_u8(y: &mut [u8], x: &[f32]);
    same_length(y, x);
    table F32_TO_U8 { x86_64: avx512, avx2; }
}

kernel! {
    /// Real samples to signed bytes: `y[n] = 128 · x[n]`.
    ///
    /// Rounds half to even, saturates to −128..=127; NaN becomes 0.
    ///
    /// ```
    /// let mut y = [0; 2];
    /// superhet_kernels::f32_to_i8(&mut y, &[-0.5, 9.0]);
    /// assert_eq!(y, [-64, 127]);
    /// ```
    pub fn f32_to_i8(y: &mut [i8], x: &[f32]);
    same_length(y, x);
    table F32_TO_I8 { x86_64: avx512, avx2; }
}

kernel! {
    /// Real samples to signed 16-bit integers: `y[n] = 32768 · x[n]`.
    ///
    /// Rounds half to even, saturates to −32768..=32767; NaN becomes 0.
    ///
    /// ```
    /// let mut y = [0; 2];
    /// superhet_kernels::f32_to_i16(&mut y, &[-0.5, 9.0]);
    /// assert_eq!(y, [-16384, 32767]);
    /// ```
    pub fn f32_to_i16(y: &mut [i16], x: &[f32]);
    same_length(y, x);
    table F32_TO_I16 { x86_64: avx512, avx2; }
}

kernel! {
    /// Complex samples to unsigned bytes, interleaved IQ: each part is `127.5 · x + 127.5`.
    ///
    /// Rounds half to even, saturates to 0..=255; NaN becomes 128.
    ///
    /// ```
    /// use superhet_kernels::{C32, c32_to_u8};
    /// let mut y = [[0; 2]];
    /// c32_to_u8(&mut y, &[C32::new(-1.0, 9.0)]);
    /// assert_eq!(y, [[0, 255]]);
    /// ```
    pub fn c32_to_u8(y: &mut [[u8; 2]], x: &[C32]);
    same_length(y, x);
    table C32_TO_U8 { x86_64: avx512, avx2; }
}

kernel! {
    /// Complex samples to signed bytes, interleaved IQ: each part is `128 · x`.
    ///
    /// Rounds half to even, saturates to −128..=127; NaN becomes 0.
    ///
    /// ```
    /// use superhet_kernels::{C32, c32_to_i8};
    /// let mut y = [[0; 2]];
    /// c32_to_i8(&mut y, &[C32::new(-0.5, 9.0)]);
    /// assert_eq!(y, [[-64, 127]]);
    /// ```
    pub fn c32_to_i8(y: &mut [[i8; 2]], x: &[C32]);
    same_length(y, x);
    table C32_TO_I8 { x86_64: avx512, avx2; }
}

kernel! {
    /// Complex samples to signed 16-bit integers, interleaved IQ: each part is `32768 · x`.
    ///
    /// Rounds half to even, saturates to −32768..=32767; NaN becomes 0.
    ///
    /// ```
    /// use superhet_kernels::{C32, c32_to_i16};
    /// let mut y = [[0; 2]];
    /// c32_to_i16(&mut y, &[C32::new(-0.5, 9.0)]);
    /// assert_eq!(y, [[-16384, 32767]]);
    /// ```
    pub fn c32_to_i16(y: &mut [[i16; 2]], x: &[C32]);
    same_length(y, x);
    table C32_TO_I16 { x86_64: avx512, avx2; }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{self, Want};
    use crate::{i8_to_f32, i16_to_f32, u8_to_f32};
    use num_complex::Complex;

    /// Half a code, and the error of the scaling in f32.
    const HALF: f64 = 0.5 + 1e-5;

    fn to_u8(x: f64) -> f64 {
        (x * 127.5 + 127.5).clamp(0.0, 255.0)
    }

    fn to_i8(x: f64) -> f64 {
        (x * 128.0).clamp(-128.0, 127.0)
    }

    fn to_i16(x: f64) -> f64 {
        (x * 32768.0).clamp(-32768.0, 32767.0)
    }

    #[test]
    fn every_variant_converts_to_integers() {
        let real = |reference: fn(f64) -> f64| move |x: f32| Want::within(reference(x as f64), HALF);
        check::unary(&F32_TO_U8, |run, y, x| run(y, x), real(to_u8));
        check::unary(&F32_TO_I8, |run, y, x| run(y, x), real(to_i8));
        check::unary(&F32_TO_I16, |run, y, x| run(y, x), real(to_i16));

        let complex = |reference: fn(f64) -> f64| {
            move |x: C32| {
                Want::complex_within(Complex::new(reference(x.re as f64), reference(x.im as f64)), HALF)
            }
        };
        check::unary(&C32_TO_U8, |run, y, x| run(y, x), complex(to_u8));
        check::unary(&C32_TO_I8, |run, y, x| run(y, x), complex(to_i8));
        check::unary(&C32_TO_I16, |run, y, x| run(y, x), complex(to_i16));
    }

    #[test]
    fn every_code_comes_back_from_its_value() {
        let bytes: Vec<u8> = (0..=255).collect();
        let (mut values, mut back) = (vec![0.0; 256], vec![0; 256]);
        u8_to_f32(&mut values, &bytes);
        f32_to_u8(&mut back, &values);
        assert_eq!(back, bytes);

        let bytes: Vec<i8> = (-128..=127).collect();
        let mut back = vec![0; 256];
        i8_to_f32(&mut values, &bytes);
        f32_to_i8(&mut back, &values);
        assert_eq!(back, bytes);

        let codes: Vec<i16> = (i16::MIN..=i16::MAX).collect();
        let (mut values, mut back) = (vec![0.0; 65536], vec![0; 65536]);
        i16_to_f32(&mut values, &codes);
        f32_to_i16(&mut back, &values);
        assert_eq!(back, codes);
    }

    #[test]
    fn halves_go_to_even_excess_saturates_and_nan_is_the_middle() {
        let x = [0.5, 1.5, 2.5, -0.5, -1.5, 1e9, -1e9, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
        let mut y = [0; 10];
        f32_to_i16(&mut y, &x.map(|x| x / 32768.0));
        assert_eq!(y, [0, 2, 2, 0, -2, 32767, -32768, 32767, -32768, 0]);
        let mut y = [0; 10];
        f32_to_i8(&mut y, &x.map(|x| x / 128.0));
        assert_eq!(y, [0, 2, 2, 0, -2, 127, -128, 127, -128, 0]);
        let mut y = [0; 10];
        f32_to_u8(&mut y, &x);
        assert_eq!(y, [191, 255, 255, 64, 0, 255, 0, 255, 0, 128]);
    }
}
