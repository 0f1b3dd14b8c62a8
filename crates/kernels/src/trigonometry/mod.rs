//! Sines and their kin.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use crate::C32;
use crate::dispatch::kernel;

kernel! {
    /// Sines: `y[n] = sin(x[n])`, x in radians.
    ///
    /// NaN for `|x| > 2³⁰`, where neighbouring numbers are twenty turns apart, for infinities and NaN; −0 for −0.
    ///
    /// **Accuracy**: `|error| ≤ 1.5e-7` for `|x| ≤ 2²⁷`, and 3e-7 up to 2³⁰; for `|x| ≤ 3` also 3 units in the last
    /// place.
    ///
    /// ```
    /// let mut y = [0.0; 2];
    /// superhet_kernels::sin(&mut y, &[0.0, std::f32::consts::FRAC_PI_2]);
    /// assert_eq!(y, [0.0, 1.0]);
    /// ```
    pub fn sin(y: &mut [f32], x: &[f32]);
    same_length(y, x);
    table SIN { x86_64: avx512, avx2; }
}

kernel! {
    /// Cosines: `y[n] = cos(x[n])`, x in radians.
    ///
    /// NaN for `|x| > 2³⁰`, where neighbouring numbers are twenty turns apart, for infinities and NaN.
    ///
    /// **Accuracy**: `|error| ≤ 1.5e-7` for `|x| ≤ 2²⁷`, and 3e-7 up to 2³⁰; for `|x| ≤ 3` also 3 units in the last
    /// place.
    ///
    /// ```
    /// let mut y = [0.0; 2];
    /// superhet_kernels::cos(&mut y, &[0.0, std::f32::consts::PI]);
    /// assert_eq!(y, [1.0, -1.0]);
    /// ```
    pub fn cos(y: &mut [f32], x: &[f32]);
    same_length(y, x);
    table COS { x86_64: avx512, avx2; }
}

kernel! {
    /// Tangents: `y[n] = tan(x[n]) = sin(x[n]) / cos(x[n])`, x in radians.
    ///
    /// NaN for `|x| > 2³⁰`, where neighbouring numbers are twenty turns apart, for infinities and NaN; −0 for −0.
    ///
    /// **Accuracy**: 4 units in the last place of the tangent of a phase within `2⁻⁵² · |x|` of x.
    ///
    /// ```
    /// let mut y = [0.0; 2];
    /// superhet_kernels::tan(&mut y, &[0.0, 0.5]);
    /// assert!(y[0] == 0.0 && (y[1] - 0.5463025).abs() < 1e-6);
    /// ```
    pub fn tan(y: &mut [f32], x: &[f32]);
    same_length(y, x);
    table TAN { x86_64: avx512, avx2; }
}

