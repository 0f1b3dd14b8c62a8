//! Largest and least items of a whole slice, and where they are.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use crate::C32;
use crate::dispatch::kernel;

kernel! {
    /// The largest item. NaNs are passed over: the result is NaN only of a slice that has nothing else, or nothing.
    ///
    /// All variants agree; zeros of both signs are equal, and either may be given.
    ///
    /// ```
    /// assert_eq!(superhet_kernels::max_f32(&[1.0, f32::NAN, 3.0, -4.0]), 3.0);
    /// ```
    pub fn max_f32(x: &[f32]) -> f32;
    table MAX_F32 { x86_64: avx512_full, avx2; }
}

kernel! {
    /// The least item. NaNs are passed over: the result is NaN only of a slice that has nothing else, or nothing.
    ///
    /// All variants agree; zeros of both signs are equal, and either may be given.
    ///
    /// ```
    /// assert_eq!(superhet_kernels::min_f32(&[1.0, f32::NAN, 3.0, -4.0]), -4.0);
    /// ```
    pub fn min_f32(x: &[f32]) -> f32;
    table MIN_F32 { x86_64: avx512_full, avx2; }
}

kernel! {
    /// The index of the largest item, the first of equal ones. NaNs are passed over: the result is `None` only of a
    /// slice that has nothing else, or nothing.
    ///
    /// All variants agree; zeros of both signs are equal.
    ///
    /// ```
    /// use superhet_kernels::index_of_max_f32;
    /// assert_eq!(index_of_max_f32(&[1.0, f32::NAN, 3.0, 3.0]), Some(2));
    /// assert_eq!(index_of_max_f32(&[f32::NAN]), None);
    /// ```
    pub fn index_of_max_f32(x: &[f32]) -> Option<usize>;
    table INDEX_OF_MAX_F32 { x86_64: avx512_full, avx2; }
}

kernel! {
    /// The index of the least item, the first of equal ones; otherwise as
    /// [`index_of_max_f32`](fn@index_of_max_f32).
    ///
    /// ```
    /// assert_eq!(superhet_kernels::index_of_min_f32(&[1.0, f32::NAN, -3.0, -3.0]), Some(2));
    /// ```
    pub fn index_of_min_f32(x: &[f32]) -> Option<usize>;
    table INDEX_OF_MIN_F32 { x86_64: avx512_full, avx2; }
}

kernel! {
    /// The index of the sample with the largest `re² + im²`, the first of equal ones. Samples of which that is NaN are
    /// passed over: the result is `None` only of a slice that has nothing else, or nothing.
    ///
    /// All variants agree. The squares are those of [`magnitude_squared`](fn@crate::magnitude_squared): above 1.8e19
    /// all magnitudes are equal.
    ///
    /// ```
    /// use superhet_kernels::{C32, index_of_max_c32};
    /// assert_eq!(index_of_max_c32(&[C32::ONE, C32::new(0.0, -2.0), C32::I]), Some(1));
    /// ```
    pub fn index_of_max_c32(x: &[C32]) -> Option<usize>;
    table INDEX_OF_MAX_C32 { x86_64: avx512, avx2; }
}

kernel! {
    /// The index of the sample with the least `re² + im²`, the first of equal ones; otherwise as
    /// [`index_of_max_c32`](fn@index_of_max_c32).
    ///
    /// ```
    /// use superhet_kernels::{C32, index_of_min_c32};
    /// assert_eq!(index_of_min_c32(&[C32::ONE, C32::new(0.0, -0.5), C32::I]), Some(1));
    /// ```
    pub fn index_of_min_c32(x: &[C32]) -> Option<usize>;
    table INDEX_OF_MIN_C32 { x86_64: avx512, avx2; }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{self, Guarded, Item, Noise};
    use crate::dispatch::Op;

    type IndexOf<T> = fn(&[T]) -> Option<usize>;

    fn plain<T: Copy>(x: &[T], key: impl Fn(T) -> f32) -> Option<usize> {
        let mut best = None;
        for (n, &x) in x.iter().enumerate().filter(|(_, x)| !key(**x).is_nan()) {
            best = match best {
                Some((_, most)) if key(x) <= most => best,
                _ => Some((n, key(x))),
            };
        }
        best.map(|(n, _)| n)
    }

    /// Signals where the extreme is unique, where it comes again and again, and with all kinds of special values.
    fn signals<T: Item>() -> Vec<Vec<T>> {
        let noise: Vec<T> = Noise::new(1).signal(check::LONGEST);
        let repeated = noise.iter().take(37).copied().cycle().take(check::LONGEST).collect();
        let special = T::SPECIAL.iter().copied().cycle().take(check::LONGEST).collect();
        let mut signals = vec![noise, repeated, special];
        signals.extend(T::SPECIAL.iter().map(|&item| vec![item; check::LONGEST]));
        signals
    }

    fn every_variant_finds<T: Item>(op: &Op<IndexOf<T>>, key: impl Fn(T) -> f32) {
        for signal in signals() {
            for (len, shift) in check::cases() {
                let x = Guarded::copy(&signal[(7 * shift).min(check::LONGEST - len)..][..len], shift);
                let want = plain(x.items(), &key);
                for (name, run) in op.variants() {
                    assert_eq!(run(x.items()), want, "{} {name}, {len} items, shift {shift}", op.name());
                }
            }
        }
    }

    #[test]
    fn every_variant_finds_the_first_extreme() {
        every_variant_finds(&INDEX_OF_MAX_F32, |x| x);
        every_variant_finds(&INDEX_OF_MIN_F32, |x| -x);
        every_variant_finds(&INDEX_OF_MAX_C32, crate::item::magnitude_squared);
        every_variant_finds(&INDEX_OF_MIN_C32, |x| -crate::item::magnitude_squared(x));
    }

    #[test]
    fn every_variant_gives_the_value_at_that_index() {
        let pairs = [(&MAX_F32, &INDEX_OF_MAX_F32), (&MIN_F32, &INDEX_OF_MIN_F32)];
        for (value, index) in pairs {
            for signal in signals() {
                for (len, shift) in check::cases() {
                    let x = Guarded::copy(&signal[..len], shift);
                    let want = index.variant("scalar").unwrap()(x.items()).map_or(f32::NAN, |n| x.items()[n]);
                    for (name, run) in value.variants() {
                        let got = run(x.items());
                        assert!(got == want || (got.is_nan() && want.is_nan()), "{name}: {got}, {want}");
                    }
                }
            }
        }
    }

    #[test]
    fn an_extreme_is_found_wherever_it_lies() {
        for len in [1, 63, 64, 65, 511, 512, 513, 1500] {
            for at in 0..len {
                let mut x = vec![1.0; len];
                x[at] = 2.0;
                assert_eq!(index_of_max_f32(&x), Some(at));
                x[at] = -2.0;
                assert_eq!(index_of_min_f32(&x), Some(at));
            }
        }
    }
}
