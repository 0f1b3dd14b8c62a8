//! FIR filters, decimating too.
//!
//! All have the same shape. A filter of N taps keeps the last N − 1 samples of the call before in front of the new
//! ones; with those, the cuts between the calls cannot be seen in the output.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod filter;
mod phases;
mod scalar;

use crate::C32;
use crate::dispatch::kernel;

pub use filter::{FirFilter, FirKernel, FirSample};

kernel! {
    /// FIR filter, real samples, real taps: `y[k] = Σⱼ x[k · decimation + j] · taps_reversed[j]`.
    ///
    /// The taps are in reverse, the one for the newest sample last. What lies in `x` behind the last window is not
    /// used.
    ///
    /// **Accuracy**: `|error| ≤ 2⁻²⁴ · (taps + 8) · Σ |x| · |tap|`; the variants differ within it.
    ///
    /// # Panics
    ///
    /// If `decimation` is 0, or unless `x.len() ≥ (y.len() − 1) · decimation + taps_reversed.len()` where `y` is not
    /// empty.
    ///
    /// ```
    /// use superhet_kernels::fir_f32;
    /// let mut y = [0.0; 3];
    /// fir_f32(&mut y, &[1.0, 2.0, 3.0, 4.0], &[0.5, 0.5], 1); // a mean of two neighbours
    /// assert_eq!(y, [1.5, 2.5, 3.5]);
    /// ```
    pub fn fir_f32(y: &mut [f32], x: &[f32], taps_reversed: &[f32], decimation: usize);
    check enough_samples("fir_f32", y.len(), x.len(), taps_reversed.len(), decimation);
    work |n| { x: n + 63, taps_reversed: 64 }
    kind Filter;
    table FIR_F32 { x86_64: avx512, avx2; }
}

kernel! {
    /// FIR filter, complex samples, real taps: `y[k] = Σⱼ x[k · decimation + j] · taps_reversed[j]`.
    ///
    /// The taps are in reverse, the one for the newest sample last. What lies in `x` behind the last window is not
    /// used.
    ///
    /// **Accuracy**: `|error| ≤ 2⁻²⁴ · (taps + 8) · Σ |x| · |tap|` in each part; the variants differ within it.
    ///
    /// # Panics
    ///
    /// If `decimation` is 0, or unless `x.len() ≥ (y.len() − 1) · decimation + taps_reversed.len()` where `y` is not
    /// empty.
    ///
    /// ```
    /// use superhet_kernels::{C32, fir_c32_f32};
    /// let x = [C32::new(1.0, 2.0), C32::new(3.0, 4.0), C32::new(5.0, 6.0), C32::new(7.0, 8.0)];
    /// let mut y = [C32::ZERO; 2];
    /// fir_c32_f32(&mut y, &x, &[0.5, 0.5], 2); // and each second output only
    /// assert_eq!(y, [C32::new(2.0, 3.0), C32::new(6.0, 7.0)]);
    /// ```
    pub fn fir_c32_f32(y: &mut [C32], x: &[C32], taps_reversed: &[f32], decimation: usize);
    check enough_samples("fir_c32_f32", y.len(), x.len(), taps_reversed.len(), decimation);
    work |n| { x: n + 63, taps_reversed: 64 }
    kind Filter;
    table FIR_C32_F32 { x86_64: avx512, avx2; }
}

kernel! {
    /// FIR filter, real samples, complex taps: `y[k] = Σⱼ x[k · decimation + j] · taps_reversed[j]`.
    ///
    /// The taps are in reverse, the one for the newest sample last. What lies in `x` behind the last window is not
    /// used.
    ///
    /// **Accuracy**: `|error| ≤ 2⁻²⁴ · (taps + 8) · Σ |x| · |tap|` in each part; the variants differ within it.
    ///
    /// # Panics
    ///
    /// If `decimation` is 0, or unless `x.len() ≥ (y.len() − 1) · decimation + taps_reversed.len()` where `y` is not
    /// empty.
    ///
    /// ```
    /// use superhet_kernels::{C32, fir_f32_c32};
    /// let mut y = [C32::ZERO; 2];
    /// fir_f32_c32(&mut y, &[1.0, 2.0, 3.0], &[C32::ONE, C32::I], 1);
    /// assert_eq!(y, [C32::new(1.0, 2.0), C32::new(2.0, 3.0)]);
    /// ```
    pub fn fir_f32_c32(y: &mut [C32], x: &[f32], taps_reversed: &[C32], decimation: usize);
    check enough_samples("fir_f32_c32", y.len(), x.len(), taps_reversed.len(), decimation);
    work |n| { x: n + 63, taps_reversed: 64 }
    kind Filter;
    table FIR_F32_C32 { x86_64: avx512, avx2; }
}