kernel! {
    /// Samples of the unit circle: `y[n] = cos(x[n]) + j · sin(x[n])`, x in radians, the values of [`cos`](fn@cos) and
    /// [`sin`](fn@sin).
    ///
    /// **Accuracy**: each part is within 1.5e-7 for `|x| ≤ 2²⁷`, and within 3e-7 up to 2³⁰; NaN beyond.
    ///
    /// ```
    /// use superhet_kernels::{C32, expj};
    /// let mut y = [C32::ZERO];
    /// expj(&mut y, &[0.0]);
    /// assert_eq!(y, [C32::ONE]);
    /// ```
    pub fn expj(y: &mut [C32], x: &[f32]);
    same_length(y, x);
    table EXPJ { x86_64: avx512, avx2; }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{self, Want};
    use num_complex::Complex;
    use std::f64::consts::FRAC_PI_2;

    const LARGEST: f32 = (1u32 << 30) as f32;

    /// What is promised of `value`, a sine or cosine of x.
    fn stated(x: f32, value: f64) -> Want {
        if x.abs() <= LARGEST {
            Want::within(value, if x.abs() <= LARGEST / 8.0 { 1.5e-7 } else { 3e-7 })
        } else {
            Want::exact(f64::NAN)
        }
    }

    fn sin_of(x: f32) -> Want {
        stated(x, (x as f64).sin())
    }

    fn cos_of(x: f32) -> Want {
        stated(x, (x as f64).cos())
    }

    /// The tangents of all phases within `2⁻⁵² · |x|` of x.
    fn tan_of(x: f32) -> Want {
        if x.abs() > LARGEST || x.is_nan() {
            return Want::exact(f64::NAN);
        }
        let x = f64::from(x);
        let [less, tan, more] =
            [1.0 - f64::EPSILON, 1.0, 1.0 + f64::EPSILON].map(|factor| (factor * x).tan());
        let a_pole_is_between = (more < less) != (x < 0.0);
        let spread =
            if a_pole_is_between { f64::INFINITY } else { (tan - less).abs().max((more - tan).abs()) };
        Want::ulps(tan, 4.0).give_or_take(spread)
    }

    /// Numbers about quarter turns, where a reduction has its borders and sines their zeros.
    fn about_quarter_turns() -> impl Iterator<Item = f32> {
        let quarters = (0..100).chain((100..1 << 29).step_by(1_000_003));
        check::around(quarters.map(|n| f64::from(n) * FRAC_PI_2))
    }

    #[test]
    fn every_variant_gives_sines_and_their_kin() {
        check::unary(&SIN, |run, y, x| run(y, x), sin_of);
        check::unary(&COS, |run, y, x| run(y, x), cos_of);
        check::unary(&TAN, |run, y, x| run(y, x), tan_of);
        check::unary(
            &EXPJ,
            |run, y, x| run(y, x),
            |x: f32| Want::complex_within(Complex::cis(x as f64), 1.5e-7),
        );
    }

    #[test]
    fn sines_and_cosines_are_as_accurate_as_stated_and_nan_beyond() {
        let dense = (0..200_000).map(|n| n as f32 * 0.1 - 1e4);
        let large = (0..200_000).map(|n| n as f32 * (LARGEST / 2e5));
        let x: Vec<f32> =
            check::all_magnitudes().chain(about_quarter_turns()).chain(dense).chain(large).collect();
        check::sweep(&SIN, &x, |run, y, x| run(y, x), sin_of);
        check::sweep(&COS, &x, |run, y, x| run(y, x), cos_of);
        check::sweep(
            &EXPJ,
            &x,
            |run, y, x| run(y, x),
            |x| {
                let (mut sin, mut cos) = ([0.0], [0.0]);
                super::sin(&mut sin, &[x]);
                super::cos(&mut cos, &[x]);
                Want::complex_within(Complex::new(cos[0].into(), sin[0].into()), 0.0)
            },
        );
    }

    #[test]
    fn near_zeros_no_digits_are_lost() {
        let dense = (0..600_000).map(|n| n as f32 * 1e-5 - 3.0);
        let about_zeros = about_quarter_turns().chain(check::all_magnitudes());
        let x: Vec<f32> = dense.chain(about_zeros.filter(|x| x.abs() <= 3.0)).collect();
        check::sweep(&SIN, &x, |run, y, x| run(y, x), |x| Want::ulps((x as f64).sin(), 3.0));
        check::sweep(&COS, &x, |run, y, x| run(y, x), |x| Want::ulps((x as f64).cos(), 3.0));
    }

    #[test]
    fn tangents_are_as_accurate_as_stated() {
        let dense = (0..200_000).map(|n| n as f32 * 0.1 - 1e4);
        let x: Vec<f32> = check::all_magnitudes().chain(about_quarter_turns()).chain(dense).collect();
        check::sweep(&TAN, &x, |run, y, x| run(y, x), tan_of);
    }

    #[test]
    fn what_has_no_phase_is_nan_and_zeros_keep_their_signs() {
        for x in [LARGEST.next_up(), -LARGEST.next_up(), f32::MAX, f32::INFINITY, f32::NEG_INFINITY, f32::NAN]
        {
            for op in [sin, cos, tan] {
                let mut y = [0.0];
                op(&mut y, &[x]);
                assert!(y[0].is_nan(), "of {x}: {}", y[0]);
            }
        }
        for op in [sin, tan] {
            let mut y = [1.0; 2];
            op(&mut y, &[0.0, -0.0]);
            assert!(y == [0.0; 2] && y[0].is_sign_positive() && y[1].is_sign_negative());
        }
    }
}
