//! Dot products, the core of filters and correlators.

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
pub(crate) mod scalar;

use crate::C32;
use crate::dispatch::kernel;

kernel! {
    /// Dot product of real items: `Σ a[n] · b[n]`; 0 of empty slices.
    ///
    /// **Accuracy**: `|error| ≤ 2⁻²⁴ · (len / 8 + 8) · Σ |a[n]| · |b[n]|`; the variants differ within it, because they
    /// group the sum differently.
    ///
    /// ```
    /// assert_eq!(superhet_kernels::dot_f32(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]), 32.0);
    /// ```
    pub fn dot_f32(a: &[f32], b: &[f32]) -> f32;
    same_length(a, b);
    table DOT_F32 { x86_64: avx512, avx2; }
}

kernel! {
    /// Dot product of complex samples with real taps: `Σ x[n] · taps[n]`; 0 of empty slices.
    ///
    /// **Accuracy**: `|error| ≤ 2⁻²⁴ · (len / 4 + 8) · Σ |x[n]| · |taps[n]|` in each part; the variants differ
    /// within it.
    ///
    /// ```
    /// use superhet_kernels::{C32, dot_c32_f32};
    /// assert_eq!(dot_c32_f32(&[C32::new(1.0, 2.0), C32::new(0.0, 1.0)], &[2.0, 3.0]), C32::new(2.0, 7.0));
    /// ```
    pub fn dot_c32_f32(x: &[C32], taps: &[f32]) -> C32;
    same_length(x, taps);
    table DOT_C32_F32 { x86_64: avx512, avx2; }
}

kernel! {
    /// Dot product of complex samples with complex taps: `Σ x[n] · taps[n]`, without conjugation; 0 of empty slices.
    ///
    /// **Accuracy**: `|error| ≤ 2⁻²⁴ · (len / 2 + 8) · Σ |x[n]| · |taps[n]|` in each part; the variants differ
    /// within it.
    ///
    /// ```
    /// use superhet_kernels::{C32, dot_c32};
    /// assert_eq!(dot_c32(&[C32::new(1.0, 2.0)], &[C32::new(3.0, -1.0)]), C32::new(5.0, 5.0));
    /// ```
    pub fn dot_c32(x: &[C32], taps: &[C32]) -> C32;
    same_length(x, taps);
    table DOT_C32 { x86_64: avx512, avx2; }
}

kernel! {
    /// Dot product of complex samples with conjugated ones: `Σ a[n] · conj(b[n])`, a correlation; 0 of empty slices.
    ///
    /// **Accuracy**: `|error| ≤ 2⁻²⁴ · (len / 2 + 8) · Σ |a[n]| · |b[n]|` in each part; the variants differ within it.
    ///
    /// ```
    /// use superhet_kernels::{C32, dot_conjugate_c32};
    /// assert_eq!(dot_conjugate_c32(&[C32::new(1.0, 2.0)], &[C32::new(3.0, -1.0)]), C32::new(1.0, 7.0));
    /// ```
    pub fn dot_conjugate_c32(a: &[C32], b: &[C32]) -> C32;
    same_length(a, b);
    table DOT_CONJUGATE_C32 { x86_64: avx512, avx2; }
}

kernel! {
    /// Dot product of 16-bit integers: `Σ a[n] · b[n]`, exact; 0 of empty slices.
    ///
    /// Nothing saturates or wraps: 2³³ products fit into the sum.
    ///
    /// ```
    /// assert_eq!(superhet_kernels::dot_i16(&[-32768, 2], &[-32768, 3]), (1 << 30) + 6);
    /// ```
    pub fn dot_i16(a: &[i16], b: &[i16]) -> i64;
    same_length(a, b);
    table DOT_I16 { x86_64: avx512, avx2; }
}

kernel! {
    /// Dot product of 16-bit integers with real taps: `Σ x[n] · taps[n]`, in units of the integers; 0 of empty slices.
    ///
    /// **Accuracy**: `|error| ≤ 2⁻²⁴ · (len / 8 + 8) · Σ |x[n]| · |taps[n]|`; the variants differ within it.
    ///
    /// ```
    /// assert_eq!(superhet_kernels::dot_i16_f32(&[100, -3], &[0.5, 2.0]), 44.0);
    /// ```
    pub fn dot_i16_f32(x: &[i16], taps: &[f32]) -> f32;
    same_length(x, taps);
    table DOT_I16_F32 { x86_64: avx512, avx2; }
}

