//! Resampling of many periods at once: the sums of four phases, whose samples lie side by side.
//!
//! A resampler by `I / D` gives `I` outputs for `D` samples, and then again. With the samples in rows, the ones that lie `D` apart
//! side by side, an output of so many periods is a sum of whole rows: no vector is summed up across its lanes, and four outputs of
//! a period share the rows that they read.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use crate::dispatch::kernel;

kernel! {
    /// Sums rows with the taps of four phases: `y[p · lanes + l] = Σⱼ taps[4 j + p] · row(first + j)[l]`, with
    /// `lanes = ⌈y.len() / 4⌉`; the last phase may have fewer.
    ///
    /// `row(r)` begins at item `(r mod height) · stride + ⌊r / height⌋ · shift` of `rows`: the row that lies a whole `height` below
    /// another is the same, `shift` items further on. 32 lanes are summed in registers, other numbers of them by the definition.
    ///
    /// **Accuracy**: `|error| ≤ 2⁻²⁴ · (taps / 4 + 1) · Σ |row| · |tap|`; each sum is in the order of `j`, and the variants differ in
    /// whether a product is rounded before it is added.
    ///
    /// # Panics
    ///
    /// Unless `height` is positive, `taps.len()` a multiple of 4 and each row in `rows`.
    ///
    /// ```
    /// let mut y = [0.0; 4];
    /// // Two rows of one sample, 3 and 5, then the second sample of the first.
    /// superhet_kernels::periods_f32(&mut y, &[3.0, 7.0, 5.0, 9.0], &[1.0; 12], 0, 2, 2, 1);
    /// assert_eq!(y, [3.0 + 5.0 + 7.0; 4]);
    /// ```
    pub fn periods_f32(
        y: &mut [f32],
        rows: &[f32],
        taps: &[f32],
        first: usize,
        height: usize,
        stride: usize,
        shift: usize
    );
    check rows_are_there(y.len(), rows.len(), taps.len(), first, [height, stride, shift]);
    work |n| { rows: n + 64, taps: 64, first: 0, height: 16, stride: 1, shift: 0 }
    kind Reduction;
    table PERIODS_F32 { x86_64: avx512, avx2; }
}

/// The lanes of a phase whose sums stay in registers.
#[cfg(target_arch = "x86_64")]
const LANES: usize = 32;

fn rows_are_there(sums: usize, items: usize, taps: usize, first: usize, [height, stride, shift]: [usize; 3]) {
    let end = || {
        let last = first + taps / 4 - 1;
        let (line, turn) = (last % height, last / height);
        let of_last = line * stride + turn * shift;
        // Of the turn before, all lines from the first row on were summed.
        let before = if turn > first / height { (height - 1) * stride + (turn - 1) * shift } else { 0 };
        of_last.max(before) + sums.div_ceil(4)
    };
    assert!(
        height > 0 && taps.is_multiple_of(4) && (taps == 0 || items >= end()),
        "periods_f32 needs a positive height, taps.len() a multiple of 4 and each row in rows, got y.len() = {sums}, \
         rows.len() = {items}, taps.len() = {taps}, first = {first}, height = {height}, stride = {stride} and shift = {shift}"
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Guarded, Noise};

    #[test]
    fn every_variant_sums_the_rows_of_four_phases() {
        for (lanes, height, shift, first, count) in [
            (32, 5, 2, 3, 17),
            (32, 125, 2, 7, 187),
            (32, 1, 1, 0, 9),
            (32, 7, 0, 2, 0),
            (9, 4, 1, 5, 6),
            (0, 3, 1, 0, 4),
        ] {
            let stride = lanes + (first + count) / height * shift;
            let rows = Guarded::copy(&Noise::new(1).signal::<f32>(height * stride), height % 18);
            let taps = Noise::new(2).signal::<f32>(4 * count);
            for (name, run) in PERIODS_F32.variants() {
                let mut y = Guarded::junk(4 * lanes, 3);
                run(y.items_mut(), rows.items(), &taps, first, height, stride, shift);
                y.check_guards(name);
                for (at, y) in y.items().iter().enumerate() {
                    let (phase, lane) = (at / lanes, at % lanes);
                    let terms = || {
                        (0..count).map(|j| {
                            let row = first + j;
                            let item = rows.items()[row % height * stride + row / height * shift + lane];
                            f64::from(taps[4 * j + phase]) * f64::from(item)
                        })
                    };
                    let bound = terms().map(f64::abs).sum::<f64>() * (count + 1) as f64 / (1 << 24) as f64;
                    let want: f64 = terms().sum();
                    assert!(
                        (f64::from(*y) - want).abs() <= bound,
                        "{name}, phase {phase}, lane {lane}: {y}, wanted {want}"
                    );
                }
            }
        }
    }

    #[test]
    #[should_panic(
        expected = "rows.len() = 3, taps.len() = 8, first = 0, height = 2, stride = 2 and shift = 0"
    )]
    fn a_row_that_is_not_there_panics() {
        periods_f32(&mut [0.0; 8], &[0.0; 3], &[0.0; 8], 0, 2, 2, 0);
    }
}