kernel! {
    /// FIR filter, complex samples, complex taps: `y[k] = Σⱼ x[k · decimation + j] · taps_reversed[j]`.
    ///
    /// The taps are in reverse, the one for the newest sample last. What lies in `x` behind the last window is not
    /// used.
    ///
    /// **Accuracy**: `|error| ≤ 2⁻²⁴ · (taps + 8) · Σ |x| · |tap|` in each part; the variants differ within it.
    ///
    /// # Panics
    ///
    /// If `decimation` is 0, or unless `x.len() ≥ (y.len() − 1) · decimation + taps_reversed.len()` where `y` is not
    /// empty.
    ///
    /// ```
    /// use superhet_kernels::{C32, fir_c32_c32};
    /// let mut y = [C32::ZERO];
    /// fir_c32_c32(&mut y, &[C32::new(1.0, 2.0), C32::new(3.0, 4.0)], &[C32::ONE, C32::I], 1);
    /// assert_eq!(y, [C32::new(-3.0, 5.0)]); // (1 + 2j) + j · (3 + 4j)
    /// ```
    pub fn fir_c32_c32(y: &mut [C32], x: &[C32], taps_reversed: &[C32], decimation: usize);
    check enough_samples("fir_c32_c32", y.len(), x.len(), taps_reversed.len(), decimation);
    work |n| { x: n + 63, taps_reversed: 64 }
    kind Filter;
    table FIR_C32_C32 { x86_64: avx512, avx2; }
}

/// Floats of samples that one run of taps steps over: the taps of a filter are summed in the order 0, G, 2G, …, 1,
/// G + 1, …, where G samples are this many floats. It suits the widest vector, and all vector variants keep to it.
#[cfg(target_arch = "x86_64")]
const TAP_GROUP_FLOATS: usize = 16;

/// Covers the output with blocks of so many vectors, widest first; the rest with one vector that overlaps the last,
/// or `singly` if there is not a whole one.
#[cfg(target_arch = "x86_64")]
macro_rules! cover {
    (
        $y:ident, $x:ident, $taps:ident, $width:ident,
        [$($vectors:literal => $block:expr),+],
        $narrowest:expr, $singly:expr
    ) => {
        let mut done = 0;
        $(
            while $y.len() - done >= $vectors * $width {
                $block(&mut $y[done..], &$x[done..], $taps);
                done += $vectors * $width;
            }
        )+
        while $y.len() - done >= $width {
            $narrowest(&mut $y[done..], &$x[done..], $taps);
            done += $width;
        }
        match $y.len().checked_sub($width) {
            _ if done == $y.len() => {}
            Some(last) => $narrowest(&mut $y[last..], &$x[last..], $taps),
            None => $singly($y, $x, $taps),
        }
    };
}
#[cfg(target_arch = "x86_64")]
use cover;

/// Filters by `$filter`, which does not decimate, where that is the faster way, else by `$rows`.
macro_rules! filter_or_decimate {
    ($y:ident: [$item:ty], $x:ident, $taps:ident, $decimation:ident, $filter:expr, $rows:block) => {{
        use $crate::fir::phases::{self, Way};
        match phases::way::<$item>($taps.len(), $decimation) {
            _ if $decimation == 1 => ($filter)($y, $x, $taps),
            Way::Discard => phases::discard($y, $x, $taps, $decimation, $filter),
            Way::Phases => phases::decimate($y, $x, $taps, $decimation, $filter),
            Way::Singly => $rows,
        }
    }};
}
use filter_or_decimate;

/// `f` of the outputs in groups of so many, the last of which may be shorter, and of each group's first index.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn each_rows<Y>(rows: usize, y: &mut [Y], f: impl Fn(&mut [Y], usize)) {
    for (group, y) in y.chunks_mut(rows).enumerate() {
        f(y, group * rows);
    }
}

/// The windows of `ROWS` outputs, each `len` floats, of which there are `outputs`; the others repeat the last.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn windows<const ROWS: usize>(x: &[f32], outputs: usize, step: usize, len: usize) -> [&[f32]; ROWS] {
    // Not `from_fn`, which need not be inlined.
    let mut windows = [&x[..0]; ROWS];
    for (row, window) in windows.iter_mut().enumerate() {
        *window = &x[row.min(outputs - 1) * step..][..len];
    }
    windows
}

/// A body for each vector of windows of `$len` floats, with a function that loads it; the last one may be shorter.
#[cfg(target_arch = "x86_64")]
macro_rules! for_each_vector {
    ($len:expr, [$whole_vector:ident, $last_vector:ident], |$at:ident, $load:ident| $body:block) => {
        let len = $len;
        let whole = len - len % WIDTH;
        for $at in (0..whole).step_by(WIDTH) {
            let $load = |x: &[f32], at: usize| $whole_vector(crate::x86::at(x, at));
            $body
        }
        if whole < len {
            let $at = whole;
            let $load = |x: &[f32], at: usize| $last_vector(&x[at..]);
            $body
        }
    };
}
#[cfg(target_arch = "x86_64")]
use for_each_vector;

