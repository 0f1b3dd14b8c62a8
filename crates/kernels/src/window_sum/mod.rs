//! Sums over windows that move on by one item, in single precision: for each one a few additions of vectors.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod one_pass;
mod scalar;

use crate::C32;
use crate::dispatch::kernel;

/// The longest window.
const LONGEST: usize = 511;

kernel! {
    /// Scaled sums of `count` neighbours: `y[n] = scale · (x[n] + x[n + 1] + … + x[n + count − 1])`, in single precision.
    ///
    /// They are sums of sums of two, the same wherever a slice is cut, and have the items of their window and no others.
    ///
    /// **Accuracy**: `|error| ≤ 2⁻²⁴ · (log₂ count + 2) · |scale| · Σ |x|`; all variants give the same bits.
    ///
    /// # Panics
    ///
    /// Unless `count` is 1 to 511 and `x.len() + 1 == y.len() + count`.
    ///
    /// ```
    /// let mut y = [0.0; 2];
    /// superhet_kernels::window_sum_f32(&mut y, &[1.0, 2.0, 3.0, 4.0], 3, 0.5);
    /// assert_eq!(y, [3.0, 4.5]);
    /// ```
    pub fn window_sum_f32(y: &mut [f32], x: &[f32], count: usize, scale: f32);
    check fits("window_sum_f32", y.len(), x.len(), count);
    work |n| { x: n + 99, count: 100, scale: 0.01 }
    kind Filter;
    table WINDOW_SUM_F32 { x86_64: avx512, avx2; }
}

kernel! {
    /// As [`window_sum_f32`](fn@window_sum_f32), of complex items.
    ///
    /// **Accuracy**: that of [`window_sum_f32`](fn@window_sum_f32) in each part; all variants give the same bits.
    ///
    /// # Panics
    ///
    /// Unless `count` is 1 to 511 and `x.len() + 1 == y.len() + count`.
    ///
    /// ```
    /// use superhet_kernels::C32;
    /// let mut y = [C32::ZERO; 1];
    /// superhet_kernels::window_sum_c32(&mut y, &[C32::ONE, C32::I], 2, 2.0);
    /// assert_eq!(y, [C32::new(2.0, 2.0)]);
    /// ```
    pub fn window_sum_c32(y: &mut [C32], x: &[C32], count: usize, scale: f32);
    check fits("window_sum_c32", y.len(), x.len(), count);
    work |n| { x: n + 99, count: 100, scale: 0.01 }
    kind Filter;
    table WINDOW_SUM_C32 { x86_64: avx512, avx2; }
}

fn fits(name: &str, y: usize, x: usize, count: usize) {
    assert!(
        (1..=LONGEST).contains(&count) && x + 1 == y + count,
        "{name} needs count of 1 to 511 and x.len() + 1 == y.len() + count, got count = {count}, x.len() = {x}, y.len() = {y}"
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Guarded, Noise};
    use crate::floats;

    const COUNTS: [usize; 24] = [
        1, 2, 3, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 63, 64, 96, 100, 127, 128, 200, 255, 256, 257, LONGEST,
    ];

    /// Of items of `parts` floats; says how many differ by more than may be.
    fn assert_sums(y: &[f32], x: &[f32], parts: usize, count: usize, scale: f32, name: &str) {
        for (at, y) in y.iter().enumerate() {
            let items = || x[at..].iter().step_by(parts).take(count).map(|x| f64::from(*x));
            let want = f64::from(scale) * items().sum::<f64>();
            let sizes = f64::from(scale.abs()) * items().map(f64::abs).sum::<f64>();
            let bound = (count as f64).log2().floor() + 2.0;
            let off = (f64::from(*y) - want).abs();
            assert!(
                off <= bound / (1 << 24) as f64 * sizes,
                "{name}, {count} of {parts}, {at}: {y}, wanted {want}"
            );
        }
    }

    #[test]
    fn every_variant_adds_all_windows() {
        for n in [0, 1, 3, 15, 16, 17, 31, 32, 67, 300, 2500] {
            for count in COUNTS {
                let x = Guarded::copy(&Noise::new(1).signal::<f32>(n + count - 1), n % 18);
                let mut same = None;
                for (name, run) in WINDOW_SUM_F32.variants() {
                    let mut y = Guarded::junk(n, 3 * n % 18);
                    run(y.items_mut(), x.items(), count, 0.3);
                    y.check_guards(name);
                    let first = same.get_or_insert_with(|| {
                        assert_sums(y.items(), x.items(), 1, count, 0.3, name);
                        y.items().to_vec()
                    });
                    assert_eq!(y.items(), first, "{name}, {count}");
                }
                let x = Guarded::copy(&Noise::new(2).signal::<C32>(n + count - 1), n % 18);
                let mut same = None;
                for (name, run) in WINDOW_SUM_C32.variants() {
                    let mut y = Guarded::junk(n, 3 * n % 18);
                    run(y.items_mut(), x.items(), count, -2.0);
                    y.check_guards(name);
                    let first = same.get_or_insert_with(|| {
                        assert_sums(floats(y.items()), floats(x.items()), 2, count, -2.0, name);
                        y.items().to_vec()
                    });
                    assert_eq!(y.items(), first, "{name}, {count}");
                }
            }
        }
    }

    #[test]
    fn what_is_not_finite_is_in_the_sums_that_have_it_and_in_no_other() {
        for count in COUNTS {
            let mut x = vec![1.0f32; 900 + count - 1];
            x[600] = f32::NAN;
            for (name, run) in WINDOW_SUM_F32.variants() {
                let mut y = [0.0; 900];
                run(&mut y, &x, count, 1.0);
                for (n, y) in y.iter().enumerate() {
                    assert_eq!(y.is_nan(), (601 - count.min(601)..=600).contains(&n), "{name}, {count}, {n}");
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "got count = 512, x.len() = 512, y.len() = 1")]
    fn a_window_that_is_too_long_panics() {
        window_sum_f32(&mut [0.0], &[0.0; 512], 512, 1.0);
    }
}
