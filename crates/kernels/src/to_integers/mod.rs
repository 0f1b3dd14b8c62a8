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

kernel! {
    /// Real samples to signed 32-bit integers: `y[n] = 2³¹ · x[n]`.
    ///
    /// Rounds half to even, saturates to −2³¹..=2³¹ − 1: 1.0 and more become 2³¹ − 1; NaN becomes 0.
    ///
    /// ```
    /// let mut y = [0; 2];
    /// superhet_kernels::f32_to_i32(&mut y, &[-0.5, 1.0]);
    /// assert_eq!(y, [-(1 << 30), i32::MAX]);
    /// ```
    pub fn f32_to_i32(y: &mut [i32], x: &[f32]);
    same_length(y, x);
    table F32_TO_I32 { x86_64: avx512, avx2; }
}

kernel! {
    /// Real samples to unsigned bytes: `y[n] = scale · x[n]`, where `scale` is the code for 1.0.
    ///
    /// The product is rounded to `f32`, then half to even, and saturates to 0..=255; it becomes 0 if it is NaN.
    ///
    /// ```
    /// let mut y = [0; 3];
    /// superhet_kernels::f32_to_u8_scaled(&mut y, &[0.5, 0.25, 1e10], 10.0);
    /// assert_eq!(y, [5, 2, 255]);
    /// ```
    pub fn f32_to_u8_scaled(y: &mut [u8], x: &[f32], scale: f32);
    same_length(y, x);
    table F32_TO_U8_SCALED { x86_64: avx512, avx2; }
}

kernel! {
    /// Real samples to signed bytes: `y[n] = scale · x[n]`, where `scale` is the code for 1.0.
    ///
    /// The product is rounded to `f32`, then half to even, and saturates to −128..=127; it becomes 0 if it is NaN.
    ///
    /// ```
    /// let mut y = [0; 3];
    /// superhet_kernels::f32_to_i8_scaled(&mut y, &[0.5, 0.25, 1e10], 10.0);
    /// assert_eq!(y, [5, 2, 127]);
    /// ```
    pub fn f32_to_i8_scaled(y: &mut [i8], x: &[f32], scale: f32);
    same_length(y, x);
    table F32_TO_I8_SCALED { x86_64: avx512, avx2; }
}

kernel! {
    /// Real samples to signed 16-bit integers: `y[n] = scale · x[n]`, where `scale` is the code for 1.0.
    ///
    /// The product is rounded to `f32`, then half to even, and saturates to −32768..=32767; it becomes 0 if it is NaN.
    ///
    /// ```
    /// let mut y = [0; 3];
    /// superhet_kernels::f32_to_i16_scaled(&mut y, &[0.5, 0.25, 1e10], 10.0);
    /// assert_eq!(y, [5, 2, 32767]);
    /// ```
    pub fn f32_to_i16_scaled(y: &mut [i16], x: &[f32], scale: f32);
    same_length(y, x);
    table F32_TO_I16_SCALED { x86_64: avx512, avx2; }
}

kernel! {
    /// Real samples to signed 32-bit integers: `y[n] = scale · x[n]`, where `scale` is the code for 1.0.
    ///
    /// The product is rounded to `f32`, then half to even, and saturates to −2³¹..=2³¹ − 1; it becomes 0 if it is NaN.
    ///
    /// ```
    /// let mut y = [0; 3];
    /// superhet_kernels::f32_to_i32_scaled(&mut y, &[0.5, 0.25, 1e10], 10.0);
    /// assert_eq!(y, [5, 2, i32::MAX]);
    /// ```
    pub fn f32_to_i32_scaled(y: &mut [i32], x: &[f32], scale: f32);
    same_length(y, x);
    table F32_TO_I32_SCALED { x86_64: avx512, avx2; }
}

kernel! {
    /// Complex samples to signed bytes, interleaved IQ: each part is `scale · x`.
    ///
    /// The product is rounded to `f32`, then half to even, and saturates to −128..=127; it becomes 0 if it is NaN.
    ///
    /// ```
    /// use superhet_kernels::{C32, c32_to_i8_scaled};
    /// let mut y = [[0; 2]];
    /// c32_to_i8_scaled(&mut y, &[C32::new(-0.5, 1e10)], 10.0);
    /// assert_eq!(y, [[-5, 127]]);
    /// ```
    pub fn c32_to_i8_scaled(y: &mut [[i8; 2]], x: &[C32], scale: f32);
    same_length(y, x);
    table C32_TO_I8_SCALED { x86_64: avx512, avx2; }
}