kernel! {
    /// Dot product of 16-bit integers with complex taps: `Σ x[n] · taps[n]`, in units of the integers; 0 of empty slices.
    ///
    /// **Accuracy**: `|error| ≤ 2⁻²⁴ · (len / 4 + 8) · Σ |x[n]| · |taps[n]|` in each part; the variants differ within
    /// it.
    ///
    /// ```
    /// use superhet_kernels::{C32, dot_i16_c32};
    /// assert_eq!(dot_i16_c32(&[100, -3], &[C32::new(0.5, 1.0), C32::I]), C32::new(50.0, 97.0));
    /// ```
    pub fn dot_i16_c32(x: &[i16], taps: &[C32]) -> C32;
    same_length(x, taps);
    table DOT_I16_C32 { x86_64: avx512, avx2; }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{self, Guarded, Item, Noise, Want, wide};
    use crate::dispatch::Op;
    use num_complex::Complex;

    type Dot<A, B, Y> = fn(&[A], &[B]) -> Y;

    /// Runs every variant over the lengths and shifts, against a sum in f64. `lanes` is that of the stated accuracy.
    fn every_variant_sums<A: Item, B: Item, Y: Item>(
        op: &Op<Dot<A, B, Y>>,
        lanes: usize,
        wide: impl Fn(A, B) -> (Complex<f64>, Complex<f64>),
    ) {
        let (a, b) = (Noise::new(1).signal::<A>(check::LONGEST), Noise::new(2).signal::<B>(check::LONGEST));
        for (len, shift) in check::cases() {
            let products = || a[..len].iter().zip(&b).map(|(&a, &b)| wide(a, b));
            let sum: Complex<f64> = products().map(|(a, b)| a * b).sum();
            let scale: f64 = products().map(|(a, b)| a.norm() * b.norm()).sum();
            let bound = scale * (len / lanes + 8) as f64 / (1 << 24) as f64;

            let a = Guarded::copy(&a[..len], shift);
            let b = Guarded::copy(&b[..len], (5 * shift) % 18);
            for (name, run) in op.variants() {
                let case = format!("{} {name}, {len} items, shift {shift}", op.name());
                Want::complex_within(sum, bound).check(run(a.items(), b.items()), &case);
            }
        }
    }

    #[test]
    fn every_variant_sums_products() {
        let real = |x: f32| Complex::new(x as f64, 0.0);
        every_variant_sums(&DOT_F32, 8, |a, b| (real(a), real(b)));
        every_variant_sums(&DOT_C32_F32, 4, |a, b| (wide(a), real(b)));
        every_variant_sums(&DOT_C32, 2, |a, b| (wide(a), wide(b)));
        every_variant_sums(&DOT_I16_F32, 8, |a: i16, b| (real(a.into()), real(b)));
        every_variant_sums(&DOT_I16_C32, 4, |a: i16, b| (real(a.into()), wide(b)));
        every_variant_sums(&DOT_CONJUGATE_C32, 2, |a, b| (wide(a), wide(b).conj()));
    }

    #[test]
    fn every_variant_sums_integers_exactly() {
        let noise = (Noise::new(1).signal(check::LONGEST), Noise::new(2).signal(check::LONGEST));
        let lowest = (vec![i16::MIN; check::LONGEST], vec![i16::MIN; check::LONGEST]);
        let opposite = (vec![i16::MIN; check::LONGEST], vec![i16::MAX; check::LONGEST]);
        for (a, b) in [noise, lowest, opposite] {
            for (len, shift) in check::cases() {
                let (x, y) = (Guarded::copy(&a[..len], shift), Guarded::copy(&b[..len], (5 * shift) % 18));
                let want: i64 = a[..len].iter().zip(&b).map(|(&a, &b)| i64::from(a) * i64::from(b)).sum();
                for (name, run) in DOT_I16.variants() {
                    assert_eq!(run(x.items(), y.items()), want, "{name}, {len} items, shift {shift}");
                }
            }
        }
    }

    #[test]
    fn every_variant_reads_every_item_once_and_none_beyond() {
        for (name, run) in DOT_F32.variants() {
            for len in 0..200 {
                let powers: Vec<f32> = (0..len).map(|n| if n % 7 == 0 { 1.0 } else { 1024.0 }).collect();
                let guarded = Guarded::copy(&powers, len % 17);
                let exact: f32 = powers.iter().sum();
                assert_eq!(run(guarded.items(), &vec![1.0; len]), exact, "{name}, {len} items");
            }
        }
    }
}
