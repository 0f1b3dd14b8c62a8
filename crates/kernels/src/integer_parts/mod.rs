//! Real and imaginary parts of integer IQ: taking it apart and putting it together.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use crate::dispatch::kernel;

kernel! {
    /// Interleaved 8-bit IQ from its parts: `y[n] = [re[n], im[n]]`.
    ///
    /// ```
    /// let mut y = [[0; 2]];
    /// superhet_kernels::interleave_i8(&mut y, &[1], &[2]);
    /// assert_eq!(y, [[1, 2]]);
    /// ```
    pub fn interleave_i8(y: &mut [[i8; 2]], re: &[i8], im: &[i8]);
    same_length(y, re, im);
    table INTERLEAVE_I8 { x86_64: avx2; }
}

kernel! {
    /// Interleaved 16-bit IQ from its parts: `y[n] = [re[n], im[n]]`.
    ///
    /// ```
    /// let mut y = [[0; 2]];
    /// superhet_kernels::interleave_i16(&mut y, &[1], &[2]);
    /// assert_eq!(y, [[1, 2]]);
    /// ```
    pub fn interleave_i16(y: &mut [[i16; 2]], re: &[i16], im: &[i16]);
    same_length(y, re, im);
    beyond_caches scalar;
    table INTERLEAVE_I16 { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Both parts of interleaved 8-bit IQ: `re[n] = x[n][0]`, `im[n] = x[n][1]`.
    ///
    /// ```
    /// let (mut re, mut im) = ([0], [0]);
    /// superhet_kernels::deinterleave_i8(&mut re, &mut im, &[[1, 2]]);
    /// assert_eq!((re, im), ([1], [2]));
    /// ```
    pub fn deinterleave_i8(re: &mut [i8], im: &mut [i8], x: &[[i8; 2]]);
    same_length(re, im, x);
    table DEINTERLEAVE_I8 { x86_64: avx512, avx2; }
}

kernel! {
    /// Both parts of interleaved 16-bit IQ: `re[n] = x[n][0]`, `im[n] = x[n][1]`.
    ///
    /// ```
    /// let (mut re, mut im) = ([0], [0]);
    /// superhet_kernels::deinterleave_i16(&mut re, &mut im, &[[1, 2]]);
    /// assert_eq!((re, im), ([1], [2]));
    /// ```
    pub fn deinterleave_i16(re: &mut [i16], im: &mut [i16], x: &[[i16; 2]]);
    same_length(re, im, x);
    table DEINTERLEAVE_I16 { x86_64: avx512, avx2; }
}

kernel! {
    /// Both parts of interleaved 8-bit IQ, each as [`i8_to_i16`](fn@crate::i8_to_i16) does: `256 · x`, exactly.
    ///
    /// ```
    /// let (mut re, mut im) = ([0], [0]);
    /// superhet_kernels::deinterleave_i8_to_i16(&mut re, &mut im, &[[1, -1]]);
    /// assert_eq!((re, im), ([256], [-256]));
    /// ```
    pub fn deinterleave_i8_to_i16(re: &mut [i16], im: &mut [i16], x: &[[i8; 2]]);
    same_length(re, im, x);
    table DEINTERLEAVE_I8_TO_I16 { x86_64: avx2; }
}

kernel! {
    /// Both parts of interleaved 8-bit IQ as real samples, each as [`i8_to_f32_scaled`](fn@crate::i8_to_f32_scaled) does:
    /// `x · (1 / scale)`, where `scale` is the code that becomes 1.0.
    ///
    /// ```
    /// let (mut re, mut im) = ([0.0], [0.0]);
    /// superhet_kernels::deinterleave_i8_to_f32_scaled(&mut re, &mut im, &[[50, -100]], 100.0);
    /// assert_eq!((re, im), ([0.5], [-1.0]));
    /// ```
    pub fn deinterleave_i8_to_f32_scaled(re: &mut [f32], im: &mut [f32], x: &[[i8; 2]], scale: f32);
    same_length(re, im, x);
    table DEINTERLEAVE_I8_TO_F32_SCALED { x86_64: avx512, avx2; }
}

kernel! {
    /// Both parts of interleaved 16-bit IQ as real samples, each as [`i16_to_f32_scaled`](fn@crate::i16_to_f32_scaled) does:
    /// `x · (1 / scale)`, where `scale` is the code that becomes 1.0.
    ///
    /// ```
    /// let (mut re, mut im) = ([0.0], [0.0]);
    /// superhet_kernels::deinterleave_i16_to_f32_scaled(&mut re, &mut im, &[[50, -100]], 100.0);
    /// assert_eq!((re, im), ([0.5], [-1.0]));
    /// ```
    pub fn deinterleave_i16_to_f32_scaled(re: &mut [f32], im: &mut [f32], x: &[[i16; 2]], scale: f32);
    same_length(re, im, x);
    table DEINTERLEAVE_I16_TO_F32_SCALED { x86_64: avx512_full, avx2; }
}

kernel! {
    /// Real parts of interleaved 8-bit IQ: `y[n] = x[n][0]`.
    ///
    /// ```
    /// let mut y = [0];
    /// superhet_kernels::real_i8(&mut y, &[[1, 2]]);
    /// assert_eq!(y, [1]);
    /// ```
    pub fn real_i8(y: &mut [i8], x: &[[i8; 2]]);
    same_length(y, x);
    table REAL_I8 { x86_64: avx512, avx2; }
}

kernel! {
    /// Real parts of interleaved 16-bit IQ: `y[n] = x[n][0]`.
    ///
    /// ```
    /// let mut y = [0];
    /// superhet_kernels::real_i16(&mut y, &[[1, 2]]);
    /// assert_eq!(y, [1]);
    /// ```
    pub fn real_i16(y: &mut [i16], x: &[[i16; 2]]);
    same_length(y, x);
    table REAL_I16 { x86_64: avx512, avx2; }
}

kernel! {
    /// Real parts of interleaved 8-bit IQ, as [`i8_to_i16`](fn@crate::i8_to_i16) does: `256 · x`.
    ///
    /// ```
    /// let mut y = [0];
    /// superhet_kernels::real_i8_to_i16(&mut y, &[[1, 2]]);
    /// assert_eq!(y, [256]);
    /// ```
    pub fn real_i8_to_i16(y: &mut [i16], x: &[[i8; 2]]);
    same_length(y, x);
    beyond_caches scalar;
    table REAL_I8_TO_I16 { x86_64: avx2; }
}

kernel! {
    /// Real parts of interleaved 16-bit IQ, as [`i16_to_i8`](fn@crate::i16_to_i8) does: `⌊x / 256⌋`.
    ///
    /// ```
    /// let mut y = [0];
    /// superhet_kernels::real_i16_to_i8(&mut y, &[[511, 2]]);
    /// assert_eq!(y, [1]);
    /// ```
    pub fn real_i16_to_i8(y: &mut [i8], x: &[[i16; 2]]);
    same_length(y, x);
    table REAL_I16_TO_I8 { x86_64: avx512, avx2; }
}

kernel! {
    /// Real parts of interleaved 8-bit IQ as real samples, as [`i8_to_f32_scaled`](fn@crate::i8_to_f32_scaled) does:
    /// `x · (1 / scale)`, where `scale` is the code that becomes 1.0.
    ///
    /// ```
    /// let mut y = [0.0];
    /// superhet_kernels::real_i8_to_f32_scaled(&mut y, &[[50, -100]], 100.0);
    /// assert_eq!(y, [0.5]);
    /// ```
    pub fn real_i8_to_f32_scaled(y: &mut [f32], x: &[[i8; 2]], scale: f32);
    same_length(y, x);
    table REAL_I8_TO_F32_SCALED { x86_64: avx512, avx2; }
}

kernel! {
    /// Real parts of interleaved 16-bit IQ as real samples, as [`i16_to_f32_scaled`](fn@crate::i16_to_f32_scaled) does:
    /// `x · (1 / scale)`, where `scale` is the code that becomes 1.0.
    ///
    /// ```
    /// let mut y = [0.0];
    /// superhet_kernels::real_i16_to_f32_scaled(&mut y, &[[50, -100]], 100.0);
    /// assert_eq!(y, [0.5]);
    /// ```
    pub fn real_i16_to_f32_scaled(y: &mut [f32], x: &[[i16; 2]], scale: f32);
    same_length(y, x);
    table REAL_I16_TO_F32_SCALED { x86_64: avx512_full, avx2; }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{self, Want};
    use num_complex::Complex;

    fn exact<T: Into<f64>>(re: T, im: T) -> Want {
        Want::complex_within(Complex::new(re.into(), im.into()), 0.0)
    }

    fn high_byte(x: i16) -> f64 {
        (f64::from(x) / 256.0).floor()
    }

    fn scaled<T: Into<f64>>(x: T) -> Want {
        let x = x.into() / 100.0;
        Want::within(x, x.abs() * f32::EPSILON as f64)
    }

    #[test]
    fn every_variant_puts_together() {
        check::binary(&INTERLEAVE_I8, |run, y, re, im| run(y, re, im), exact::<i8>);
        check::binary(&INTERLEAVE_I16, |run, y, re, im| run(y, re, im), exact::<i16>);
    }

    #[test]
    fn every_variant_takes_apart() {
        check::split(&DEINTERLEAVE_I8, |run, re, im, x| run(re, im, x), |x| x.map(|x| Want::exact(x.into())));
        check::split(
            &DEINTERLEAVE_I16,
            |run, re, im, x| run(re, im, x),
            |x| x.map(|x| Want::exact(x.into())),
        );
        check::split(
            &DEINTERLEAVE_I8_TO_I16,
            |run, re, im, x| run(re, im, x),
            |x: [i8; 2]| x.map(|x| Want::exact(256.0 * f64::from(x))),
        );
        check::split(
            &DEINTERLEAVE_I8_TO_F32_SCALED,
            |run, re, im, x| run(re, im, x, 100.0),
            |x: [i8; 2]| x.map(scaled),
        );
        check::split(
            &DEINTERLEAVE_I16_TO_F32_SCALED,
            |run, re, im, x| run(re, im, x, 100.0),
            |x: [i16; 2]| x.map(scaled),
        );
    }

    #[test]
    fn every_variant_takes_the_real_part() {
        check::unary(&REAL_I8, |run, y, x| run(y, x), |x| Want::exact(x[0].into()));
        check::unary(&REAL_I16, |run, y, x| run(y, x), |x| Want::exact(x[0].into()));
        check::unary(&REAL_I8_TO_I16, |run, y, x| run(y, x), |x| Want::exact(256.0 * f64::from(x[0])));
        check::unary(&REAL_I16_TO_I8, |run, y, x| run(y, x), |x| Want::exact(high_byte(x[0])));
        check::unary(&REAL_I8_TO_F32_SCALED, |run, y, x| run(y, x, 100.0), |x| scaled(x[0]));
        check::unary(&REAL_I16_TO_F32_SCALED, |run, y, x| run(y, x, 100.0), |x| scaled(x[0]));
    }
}