kernel! {
    /// Complex samples to signed 16-bit integers, interleaved IQ: each part is `scale · x`.
    ///
    /// The product is rounded to `f32`, then half to even, and saturates to −32768..=32767; it becomes 0 if it is NaN.
    ///
    /// ```
    /// use superhet_kernels::{C32, c32_to_i16_scaled};
    /// let mut y = [[0; 2]];
    /// c32_to_i16_scaled(&mut y, &[C32::new(-0.5, 1e10)], 10.0);
    /// assert_eq!(y, [[-5, 32767]]);
    /// ```
    pub fn c32_to_i16_scaled(y: &mut [[i16; 2]], x: &[C32], scale: f32);
    same_length(y, x);
    table C32_TO_I16_SCALED { x86_64: avx512, avx2; }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{self, Want, wide};
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
    fn every_variant_scales_to_integers() {
        let saturated = |lowest: f64, highest: f64, scale: f32| {
            // The product is rounded to `f32` before it is rounded to an integer.
            move |x: f32| {
                let value = f64::from(x) * f64::from(scale);
                let tolerance = 0.5 + value.abs() * f32::EPSILON as f64 / 2.0;
                Want::within(value.clamp(lowest, highest), tolerance)
            }
        };
        for scale in [1.0f32, 100.0, -30000.0, 3e9, 0.0, f32::INFINITY, f32::NAN] {
            // What is infinite or no number has no reference; that all variants agree is tested still.
            let want = |lowest: f64, highest: f64| {
                let want = saturated(lowest, highest, scale);
                move |x| if scale.is_finite() { want(x) } else { Want::within(0.0, f64::INFINITY) }
            };
            let lowest = f64::from(i32::MIN);
            check::unary(&F32_TO_U8_SCALED, |run, y, x| run(y, x, scale), want(0.0, 255.0));
            check::unary(&F32_TO_I8_SCALED, |run, y, x| run(y, x, scale), want(-128.0, 127.0));
            check::unary(&F32_TO_I16_SCALED, |run, y, x| run(y, x, scale), want(-32768.0, 32767.0));
            check::unary(&F32_TO_I32_SCALED, |run, y, x| run(y, x, scale), want(lowest, -1.0 - lowest));
        }
        check::unary(
            &F32_TO_I32,
            |run, y, x| run(y, x),
            |x| {
                let value = (f64::from(x) * 2f64.powi(31)).clamp(-(2f64.powi(31)), 2f64.powi(31) - 1.0);
                Want::exact(value.round_ties_even())
            },
        );

        let complex = |lowest: f64, highest: f64| {
            move |x: C32| {
                let value = (wide(x) * 100.0).re.clamp(lowest, highest);
                let imag = (wide(x) * 100.0).im.clamp(lowest, highest);
                Want::complex_within(Complex::new(value, imag), HALF)
            }
        };
        check::unary(&C32_TO_I8_SCALED, |run, y, x| run(y, x, 100.0), complex(-128.0, 127.0));
        check::unary(&C32_TO_I16_SCALED, |run, y, x| run(y, x, 100.0), complex(-32768.0, 32767.0));
    }

    #[test]
    fn every_variant_rounds_and_saturates_32_bits_exactly() {
        let below = (1u32 << 31) as f32 - 128.0;
        let quarter = (1 << 22) as f32;
        let cases = [
            (0.5, 0),
            (1.5, 2),
            (2.5, 2),
            (-0.5, 0),
            (-1.5, -2),
            (0.49999997, 0),
            (quarter + 0.5, 1 << 22),
            (quarter + 1.5, (1 << 22) + 2),
            (-quarter - 1.5, -(1 << 22) - 2),
            (2.0 * quarter + 1.0, (1 << 23) + 1),
            (16777218.0, 16777218),
            (below, i32::MAX - 127),
            (below + 128.0, i32::MAX),
            (-below - 128.0, i32::MIN),
            (-1e10, i32::MIN),
            (f32::MAX, i32::MAX),
            (f32::INFINITY, i32::MAX),
            (f32::NEG_INFINITY, i32::MIN),
            (f32::NAN, 0),
        ];
        // Twice, so that some fill vectors.
        let x: Vec<f32> = cases.iter().chain(&cases).map(|case| case.0).collect();
        for (variant, run) in F32_TO_I32_SCALED.variants() {
            let mut y = vec![0; x.len()];
            run(&mut y, &x, 1.0);
            for (n, (y, case)) in y.iter().zip(cases.iter().chain(&cases)).enumerate() {
                assert_eq!(*y, case.1, "{variant}: item {n}, {}", case.0);
            }
        }
    }

    #[test]
    fn an_infinity_times_no_scale_is_zero() {
        let x = [f32::INFINITY; 70];
        for (variant, run) in F32_TO_U8_SCALED.variants() {
            let mut y = [1; 70];
            run(&mut y, &x, 0.0);
            assert_eq!(y, [0; 70], "{variant}");
        }
        for (variant, run) in F32_TO_I16_SCALED.variants() {
            let mut y = [1; 70];
            run(&mut y, &x, 0.0);
            assert_eq!(y, [0; 70], "{variant}");
        }
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