fn enough_samples(name: &str, outputs: usize, samples: usize, taps: usize, decimation: usize) {
    assert!(decimation > 0, "{name} needs decimation ≥ 1");
    let Some(steps) = outputs.checked_sub(1) else { return };
    let needed = steps.checked_mul(decimation).and_then(|start| start.checked_add(taps));
    assert!(
        needed.is_some_and(|needed| samples >= needed),
        "{name} needs x.len() ≥ (y.len() − 1) · decimation + taps_reversed.len(), \
         got x.len() = {samples}, y.len() = {outputs}, decimation = {decimation}, taps_reversed.len() = {taps}"
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Guarded, Item, Noise, Want, wide};
    use crate::dispatch::Op;
    use num_complex::Complex;

    const TAPS: [usize; 17] = [0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 131, 277];
    const DECIMATIONS: [usize; 6] = [1, 2, 3, 4, 5, 16];
    const OUTPUTS: usize = 300;

    type Fir<Y, X, T> = fn(&mut [Y], &[X], &[T], usize);

    /// Runs every variant whole against f64, and in pieces against itself.
    fn every_variant_filters<Y: Item, X: Item, T: Item>(
        op: &Op<Fir<Y, X, T>>,
        wide: impl Fn(X, T) -> (Complex<f64>, Complex<f64>),
    ) {
        for (taps, decimation) in
            TAPS.iter().flat_map(|&taps| DECIMATIONS.map(|decimation| (taps, decimation)))
        {
            let needed = |outputs: usize| (outputs - 1) * decimation + taps;
            let x: Vec<X> = Noise::new(1).signal(needed(OUTPUTS));
            let taps: Vec<T> = Noise::new(2).signal(taps);
            for (name, run) in op.variants() {
                let case = format!("{} {name}, {} taps, decimation {decimation}", op.name(), taps.len());
                let mut whole = vec![Y::JUNK; OUTPUTS];
                run(&mut whole, &x, &taps, decimation);
                for (k, y) in whole.iter().enumerate() {
                    let products = || x[k * decimation..].iter().zip(&taps).map(|(&x, &tap)| wide(x, tap));
                    let sum: Complex<f64> = products().map(|(x, tap)| x * tap).sum();
                    let scale: f64 = products().map(|(x, tap)| x.norm() * tap.norm()).sum();
                    let bound = scale * (taps.len() + 8) as f64 / (1 << 24) as f64;
                    Want::complex_within(sum, bound).check(*y, &case);
                }
                for (outputs, start) in (1..=140).map(|n| (n, 7 * n % 160)).chain([(OUTPUTS, 0)]) {
                    let x = Guarded::copy(&x[start * decimation..][..needed(outputs)], outputs % 18);
                    let mut y = Guarded::junk(outputs, 5 * outputs % 18);
                    run(y.items_mut(), x.items(), &taps, decimation);
                    y.check_guards(&case);
                    for (y, want) in y.items().iter().zip(&whole[start..]) {
                        assert!(
                            y.same(*want),
                            "{case}: {outputs} outputs from {start}: {y:?}, whole {want:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn every_variant_filters_wherever_the_signal_is_cut() {
        let real = |x: f32| Complex::new(x as f64, 0.0);
        every_variant_filters(&FIR_F32, |x, tap| (real(x), real(tap)));
        every_variant_filters(&FIR_C32_F32, |x, tap| (wide(x), real(tap)));
        every_variant_filters(&FIR_F32_C32, |x, tap| (real(x), wide(tap)));
        every_variant_filters(&FIR_C32_C32, |x, tap| (wide(x), wide(tap)));
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn the_vector_variants_give_the_same_bits_without_decimation() {
        let (Some(avx2), Some(avx512)) = (FIR_C32_C32.variant("avx2"), FIR_C32_C32.variant("avx512")) else {
            return;
        };
        for taps in TAPS {
            let (x, taps) = (Noise::new(1).signal(200 + taps), Noise::new(2).signal(taps));
            let (mut y, mut z) = ([C32::ZERO; 200], [C32::ZERO; 200]);
            avx2(&mut y, &x, &taps, 1);
            avx512(&mut z, &x, &taps, 1);
            assert_eq!(y, z, "{} taps", taps.len());
        }
    }

    #[test]
    fn no_output_needs_no_sample() {
        for (_, run) in FIR_F32.variants() {
            run(&mut [], &[], &[1.0; 5], 3);
        }
    }

    #[test]
    fn what_lies_behind_the_last_window_is_not_used() {
        for (name, run) in FIR_F32.variants() {
            let x = [&[1.0; 20][..], &[f32::NAN; 40]].concat();
            let mut y = [0.0; 17];
            run(&mut y, &x, &[0.25; 4], 1);
            assert_eq!(y, [1.0; 17], "{name}");
        }
    }

    #[test]
    #[should_panic(expected = "got x.len() = 6, y.len() = 2, decimation = 3, taps_reversed.len() = 4")]
    fn too_few_samples_panic_with_the_inequality() {
        fir_f32(&mut [0.0; 2], &[0.0; 6], &[0.0; 4], 3);
    }

    #[test]
    #[should_panic(expected = "fir_f32 needs decimation ≥ 1")]
    fn a_decimation_by_zero_panics() {
        fir_f32(&mut [0.0; 2], &[0.0; 6], &[0.0; 4], 0);
    }

    #[test]
    #[should_panic(expected = "needs x.len()")]
    fn a_length_beyond_usize_panics_too() {
        fir_f32(&mut [0.0; 3], &[0.0; 6], &[0.0; 4], usize::MAX);
    }
}
