//! Powers.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use crate::dispatch::kernel;

kernel! {
    /// Powers: `y[n] = a[n] ^ b[n]`, with the special cases of IEEE 754 (`powf`).
    ///
    /// A negative `a[n]` needs a whole `b[n]`, the result is NaN otherwise; anything to the power of 0 is 1, and so is
    /// 1 to any power, both of NaN too.
    ///
    /// **Accuracy**: relative error ≤ `2⁻²³ · (2 + min(|b|, 3 · |b · log₂|a||))`, that is 5e-7 for squares and roots;
    /// half of the smallest number on top for subnormal results.
    ///
    /// ```
    /// let mut y = [0.0; 3];
    /// superhet_kernels::power(&mut y, &[2.0, -2.0, 9.0], &[10.0, 3.0, -0.5]);
    /// assert_eq!(y, [1024.0, -8.0, 1.0 / 3.0]);
    /// ```
    pub fn power(y: &mut [f32], a: &[f32], b: &[f32]);
    same_length(y, a, b);
    table POWER { x86_64: avx512, avx2; }
}

kernel! {
    /// Powers of one exponent: `y[n] = x[n] ^ exponent`, the values of [`power`](fn@power).
    ///
    /// ```
    /// let mut y = [0.0; 2];
    /// superhet_kernels::power_const(&mut y, &[2.0, -3.0], 2.0);
    /// assert_eq!(y, [4.0, 9.0]);
    /// ```
    pub fn power_const(y: &mut [f32], x: &[f32], exponent: f32);
    same_length(y, x);
    table POWER_CONST { x86_64: avx512, avx2; }
}

