//! Sums over windows that move on by one item.
//!
//! A window is a part of one block and of the next, where the blocks are as long as the window: `sums_behind` gives what the
//! one block has from an item on, `moving_sum` adds what the other has up to one. Nothing is taken away again, so that
//! nothing is left of what was in a window before; where windows are short, `short_sum` adds their items.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use crate::dispatch::kernel;
use crate::{C32, C64};

kernel! {
    /// Sums of all items up to each one, on top of others: `y[n] = sum + x[0] + … + x[n] + behind[n]`; returns the sum of all,
    /// `sum` included.
    ///
    /// The sums are in double precision. Whoever cuts a slice and goes on with the sum gets the same bits if the cut is at a
    /// multiple of 8 items.
    ///
    /// **Accuracy**: `|error| ≤ 2⁻²⁴ · |y[n]| + 2⁻⁵³ · (n / 8 + 6) · Σ |terms|`; all variants give the same bits.
    ///
    /// ```
    /// let mut y = [0.0; 3];
    /// let sum = superhet_kernels::moving_sum_f32(&mut y, &[1.0, 2.0, 3.0], &[10.0, 20.0, 30.0], 100.0);
    /// assert_eq!((y, sum), ([111.0, 123.0, 136.0], 106.0));
    /// ```
    pub fn moving_sum_f32(y: &mut [f32], x: &[f32], behind: &[f64], sum: f64) -> f64;
    same_length(y, x, behind);
    kind Reduction;
    table MOVING_SUM_F32 { x86_64: avx512, avx2; }
}

kernel! {
    /// As [`moving_sum_f32`](fn@moving_sum_f32), of complex items; the bits are the same if the cut is at a multiple of 4 items.
    ///
    /// **Accuracy**: in each part `2⁻²⁴ · |y[n]| + 2⁻⁵³ · (n / 4 + 6) · Σ |terms|`; all variants give the same bits.
    ///
    /// ```
    /// use superhet_kernels::{C32, C64, moving_sum_c32};
    /// let mut y = [C32::ZERO; 2];
    /// let sum = moving_sum_c32(&mut y, &[C32::ONE, C32::I], &[C64::ZERO; 2], [1.0, 0.0]);
    /// assert_eq!((y, sum), ([C32::new(2.0, 0.0), C32::new(2.0, 1.0)], [2.0, 1.0]));
    /// ```
    pub fn moving_sum_c32(y: &mut [C32], x: &[C32], behind: &[C64], sum: [f64; 2]) -> [f64; 2];
    same_length(y, x, behind);
    kind Reduction;
    table MOVING_SUM_C32 { x86_64: avx512, avx2; }
}

kernel! {
    /// Sums of all items behind each one, on top of others: `behind[n] = x[n + 1] + … + x[last] + sum`.
    ///
    /// **Accuracy**: `|error| ≤ 2⁻⁵³ · (n / 8 + 5) · Σ |terms|`; all variants give the same bits.
    ///
    /// ```
    /// let mut behind = [0.0; 3];
    /// superhet_kernels::sums_behind_f32(&mut behind, &[1.0, 2.0, 3.0], 100.0);
    /// assert_eq!(behind, [105.0, 103.0, 100.0]);
    /// ```
    pub fn sums_behind_f32(behind: &mut [f64], x: &[f32], sum: f64);
    same_length(behind, x);
    kind Reduction;
    table SUMS_BEHIND_F32 { x86_64: avx512, avx2; }
}

kernel! {
    /// As [`sums_behind_f32`](fn@sums_behind_f32), of complex items.
    ///
    /// **Accuracy**: in each part `2⁻⁵³ · (n / 4 + 5) · Σ |terms|`; all variants give the same bits.
    ///
    /// ```
    /// use superhet_kernels::{C32, C64, sums_behind_c32};
    /// let mut behind = [C64::ZERO; 2];
    /// sums_behind_c32(&mut behind, &[C32::ONE, C32::I], [1.0, 0.0]);
    /// assert_eq!(behind, [C64::new(1.0, 1.0), C64::ONE]);
    /// ```
    pub fn sums_behind_c32(behind: &mut [C64], x: &[C32], sum: [f64; 2]);
    same_length(behind, x);
    kind Reduction;
    table SUMS_BEHIND_C32 { x86_64: avx512, avx2; }
}

