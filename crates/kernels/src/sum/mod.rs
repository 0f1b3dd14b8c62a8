//! Sums and means over a whole slice.

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
pub(crate) mod scalar;

use crate::C32;
use crate::dispatch::kernel;

kernel! {
    /// Sum of real items: `Σ x[n]`; 0 of an empty slice.
    ///
    /// All variants give the same bits.
    ///
    /// **Accuracy**: `|error| ≤ 2⁻²⁴ · 32 · Σ |x[n]|` for any length, tested to a million items.
    ///
    /// ```
    /// assert_eq!(superhet_kernels::sum_f32(&[1.0, 2.0, 4.5]), 7.5);
    /// ```
    pub fn sum_f32(x: &[f32]) -> f32;
    table SUM_F32 { x86_64: avx2; }
}

kernel! {
    /// Sum of complex samples: `Σ x[n]`; 0 of an empty slice.
    ///
    /// All variants give the same bits.
    ///
    /// **Accuracy**: `|error| ≤ 2⁻²⁴ · 32 · Σ |x[n]|` in each part for any length, tested to a million items.
    ///
    /// ```
    /// use superhet_kernels::{C32, sum_c32};
    /// assert_eq!(sum_c32(&[C32::new(1.0, 2.0), C32::new(0.5, -1.0)]), C32::new(1.5, 1.0));
    /// ```
    pub fn sum_c32(x: &[C32]) -> C32;
    table SUM_C32 { x86_64: avx2; }
}

kernel! {
    /// Mean of real items: `Σ x[n] / len`, in the unit of `x`; NaN of an empty slice.
    ///
    /// All variants give the same bits.
    ///
    /// **Accuracy**: `|error| ≤ 2⁻²⁴ · 32 · Σ |x[n]| / len` for any length, tested to a million items.
    ///
    /// ```
    /// assert_eq!(superhet_kernels::mean_f32(&[1.0, 2.0, 4.5]), 2.5);
    /// ```
    pub fn mean_f32(x: &[f32]) -> f32;
    table MEAN_F32 { x86_64: avx2; }
}

kernel! {
    /// Mean of complex samples: `Σ x[n] / len`, in the unit of `x`; NaN of an empty slice.
    ///
    /// All variants give the same bits.
    ///
    /// **Accuracy**: `|error| ≤ 2⁻²⁴ · 32 · Σ |x[n]| / len` in each part for any length, tested to a million items.
    ///
    /// ```
    /// use superhet_kernels::{C32, mean_c32};
    /// assert_eq!(mean_c32(&[C32::new(1.0, 2.0), C32::new(0.5, -1.0)]), C32::new(0.75, 0.5));
    /// ```
    pub fn mean_c32(x: &[C32]) -> C32;
    table MEAN_C32 { x86_64: avx2; }
}

kernel! {
    /// Energy of real items: `Σ x[n]²`, in the squared unit of `x`; 0 of an empty slice.
    ///
    /// All variants give the same bits.
    ///
    /// **Accuracy**: relative error ≤ 2⁻²⁴ · 32 for any length, tested to a million items, as long as the squares and
    /// the sums of 1024 of them are within the range of normal f32.
    ///
    /// ```
    /// assert_eq!(superhet_kernels::energy_f32(&[3.0, -4.0]), 25.0);
    /// ```
    pub fn energy_f32(x: &[f32]) -> f32;
    table ENERGY_F32 { x86_64: avx2; }
}

kernel! {
    /// Energy of complex samples: `Σ re² + im²`, in the squared unit of `x`; 0 of an empty slice.
    ///
    /// All variants give the same bits.
    ///
    /// **Accuracy**: relative error ≤ 2⁻²⁴ · 32 for any length, tested to a million items, as long as the squares and
    /// the sums of 512 of them are within the range of normal f32.
    ///
    /// ```
    /// use superhet_kernels::{C32, energy_c32};
    /// assert_eq!(energy_c32(&[C32::new(3.0, -4.0), C32::new(0.0, 1.0)]), 26.0);
    /// ```
    pub fn energy_c32(x: &[C32]) -> f32;
    table ENERGY_C32 { x86_64: avx2; }
}

/// The ops of a variant, by its `plain` and `squares`: sums of the even floats and of the odd ones, and of their squares.
macro_rules! of_totals {
    (#[$attribute:meta]) => {
        #[$attribute]
        pub(super) fn sum_f32(x: &[f32]) -> f32 {
            let [even, odd] = plain(x);
            (even + odd) as f32
        }

        #[$attribute]
        pub(super) fn sum_c32(x: &[$crate::C32]) -> $crate::C32 {
            let [re, im] = plain($crate::floats(x));
            $crate::C32::new(re as f32, im as f32)
        }

        #[$attribute]
        pub(super) fn mean_f32(x: &[f32]) -> f32 {
            let [even, odd] = plain(x);
            ((even + odd) / x.len() as f64) as f32
        }

        #[$attribute]
        pub(super) fn mean_c32(x: &[$crate::C32]) -> $crate::C32 {
            let [re, im] = plain($crate::floats(x));
            $crate::C32::new((re / x.len() as f64) as f32, (im / x.len() as f64) as f32)
        }

        #[$attribute]
        pub(super) fn energy_f32(x: &[f32]) -> f32 {
            let [even, odd] = squares(x);
            (even + odd) as f32
        }

        #[$attribute]
        pub(super) fn energy_c32(x: &[$crate::C32]) -> f32 {
            energy_f32($crate::floats(x))
        }
    };
}
use of_totals;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{self, Noise, wide};
    use num_complex::Complex;

    #[test]
    fn every_variant_sums_and_all_to_the_same_bits() {
        let real = |x: f32| Complex::new(x as f64, 0.0);
        check::reduction(&SUM_F32, |run, x| run(x), |x: &[f32]| check::total(x, real));
        check::reduction(&SUM_C32, |run, x| run(x), |x: &[C32]| check::total(x, wide));
        check::reduction(&ENERGY_F32, |run, x| run(x), |x: &[f32]| check::total(x, |x| real(x) * real(x)));
        check::reduction(
            &ENERGY_C32,
            |run, x| run(x),
            |x: &[C32]| check::total(x, |x| Complex::from(wide(x).norm_sqr())),
        );
    }

    #[test]
    fn every_variant_averages() {
        check::reduction(
            &MEAN_F32,
            |run, x| run(x),
            |x: &[f32]| check::total(x, |item| Complex::new(item as f64 / x.len() as f64, 0.0)),
        );
        check::reduction(
            &MEAN_C32,
            |run, x| run(x),
            |x: &[C32]| check::total(x, |item| wide(item) / x.len() as f64),
        );
        assert!(mean_f32(&[]).is_nan() && mean_c32(&[]).re.is_nan());
    }

    #[test]
    fn the_error_does_not_grow_with_the_length() {
        let x: Vec<f32> = Noise::new(1).signal(1_000_000);
        let x: Vec<f32> = x.iter().map(|x| x + 1000.0).collect();
        let exact: f64 = x.iter().map(|&x| x as f64).sum();
        for (name, run) in SUM_F32.variants() {
            let error = (run(&x) as f64 - exact) / exact;
            assert!(error.abs() < 32.0 / (1 << 24) as f64, "{name}: {error}");
        }
    }

    #[test]
    fn a_mean_does_not_overflow_where_the_sum_would() {
        let large = f32::from_bits((127 + 117) << 23); // 2¹¹⁷
        for (name, run) in MEAN_F32.variants() {
            assert_eq!(run(&[large; 4096]), large, "{name}");
        }
    }
}
