//! Sums of as many neighbours as a vector has, and of fewer: what sums over windows are put together of.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use crate::dispatch::kernel;

/// Floats of a group.
const GROUP: usize = 16;

kernel! {
    /// Sums of `16 / parts` neighbours, and of the first `count` of them, of items of `parts` floats:
    /// `all[n] = x[n] + x[n + parts] + … + x[n + 16 − parts]`, `few[n] = x[n] + … + x[n + (count − 1) · parts]`, 0 for none.
    ///
    /// Both are sums of sums of two, which are the same wherever a slice is cut.
    ///
    /// **Accuracy**: `|error| ≤ 2⁻²⁴ · 6 · Σ |x|`; all variants give the same bits.
    ///
    /// # Panics
    ///
    /// Unless `few` is as long as `all`, `x.len() + parts == all.len() + 16`, `parts` is 1 or 2, and `count < 16 / parts`.
    ///
    /// ```
    /// let (mut all, mut few, x) = ([0.0; 2], [0.0; 2], [1.0; 17]);
    /// superhet_kernels::group_sums_f32(&mut all, &mut few, &x, 1, 3);
    /// assert_eq!((all, few), ([16.0; 2], [3.0; 2]));
    /// ```
    pub fn group_sums_f32(all: &mut [f32], few: &mut [f32], x: &[f32], parts: usize, count: usize);
    check fits(all.len(), few.len(), x.len(), parts, count);
    work |n| { x: n + 15, parts: 1, count: 5 }
    kind Filter;
    table GROUP_SUMS_F32 { x86_64: avx512, avx2; }
}

fn fits(all: usize, few: usize, x: usize, parts: usize, count: usize) {
    assert!(
        matches!(parts, 1 | 2) && few == all && x + parts == all + GROUP && count < GROUP / parts,
        "group_sums_f32 needs parts of 1 or 2, count < 16 / parts, few.len() == all.len() and x.len() + parts == all.len() + 16, got \
         parts = {parts}, count = {count}, few.len() = {few}, all.len() = {all}, x.len() = {x}"
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Guarded, Noise};

    #[test]
    fn every_variant_adds_groups_and_parts_of_them() {
        for n in [0, 1, 3, 15, 16, 17, 31, 32, 67, 300] {
            for parts in [1, 2] {
                for count in 0..GROUP / parts {
                    let x = Guarded::copy(&Noise::new(1).signal::<f32>(n + GROUP - parts), n % 18);
                    let terms = |at: usize, count: usize| {
                        x.items()[at..].iter().step_by(parts).take(count).map(|x| f64::from(*x))
                    };
                    let mut same = None;
                    for (name, run) in GROUP_SUMS_F32.variants() {
                        let (mut all, mut few) = (Guarded::junk(n, 3 * n % 18), Guarded::junk(n, 5));
                        run(all.items_mut(), few.items_mut(), x.items(), parts, count);
                        all.check_guards(name);
                        few.check_guards(name);
                        for (sums, count) in [(&all, GROUP / parts), (&few, count)] {
                            for (at, sum) in sums.items().iter().enumerate() {
                                let want: f64 = terms(at, count).sum();
                                let bound =
                                    6.0 / (1 << 24) as f64 * terms(at, count).map(f64::abs).sum::<f64>();
                                let off = (f64::from(*sum) - want).abs();
                                assert!(
                                    off <= bound,
                                    "{name}, {count} of {parts}, {at}: {sum}, wanted {want}"
                                );
                            }
                        }
                        let first = same.get_or_insert((all.items().to_vec(), few.items().to_vec()));
                        assert_eq!((all.items(), few.items()), (&first.0[..], &first.1[..]), "{name}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_not_finite_is_in_the_sums_that_have_it_and_in_no_other() {
        let mut x = [1.0f32; 64 + 15];
        x[40] = f32::NAN;
        for (name, run) in GROUP_SUMS_F32.variants() {
            let (mut all, mut few) = ([0.0; 64], [0.0; 64]);
            run(&mut all, &mut few, &x, 1, 7);
            for n in 0..64 {
                assert_eq!(all[n].is_nan(), (25..=40).contains(&n), "{name}, {n}");
                assert_eq!(few[n].is_nan(), (34..=40).contains(&n), "{name}, {n}");
            }
        }
    }

    #[test]
    #[should_panic(expected = "got parts = 2, count = 8, few.len() = 1, all.len() = 1, x.len() = 15")]
    fn too_many_of_a_group_panic() {
        group_sums_f32(&mut [0.0], &mut [0.0], &[0.0; 15], 2, 8);
    }
}
