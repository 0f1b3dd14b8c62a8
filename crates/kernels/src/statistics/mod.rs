//! Mean and variance of a whole slice.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod scalar;

use crate::dispatch::kernel;

/// What [`moments_f32`](fn@moments_f32) says of a slice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// `Σ x[n] / len`, in the unit of the items.
    pub mean: f32,
    /// `Σ (x[n] − mean)² / len`, in the squared unit of the items: that of a population, not of a sample.
    pub variance: f32,
}

impl Moments {
    /// The square root of the variance, in the unit of the items.
    pub fn standard_deviation(self) -> f32 {
        self.variance.sqrt()
    }
}

kernel! {
    /// Mean and variance of real items: `Σ x[n] / len` and `Σ (x[n] − mean)² / len`; both NaN of an empty slice.
    ///
    /// All variants give the same bits (NaNs count as the same).
    ///
    /// **Accuracy**: the mean as that of [`mean_f32`](fn@crate::mean_f32); the variance within
    /// `2⁻²⁴ · (40 · variance + 4 · standard deviation · max |x|)`, for any length, tested to a million items. A mean
    /// that is a thousand times the standard deviation still leaves three digits of the variance.
    ///
    /// ```
    /// let moments = superhet_kernels::moments_f32(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]);
    /// assert_eq!((moments.mean, moments.variance, moments.standard_deviation()), (5.0, 4.0, 2.0));
    /// ```
    pub fn moments_f32(x: &[f32]) -> Moments;
    table MOMENTS_F32 { x86_64: avx2; }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::C32;
    use crate::check::{self, Noise, Want};

    /// The mean as a real part, the variance as an imaginary one: an item that the driver can compare.
    fn parts(moments: Moments) -> C32 {
        C32::new(moments.mean, moments.variance)
    }

    fn exact(x: &[f32]) -> (f64, f64) {
        let wide = || x.iter().map(|&x| x as f64);
        let mean = wide().sum::<f64>() / x.len() as f64;
        (mean, wide().map(|x| (x - mean) * (x - mean)).sum::<f64>() / x.len() as f64)
    }

    fn tolerance(x: &[f32], variance: f64) -> f64 {
        let largest = x.iter().fold(0.0f32, |largest, x| largest.max(x.abs()));
        (40.0 * variance + 4.0 * variance.sqrt() * largest as f64) / (1 << 24) as f64
    }

    #[test]
    fn every_variant_gives_the_variance() {
        check::reduction(
            &MOMENTS_F32,
            |run, x| parts(run(x)),
            |x: &[f32]| {
                let (mean, variance) = exact(x);
                // The wider of the two: the mean is tested on its own.
                let within = tolerance(x, variance).max(32.0 * 1.5 / (1 << 24) as f64);
                Want::complex_within(num_complex::Complex::new(mean, variance), within)
            },
        );
        assert!(moments_f32(&[]).mean.is_nan() && moments_f32(&[]).variance.is_nan());
    }

    #[test]
    fn a_large_mean_does_not_drown_a_small_variance() {
        for offset in [0.0, 1.0, 1000.0, -30_000.0] {
            let x: Vec<f32> = Noise::new(1).signal(1_000_000);
            let x: Vec<f32> = x.iter().map(|x| x + offset).collect();
            let (mean, variance) = exact(&x);
            let got = moments_f32(&x);
            let scale = x.iter().map(|x| x.abs() as f64).sum::<f64>() / x.len() as f64;
            assert!((got.mean as f64 - mean).abs() <= scale * 32.0 / (1 << 24) as f64, "{got:?}, {mean}");
            let error = (got.variance as f64 - variance).abs();
            assert!(error <= tolerance(&x, variance), "{got:?}, {variance}");
        }
    }

    #[test]
    fn equal_items_of_few_bits_have_no_variance() {
        for (name, run) in MOMENTS_F32.variants() {
            for len in [1, 7, 1024, 5000] {
                let moments = run(&vec![12345.5; len]);
                assert_eq!(moments, Moments { mean: 12345.5, variance: 0.0 }, "{name}");
            }
        }
    }
}