kernel! {
    /// Sums of `count` neighbours: `y[n] = x[n] + x[n + 1] + … + x[n + count − 1]`, in double precision and in that order.
    ///
    /// **Accuracy**: `|error| ≤ 2⁻²⁴ · |y[n]| + 2⁻⁵³ · count · Σ |x|`; all variants give the same bits.
    ///
    /// # Panics
    ///
    /// Unless `count ≥ 1` and `x.len() + 1 == y.len() + count`.
    ///
    /// ```
    /// let mut y = [0.0; 2];
    /// superhet_kernels::short_sum_f32(&mut y, &[1.0, 2.0, 3.0, 4.0], 3);
    /// assert_eq!(y, [6.0, 9.0]);
    /// ```
    pub fn short_sum_f32(y: &mut [f32], x: &[f32], count: usize);
    check neighbours("short_sum_f32", y.len(), x.len(), count);
    work |n| { x: n + 15, count: 16 }
    kind Filter;
    table SHORT_SUM_F32 { x86_64: avx512, avx2; }
}

kernel! {
    /// As [`short_sum_f32`](fn@short_sum_f32), of complex items.
    ///
    /// **Accuracy**: that of [`short_sum_f32`](fn@short_sum_f32) in each part; all variants give the same bits.
    ///
    /// # Panics
    ///
    /// Unless `count ≥ 1` and `x.len() + 1 == y.len() + count`.
    ///
    /// ```
    /// use superhet_kernels::C32;
    /// let mut y = [C32::ZERO; 1];
    /// superhet_kernels::short_sum_c32(&mut y, &[C32::ONE, C32::I], 2);
    /// assert_eq!(y, [C32::new(1.0, 1.0)]);
    /// ```
    pub fn short_sum_c32(y: &mut [C32], x: &[C32], count: usize);
    check neighbours("short_sum_c32", y.len(), x.len(), count);
    work |n| { x: n + 15, count: 16 }
    kind Filter;
    table SHORT_SUM_C32 { x86_64: avx512, avx2; }
}

