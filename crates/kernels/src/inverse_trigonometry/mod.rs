//! Angles: inverse sines and their kin.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use crate::C32;
use crate::dispatch::kernel;

kernel! {
    /// Inverse sines: `y[n] = arcsin(x[n])` in radians, within ±π/2; NaN for `|x| > 1`.
    ///
    /// **Accuracy**: 3 units in the last place.
    ///
    /// ```
    /// let mut y = [0.0; 2];
    /// superhet_kernels::asin(&mut y, &[1.0, 0.0]);
    /// assert_eq!(y, [std::f32::consts::FRAC_PI_2, 0.0]);
    /// ```
    pub fn asin(y: &mut [f32], x: &[f32]);
    same_length(y, x);
    table ASIN { x86_64: avx512, avx2; }
}

kernel! {
    /// Inverse cosines: `y[n] = arccos(x[n])` in radians, within 0..=π; NaN for `|x| > 1`.
    ///
    /// **Accuracy**: 2 units in the last place.
    ///
    /// ```
    /// let mut y = [0.0; 2];
    /// superhet_kernels::acos(&mut y, &[1.0, 0.0]);
    /// assert_eq!(y, [0.0, std::f32::consts::FRAC_PI_2]);
    /// ```
    pub fn acos(y: &mut [f32], x: &[f32]);
    same_length(y, x);
    table ACOS { x86_64: avx512, avx2; }
}

kernel! {
    /// Inverse tangents: `y[n] = arctan(x[n])` in radians, within ±π/2; a NaN stays one.
    ///
    /// **Accuracy**: 2 units in the last place.
    ///
    /// ```
    /// let mut y = [0.0; 2];
    /// superhet_kernels::atan(&mut y, &[0.0, f32::INFINITY]);
    /// assert_eq!(y, [0.0, std::f32::consts::FRAC_PI_2]);
    /// ```
    pub fn atan(y: &mut [f32], x: &[f32]);
    same_length(y, x);
    table ATAN { x86_64: avx512, avx2; }
}

kernel! {
    /// The angles of points: `y[n] = arg(b[n] + j · a[n])` in radians, within ±π.
    ///
    /// Signed zeros and infinities are as IEEE 754 has them (`atan2`): on the negative real axis the sign of a zero
    /// `a[n]` tells π from −π, and two infinities are on a diagonal. NaN if one of the two is.
    ///
    /// **Accuracy**: 3e-7, and 2 units in the last place.
    ///
    /// ```
    /// let mut y = [0.0; 2];
    /// superhet_kernels::atan2(&mut y, &[2.0, 0.0], &[0.0, -1.0]);
    /// assert_eq!(y, [std::f32::consts::FRAC_PI_2, std::f32::consts::PI]);
    /// ```
    pub fn atan2(y: &mut [f32], a: &[f32], b: &[f32]);
    same_length(y, a, b);
    table ATAN2 { x86_64: avx512, avx2; }
}

kernel! {
    /// The angles of complex samples: `y[n] = arg x[n]` in radians, within ±π, the values of [`atan2`](fn@atan2).
    ///
    /// **Accuracy**: 3e-7, and 2 units in the last place.
    ///
    /// ```
    /// use superhet_kernels::{C32, complex_to_arg};
    /// let mut y = [0.0];
    /// complex_to_arg(&mut y, &[C32::new(-1.0, -1.0)]);
    /// assert_eq!(y, [-0.75 * std::f32::consts::PI]);
    /// ```
    pub fn complex_to_arg(y: &mut [f32], x: &[C32]);
    same_length(y, x);
    table COMPLEX_TO_ARG { x86_64: avx512, avx2; }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{self, Item, Want};

    fn asin_of(x: f32) -> Want {
        Want::ulps((x as f64).asin(), 3.0)
    }

    fn acos_of(x: f32) -> Want {
        Want::ulps((x as f64).acos(), 2.0)
    }

    fn atan_of(x: f32) -> Want {
        Want::ulps((x as f64).atan(), 2.0)
    }

    fn atan2_of(y: f32, x: f32) -> Want {
        let angle = (y as f64).atan2(x as f64);
        // Two units in the last place, but not more than 3e-7.
        let ulp = f64::from((angle as f32).abs().next_up()) - f64::from((angle as f32).abs());
        Want::within(angle, (2.0 * ulp).min(3e-7))
    }

    #[test]
    fn every_variant_gives_angles() {
        check::unary(&ASIN, |run, y, x| run(y, x), asin_of);
        check::unary(&ACOS, |run, y, x| run(y, x), acos_of);
        check::unary(&ATAN, |run, y, x| run(y, x), atan_of);
        check::binary(&ATAN2, |run, y, a, b| run(y, a, b), atan2_of);
        check::unary(&COMPLEX_TO_ARG, |run, y, x| run(y, x), |x: C32| atan2_of(x.im, x.re));
    }

    #[test]
    fn angles_are_as_accurate_as_stated() {
        let dense = (0..=400_000).map(|n| n as f32 * 5e-6 - 1.0);
        let borders = check::around([0.5, 1.0]);
        let x: Vec<f32> = check::all_magnitudes().chain(borders).chain(dense).collect();
        check::sweep(&ASIN, &x, |run, y, x| run(y, x), asin_of);
        check::sweep(&ACOS, &x, |run, y, x| run(y, x), acos_of);
        check::sweep(&ATAN, &x, |run, y, x| run(y, x), atan_of);
        for other in [1.0, -1.0, 0.3, -1e-40, f32::MAX, f32::MIN_POSITIVE] {
            let call = |run: fn(&mut [f32], &[f32], &[f32]), y: &mut [f32], x: &[f32]| {
                run(y, x, &vec![other; x.len()]);
            };
            check::sweep(&ATAN2, &x, call, |x| atan2_of(x, other));
            let call = |run: fn(&mut [f32], &[f32], &[f32]), y: &mut [f32], x: &[f32]| {
                run(y, &vec![other; x.len()], x);
            };
            check::sweep(&ATAN2, &x, call, |x| atan2_of(other, x));
        }
        let circle: Vec<C32> = (0..200_000).map(|n| C32::from_polar(1.0, n as f32 * 1e-3)).collect();
        check::sweep(&COMPLEX_TO_ARG, &circle, |run, y, x| run(y, x), |x| atan2_of(x.im, x.re));
    }

    #[test]
    fn signed_zeros_and_infinities_have_the_angles_of_ieee_754() {
        for a in f32::SPECIAL {
            for b in f32::SPECIAL {
                let mut y = [0.0];
                atan2(&mut y, &[*a], &[*b]);
                atan2_of(*a, *b).check(y[0], &format!("atan2 of {a} and {b}"));
                let want = a.atan2(*b);
                assert!(
                    want.is_nan() || want.is_sign_negative() == y[0].is_sign_negative(),
                    "{a}, {b}: {}",
                    y[0]
                );
            }
        }
    }
}
