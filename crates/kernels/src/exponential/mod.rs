//! Exponentials.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use crate::dispatch::kernel;

kernel! {
    /// Exponentials: `y[n] = exp(x[n])`.
    ///
    /// Infinite from 88.73 on, subnormal below −87.33, 0 from −104 on; a NaN stays one.
    ///
    /// **Accuracy**: 1.5 units in the last place, of subnormal results too.
    ///
    /// ```
    /// let mut y = [0.0; 2];
    /// superhet_kernels::exp(&mut y, &[0.0, 1.0]);
    /// assert_eq!(y, [1.0, std::f32::consts::E]);
    /// ```
    pub fn exp(y: &mut [f32], x: &[f32]);
    same_length(y, x);
    table EXP { x86_64: avx512, avx2; }
}

kernel! {
    /// Hyperbolic tangents: `y[n] = tanh(x[n])`, within ±1; a NaN stays one.
    ///
    /// **Accuracy**: 3 units in the last place.
    ///
    /// ```
    /// let mut y = [0.0; 3];
    /// superhet_kernels::tanh(&mut y, &[0.0, 20.0, -20.0]);
    /// assert_eq!(y, [0.0, 1.0, -1.0]);
    /// ```
    pub fn tanh(y: &mut [f32], x: &[f32]);
    same_length(y, x);
    table TANH { x86_64: avx512, avx2; }
}

kernel! {
    /// Hyperbolic tangents to five digits: `y[n] ≈ tanh(x[n])`, within ±1; a NaN stays one.
    ///
    /// **Accuracy**: relative error ≤ 2e-6.
    ///
    /// The variant `scalar` is slower than [`tanh`](fn@tanh) on x86 ([`item::tanh_fast`](crate::item::tanh_fast)).
    ///
    /// ```
    /// let mut y = [0.0; 2];
    /// superhet_kernels::tanh_fast(&mut y, &[0.0, -0.5]);
    /// assert!(y[0] == 0.0 && (y[1] + 0.46211716).abs() < 2e-6);
    /// ```
    pub fn tanh_fast(y: &mut [f32], x: &[f32]);
    same_length(y, x);
    table TANH_FAST { x86_64: avx512, avx2; }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{self, Want};
    use std::f64::consts::LN_2;

    fn exp_of(x: f32) -> Want {
        Want::ulps((x as f64).exp(), 1.5)
    }

    fn tanh_of(x: f32) -> Want {
        Want::ulps((x as f64).tanh(), 3.0)
    }

    #[test]
    fn every_variant_gives_exponentials() {
        check::unary(&EXP, |run, y, x| run(y, x), exp_of);
        check::unary(&TANH, |run, y, x| run(y, x), tanh_of);
    }

    #[test]
    fn exponentials_are_as_accurate_as_stated() {
        let borders = (0..=150).map(|n| (f64::from(n) + 0.5) * LN_2);
        let ends = [88.72284, 87.33655, 103.27893, 103.97208, 104.0, 89.0];
        let dense = (0..200_000).map(|n| n as f32 * 1e-3 - 105.0);
        let x: Vec<f32> = check::all_magnitudes()
            .chain(check::around(borders))
            .chain(check::around(ends))
            .chain(dense)
            .collect();
        check::sweep(&EXP, &x, |run, y, x| run(y, x), exp_of);
    }

    #[test]
    fn hyperbolic_tangents_are_as_accurate_as_stated() {
        let borders = (0..=30).map(|n| (f64::from(n) + 0.5) * LN_2 / 2.0);
        let dense = (0..200_000).map(|n| n as f32 * 1e-4 - 10.0);
        let x: Vec<f32> = check::all_magnitudes().chain(check::around(borders)).chain(dense).collect();
        check::sweep(&TANH, &x, |run, y, x| run(y, x), tanh_of);
        let mut y = vec![0.0; x.len()];
        tanh(&mut y, &x);
        assert!(y.iter().all(|y| y.is_nan() || y.abs() <= 1.0));
    }

    #[test]
    fn fast_hyperbolic_tangents_are_as_accurate_as_stated() {
        let tanh_of = |x: f32| {
            let tanh = (x as f64).tanh();
            Want::within(tanh, (tanh.abs() * 2e-6).max(f32::from_bits(1).into()))
        };
        check::unary(&TANH_FAST, |run, y, x| run(y, x), tanh_of);
        let dense = (0..500_000).map(|n| n as f32 * 4e-5 - 10.0);
        let x: Vec<f32> = check::all_magnitudes().chain(dense).chain(check::around([7.0])).collect();
        check::sweep(&TANH_FAST, &x, |run, y, x| run(y, x), tanh_of);
        let mut y = vec![0.0; x.len()];
        tanh_fast(&mut y, &x);
        assert!(x.iter().zip(&y).all(|(x, y)| y.is_nan() || y.abs() <= 1.0 && y.signum() == x.signum()));
    }
}