fn neighbours(name: &str, y: usize, x: usize, count: usize) {
    assert!(
        count >= 1 && x + 1 == y + count,
        "{name} needs count ≥ 1 and x.len() + 1 == y.len() + count, got count = {count}, x.len() = {x}, y.len() = {y}"
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Guarded, Item, Noise};
    use crate::{floats, floats_mut};

    const LENGTHS: [usize; 11] = [0, 1, 3, 4, 5, 7, 8, 9, 16, 67, 300];

    fn assert_near(y: f64, want: f64, what: &str) {
        assert!((y - want).abs() <= 2e-7 * want.abs() + 1e-12, "{what}: {y}, wanted {want}");
    }

    #[test]
    fn every_variant_adds_what_lies_before_and_behind_real_items() {
        for n in LENGTHS {
            let x = Guarded::copy(&Noise::new(1).signal::<f32>(n), n % 18);
            let behind: Vec<f64> = Noise::new(2).signal(n);
            let mut same = None;
            for (name, run) in MOVING_SUM_F32.variants() {
                let mut y = Guarded::junk(n, 3 * n % 18);
                let all = run(y.items_mut(), x.items(), &behind, 0.5);
                y.check_guards(name);
                let mut sum = 0.5;
                for ((y, x), behind) in y.items().iter().zip(x.items()).zip(&behind) {
                    sum += f64::from(*x);
                    assert_near((*y).into(), sum + behind, name);
                }
                assert_near(all, sum, name);
                let first = same.get_or_insert((y.items().to_vec(), all));
                assert_eq!((y.items(), all.to_bits()), (&first.0[..], first.1.to_bits()), "{name}");
            }
            let mut same = None;
            for (name, run) in SUMS_BEHIND_F32.variants() {
                let mut y = Guarded::junk(n, 3 * n % 18);
                run(y.items_mut(), x.items(), 0.25);
                y.check_guards(name);
                let mut sum = 0.25;
                for (y, x) in y.items().iter().zip(x.items()).rev() {
                    assert_near(*y, sum, name);
                    sum += f64::from(*x);
                }
                let first = same.get_or_insert(y.items().to_vec());
                assert_eq!(y.items(), first, "{name}");
            }
        }
    }

    #[test]
    fn every_variant_adds_what_lies_before_and_behind_complex_items() {
        for n in LENGTHS {
            let x = Guarded::copy(&Noise::new(1).signal::<C32>(n), n % 18);
            let behind: Vec<C64> = Noise::new(2).signal(n);
            let mut same = None;
            for (name, run) in MOVING_SUM_C32.variants() {
                let mut y = Guarded::junk(n, 3 * n % 18);
                let all = run(y.items_mut(), x.items(), &behind, [0.5, -0.5]);
                y.check_guards(name);
                let mut sum = [0.5, -0.5];
                for ((y, x), behind) in y.items().iter().zip(x.items()).zip(&behind) {
                    sum = [sum[0] + f64::from(x.re), sum[1] + f64::from(x.im)];
                    assert_near(y.re.into(), sum[0] + behind.re, name);
                    assert_near(y.im.into(), sum[1] + behind.im, name);
                }
                assert_near(all[0], sum[0], name);
                assert_near(all[1], sum[1], name);
                let first = same.get_or_insert((y.items().to_vec(), all));
                assert_eq!((y.items(), all), (&first.0[..], first.1), "{name}");
            }
            let mut same = None;
            for (name, run) in SUMS_BEHIND_C32.variants() {
                let mut y = Guarded::junk(n, 3 * n % 18);
                run(y.items_mut(), x.items(), [0.25, 4.0]);
                y.check_guards(name);
                let mut sum = [0.25, 4.0];
                for (y, x) in y.items().iter().zip(x.items()).rev() {
                    assert_near(y.re, sum[0], name);
                    assert_near(y.im, sum[1], name);
                    sum = [sum[0] + f64::from(x.re), sum[1] + f64::from(x.im)];
                }
                let first = same.get_or_insert(y.items().to_vec());
                assert_eq!(y.items(), first, "{name}");
            }
        }
    }

    #[test]
    fn a_slice_that_is_cut_at_a_multiple_of_8_gives_the_same_sums() {
        let (x, behind) = (Noise::new(1).signal::<f32>(100), Noise::new(2).signal::<f64>(100));
        for (name, run) in MOVING_SUM_F32.variants() {
            let (mut whole, mut cut) = (vec![0.0; 100], vec![0.0; 100]);
            run(&mut whole, &x, &behind, 0.0);
            let sum = run(&mut cut[..40], &x[..40], &behind[..40], 0.0);
            run(&mut cut[40..], &x[40..], &behind[40..], sum);
            assert_eq!(whole, cut, "{name}");
        }
    }

    #[test]
    fn what_is_not_finite_is_in_the_sums_that_have_it_and_in_no_other() {
        let mut x = [1.0f32; 30];
        x[13] = f32::NAN;
        for (name, run) in MOVING_SUM_F32.variants() {
            let mut y = [0.0; 30];
            run(&mut y, &x, &[0.0; 30], 0.0);
            assert!(y[..13].iter().all(|y| y.is_finite()) && y[13..].iter().all(|y| y.is_nan()), "{name}");
        }
        for (name, run) in SUMS_BEHIND_F32.variants() {
            let mut y = [0.0; 30];
            run(&mut y, &x, 0.0);
            assert!(y[..13].iter().all(|y| y.is_nan()) && y[13..].iter().all(|y| y.is_finite()), "{name}");
        }
    }

    #[test]
    fn every_variant_adds_neighbours() {
        for n in LENGTHS {
            for count in [1, 2, 7, 24] {
                let x = Guarded::copy(&Noise::new(1).signal::<f32>(n + count - 1), n % 18);
                let sum = |at: usize, step: usize, x: &[f32]| -> f64 {
                    x[at..].iter().step_by(step).take(count).map(|x| f64::from(*x)).sum()
                };
                for (name, run) in SHORT_SUM_F32.variants() {
                    let mut y = Guarded::junk(n, 3 * n % 18);
                    run(y.items_mut(), x.items(), count);
                    y.check_guards(name);
                    let wanted = (0..n).map(|n| sum(n, 1, x.items()) as f32);
                    assert!(wanted.eq(y.items().iter().copied()), "{name}, {n}, {count}");
                }
                let x = Guarded::copy(&Noise::new(1).signal::<C32>(n + count - 1), n % 18);
                for (name, run) in SHORT_SUM_C32.variants() {
                    let mut y = Guarded::junk(n, 3 * n % 18);
                    run(y.items_mut(), x.items(), count);
                    y.check_guards(name);
                    let wanted = (0..2 * n).map(|n| sum(n, 2, floats(x.items())) as f32);
                    assert!(wanted.eq(floats_mut(y.items_mut()).iter().copied()), "{name}, {n}, {count}");
                }
            }
        }
        assert!(C32::JUNK.re.is_nan());
    }

    #[test]
    #[should_panic(expected = "got count = 0, x.len() = 1, y.len() = 2")]
    fn no_neighbours_panic() {
        short_sum_f32(&mut [0.0; 2], &[0.0], 0);
    }
}