kernel! {
    /// Powers of numbers that are not negative, to four digits: `y[n] ≈ a[n] ^ b[n]`.
    ///
    /// NaN for a negative base and for NaN; but 1 where the exponent is 0 or the base is 1, whatever the other is. A zero of
    /// either sign gives 0, or ∞ for a negative exponent.
    ///
    /// **Accuracy**: relative error ≤ 3e-7 + |b| · min(4e-6, 8e-6 · |log₂ a|) + 9e-8 · |b · log₂ a|; half of the smallest
    /// number on top for subnormal results.
    ///
    /// The variant `scalar` is slower than [`power`](fn@power) on x86 ([`item::power_fast`](crate::item::power_fast)).
    ///
    /// ```
    /// let mut y = [0.0; 2];
    /// superhet_kernels::power_fast(&mut y, &[2.0, 9.0], &[10.0, -0.5]);
    /// assert!((y[0] - 1024.0).abs() < 1e-3 && (y[1] - 1.0 / 3.0).abs() < 1e-5);
    /// ```
    pub fn power_fast(y: &mut [f32], a: &[f32], b: &[f32]);
    same_length(y, a, b);
    table POWER_FAST { x86_64: avx512, avx2; }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{self, Item, Want};

    fn power_of(a: f32, b: f32) -> Want {
        let (a, b) = (a as f64, b as f64);
        let power = a.powf(b);
        let nearest = power as f32;
        if b == 0.0 || a == 1.0 {
            return Want::exact(1.0);
        }
        if !nearest.is_finite() || nearest == 0.0 {
            return Want::exact(nearest.into());
        }
        let of_logarithm = b.abs().min(3.0 * (b * a.abs().log2()).abs());
        let relative = f32::EPSILON as f64 * (2.0 + of_logarithm);
        Want::within(power, power.abs() * relative + 0.5 * f32::from_bits(1) as f64)
    }

    #[test]
    fn every_variant_gives_powers() {
        check::binary(&POWER, |run, y, a, b| run(y, a, b), power_of);
        for exponent in [-0.5, 2.0, 3.0, f32::NAN] {
            let call = |run: fn(&mut [f32], &[f32], f32), y: &mut [f32], x: &[f32]| run(y, x, exponent);
            check::unary(&POWER_CONST, call, |x| power_of(x, exponent));
        }
    }

    #[test]
    fn powers_are_as_accurate_as_stated() {
        let borders = (-149..128).map(|n| f64::from(n).exp2() * std::f64::consts::SQRT_2);
        let x: Vec<f32> = check::all_magnitudes().chain(check::around(borders)).collect();
        for exponent in [-0.5, 0.5, 1.0, 1.7, 2.0, -3.0, 1e-3, 100.0, 8388607.0, -16777216.0] {
            let call = |run: fn(&mut [f32], &[f32], f32), y: &mut [f32], x: &[f32]| run(y, x, exponent);
            check::sweep(&POWER_CONST, &x, call, |x| power_of(x, exponent));
        }
        for base in [1.7, 0.3, 2.0, -2.0, 0.9999999, 1.0000001, 1e-40, 1e38] {
            let call = |run: fn(&mut [f32], &[f32], &[f32]), y: &mut [f32], x: &[f32]| {
                run(y, &vec![base; x.len()], x);
            };
            check::sweep(&POWER, &x, call, |x| power_of(base, x));
        }
    }

    #[test]
    fn special_cases_are_those_of_ieee_754() {
        let mut values = f32::SPECIAL.to_vec();
        values.extend([
            0.5, -0.5, 2.0, -2.0, 3.0, -3.0, 1e10, -1e10, 8388607.5, 8388609.0, -8388609.0, 16777215.0,
        ]);
        for a in &values {
            for b in &values {
                let mut y = [0.0];
                power(&mut y, &[*a], &[*b]);
                power_of(*a, *b).check(y[0], &format!("{a} ^ {b}"));
                assert!(
                    y[0].is_nan() || y[0].is_sign_negative() == a.powf(*b).is_sign_negative(),
                    "{a} ^ {b}"
                );
            }
        }
    }

    fn fast_power_of(a: f32, b: f32) -> Want {
        let (a, b) = (a as f64, b as f64);
        let log2 = a.log2();
        if b == 0.0 || a == 1.0 {
            return Want::exact(1.0);
        }
        if !log2.is_finite() || !b.is_finite() {
            // By the sign of the exponent; negative bases and NaNs are NaN.
            return Want::exact((b * log2).exp2());
        }
        let power = a.powf(b);
        let relative = 3e-7 + b.abs() * 4e-6_f64.min(8e-6 * log2.abs()) + 9e-8 * (b * log2).abs();
        if (b * log2).abs() > 160.0 {
            return Want::exact((power as f32).into());
        }
        let (low, high) = (power * (1.0 - relative), power * (1.0 + relative));
        if high > f32::MAX.into() && low < f32::MAX.into() {
            // Either is right.
            return Want::within(f32::MAX.into(), f64::INFINITY);
        }
        if low > f32::MAX.into() {
            return Want::exact(f64::INFINITY);
        }
        Want::within(power, power * relative + 0.5 * f32::from_bits(1) as f64)
    }

    #[test]
    fn fast_powers_are_as_accurate_as_stated() {
        check::binary(&POWER_FAST, |run, y, a, b| run(y, a, b), fast_power_of);
        let borders = (-149..128).map(|n| f64::from(n).exp2() * 1.5);
        let dense = (0..200_000).map(|n| 0.5 + n as f32 * 1e-5);
        let x: Vec<f32> = check::all_magnitudes().chain(check::around(borders)).chain(dense).collect();
        type Binary = fn(&mut [f32], &[f32], &[f32]);
        for exponent in [-0.5, 0.5, 1.0, 1.7, 2.0, -3.0, 1e-3, 100.0] {
            let call = |run: Binary, y: &mut [f32], x: &[f32]| run(y, x, &vec![exponent; x.len()]);
            check::sweep(&POWER_FAST, &x, call, |x| fast_power_of(x, exponent));
        }
        for base in [1.7, 0.3, 2.0, -2.0, 0.0, 0.9999999, 1.0000001, 1e-40, 1e38, f32::INFINITY] {
            let call = |run: Binary, y: &mut [f32], x: &[f32]| run(y, &vec![base; x.len()], x);
            check::sweep(&POWER_FAST, &x, call, |x| fast_power_of(base, x));
        }
    }
}
