//! Levels: decibels and octaves.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use crate::C32;
use crate::dispatch::kernel;

kernel! {
    /// Powers to decibels: `y[n] = max(10 · log₁₀ x[n] + offset_db, floor_db)`.
    ///
    /// An offset of −10 · log₁₀ p gives the level relative to a power p. Powers below 1.2e-38, 0 and negative ones
    /// too, count as 1.2e-38, that is −379.3 dB; ∞ stays, and so does a NaN.
    ///
    /// **Accuracy**: `1e-5 dB + 2⁻²² · (|y| + |offset_db|)`.
    ///
    /// ```
    /// let mut y = [0.0; 3];
    /// superhet_kernels::power_to_db(&mut y, &[1.0, 100.0, 0.0], 3.0, -90.0);
    /// assert_eq!(y[2], -90.0);
    /// assert!((y[0] - 3.0).abs() < 1e-4 && (y[1] - 23.0).abs() < 1e-4);
    /// ```
    pub fn power_to_db(y: &mut [f32], x: &[f32], offset_db: f32, floor_db: f32);
    same_length(y, x);
    table POWER_TO_DB { x86_64: avx512, avx2; }
}

kernel! {
    /// Magnitudes to decibels: `y[n] = max(10 · log₁₀ |x[n]|² + offset_db, floor_db)`, a power spectrum if x is one.
    ///
    /// An offset of −20 · log₁₀ a gives the level relative to a magnitude a. Magnitudes below 1.1e-19 count as that
    /// (−379.3 dB); above 1.8e19 the squares overflow to infinity.
    ///
    /// **Accuracy**: `1e-5 dB + 2⁻²² · (|y| + |offset_db|)` for magnitudes within 1e-18..1e19.
    ///
    /// ```
    /// use superhet_kernels::{C32, complex_to_db};
    /// let mut y = [0.0; 2];
    /// complex_to_db(&mut y, &[C32::new(0.0, 10.0), C32::ZERO], 0.0, -120.0);
    /// assert_eq!(y[1], -120.0);
    /// assert!((y[0] - 20.0).abs() < 1e-4);
    /// ```
    pub fn complex_to_db(y: &mut [f32], x: &[C32], offset_db: f32, floor_db: f32);
    same_length(y, x);
    table COMPLEX_TO_DB { x86_64: avx512, avx2; }
}

kernel! {
    /// Binary logarithms of magnitudes: `y[n] = log₂ |x[n]|`; −∞ for 0.
    ///
    /// Above 1.8e19 the squares overflow to infinity, below 1e-19 they lose digits.
    ///
    /// **Accuracy**: `2⁻²³ + 2⁻²² · |y|` for magnitudes within 1e-18..1e19.
    ///
    /// ```
    /// use superhet_kernels::{C32, complex_to_log2};
    /// let mut y = [0.0];
    /// complex_to_log2(&mut y, &[C32::new(0.0, -8.0)]);
    /// assert_eq!(y, [3.0]);
    /// ```
    pub fn complex_to_log2(y: &mut [f32], x: &[C32]);
    same_length(y, x);
    table COMPLEX_TO_LOG2 { x86_64: avx512, avx2; }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{self, Want, wide};

    const OFFSET: f32 = -7.3;
    const FLOOR: f32 = -200.0;

    fn db(power: f64) -> Want {
        let level = 10.0 * power.log10() + f64::from(OFFSET);
        let rounding = (level.abs() + f64::from(OFFSET.abs())) * 2.0 * f32::EPSILON as f64;
        if level < FLOOR.into() { Want::exact(FLOOR.into()) } else { Want::within(level, 1e-5 + rounding) }
    }

    fn log2(x: C32) -> Want {
        let log2 = wide(x).norm().log2();
        Want::within(log2, f32::EPSILON as f64 * (1.0 + 2.0 * log2.abs()))
    }

    #[test]
    fn every_variant_gives_levels() {
        let of_power = |x: f32| db(f64::from(x.max(0.0)));
        let of_complex = |x: C32| db(wide(x).norm_sqr());
        check::unary(&POWER_TO_DB, |run, y, x| run(y, x, OFFSET, FLOOR), of_power);
        check::unary(&COMPLEX_TO_DB, |run, y, x| run(y, x, OFFSET, FLOOR), of_complex);
        check::unary(&COMPLEX_TO_LOG2, |run, y, x| run(y, x), log2);
    }

    #[test]
    fn levels_are_as_accurate_as_stated() {
        let borders = (-126..127).map(|n| f64::from(n).exp2() * std::f64::consts::SQRT_2);
        let x: Vec<f32> = check::all_magnitudes().chain(check::around(borders)).collect();
        let of_power = |x: f32| {
            let lowest = f64::from(f32::MIN_POSITIVE);
            if x.is_nan() { Want::exact(f64::NAN) } else { db(f64::from(x).max(lowest)) }
        };
        check::sweep(&POWER_TO_DB, &x, |run, y, x| run(y, x, OFFSET, FLOOR), of_power);

        let x: Vec<C32> = (0..100_000)
            .map(|n| C32::from_polar(10f32.powf(n as f32 * 36.9e-5 - 18.0), n as f32))
            .filter(|x| x.norm() > 1e-18 && x.norm() < 1e19)
            .collect();
        check::sweep(&COMPLEX_TO_DB, &x, |run, y, x| run(y, x, OFFSET, FLOOR), |x| db(wide(x).norm_sqr()));
        check::sweep(&COMPLEX_TO_LOG2, &x, |run, y, x| run(y, x), log2);
    }

    #[test]
    fn the_floor_holds_for_zeros_but_not_for_nans() {
        let mut y = [0.0; 4];
        power_to_db(&mut y, &[0.0, -1.0, f32::NAN, f32::INFINITY], 0.0, -100.0);
        assert!(y[2].is_nan());
        assert_eq!([y[0], y[1], y[3]], [-100.0, -100.0, f32::INFINITY]);
        power_to_db(&mut y[..1], &[0.0], 0.0, f32::NEG_INFINITY);
        assert!((y[0] + 379.297_8).abs() < 1e-3);
    }
}
