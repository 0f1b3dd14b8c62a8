//! The definition of FIR filters.
//!
//! Decimating by more than `phases` does, each output is one dot product. Otherwise a block of outputs is summed at once, tap by tap: the inner
//! loop then runs over neighbouring samples, which suits vectors, and each output still sums its taps in order.

use super::filter_or_decimate;
use crate::dot::scalar::{dot_c32, dot_c32_f32, dot_f32};
use crate::{C32, floats, floats_mut};

/// Floats per block of outputs.
const BLOCK: usize = 16;

/// One output for every `decimation` samples, each by `dot` of the samples under the taps.
#[inline(always)]
pub(super) fn decimate<X, T, Y>(
    y: &mut [Y],
    x: &[X],
    taps: &[T],
    decimation: usize,
    dot: impl Fn(&[X], &[T]) -> Y,
) {
    for (k, y) in y.iter_mut().enumerate() {
        *y = dot(&x[k * decimation..][..taps.len()], taps);
    }
}

/// Filters floats where a sample is `STRIDE` of them, all with the same taps.
#[inline(always)]
fn filter<const STRIDE: usize>(y: &mut [f32], x: &[f32], taps: &[f32]) {
    if taps.is_empty() {
        return y.fill(0.0); // Without taps there need not be a sample for every output.
    }
    let (blocks, rest) = y.as_chunks_mut::<BLOCK>();
    let start_of_rest = blocks.len() * BLOCK;
    for (block, y) in blocks.iter_mut().enumerate() {
        *y = sums::<STRIDE, BLOCK>(&x[block * BLOCK..], taps.iter().copied());
    }
    for (n, y) in rest.iter_mut().enumerate() {
        [*y] = sums::<STRIDE, 1>(&x[start_of_rest + n..], taps.iter().copied());
    }
}

/// `N` neighbouring outputs, each with its taps in order.
#[inline(always)]
fn sums<const STRIDE: usize, const N: usize>(x: &[f32], taps: impl Iterator<Item = f32>) -> [f32; N] {
    let mut sums = [0.0; N];
    for (j, tap) in taps.enumerate() {
        let x = x[j * STRIDE..].first_chunk::<N>().expect("the contract: enough samples for all taps");
        for n in 0..N {
            sums[n] += tap * x[n];
        }
    }
    sums
}

pub(super) fn fir_f32(y: &mut [f32], x: &[f32], taps_reversed: &[f32], decimation: usize) {
    filter_or_decimate!(y: [f32], x, taps_reversed, decimation, filter::<1>, {
        decimate(y, x, taps_reversed, decimation, dot_f32)
    });
}

pub(super) fn fir_c32_f32(y: &mut [C32], x: &[C32], taps_reversed: &[f32], decimation: usize) {
    let filter = |y: &mut [C32], x: &[C32], taps: &[f32]| filter::<2>(floats_mut(y), floats(x), taps);
    filter_or_decimate!(y: [C32], x, taps_reversed, decimation, filter, {
        decimate(y, x, taps_reversed, decimation, dot_c32_f32)
    });
}

pub(super) fn fir_f32_c32(y: &mut [C32], x: &[f32], taps_reversed: &[C32], decimation: usize) {
    filter_or_decimate!(y: [C32], x, taps_reversed, decimation, filter_real, {
        decimate(y, x, taps_reversed, decimation, |x, taps| dot_c32_f32(taps, x))
    });
}

pub(super) fn fir_c32_c32(y: &mut [C32], x: &[C32], taps_reversed: &[C32], decimation: usize) {
    filter_or_decimate!(y: [C32], x, taps_reversed, decimation, filter_complex, {
        decimate(y, x, taps_reversed, decimation, dot_c32)
    });
}

/// The taps' real and imaginary parts have sums of their own.
fn filter_real(y: &mut [C32], x: &[f32], taps: &[C32]) {
    if taps.is_empty() {
        return y.fill(C32::ZERO);
    }
    let (blocks, rest) = y.as_chunks_mut::<BLOCK>();
    let start_of_rest = blocks.len() * BLOCK;
    for (block, y) in blocks.iter_mut().enumerate() {
        *y = sums_by_complex(&x[block * BLOCK..], taps);
    }
    for (n, y) in rest.iter_mut().enumerate() {
        [*y] = sums_by_complex(&x[start_of_rest + n..], taps);
    }
}

/// `N` neighbouring outputs.
#[inline(always)]
fn sums_by_complex<const N: usize>(x: &[f32], taps: &[C32]) -> [C32; N] {
    let re = sums::<1, N>(x, taps.iter().map(|tap| tap.re));
    let im = sums::<1, N>(x, taps.iter().map(|tap| tap.im));
    std::array::from_fn(|n| C32::new(re[n], im[n]))
}

/// As in [`dot_c32`], the taps' real and imaginary parts have sums of their own.
fn filter_complex(y: &mut [C32], x: &[C32], taps: &[C32]) {
    if taps.is_empty() {
        return y.fill(C32::ZERO);
    }
    let (blocks, rest) = y.as_chunks_mut::<{ BLOCK / 2 }>();
    let start_of_rest = blocks.len() * (BLOCK / 2);
    for (block, y) in blocks.iter_mut().enumerate() {
        let sums = complex_sums::<BLOCK>(floats(&x[block * (BLOCK / 2)..]), taps);
        floats_mut(y).copy_from_slice(&sums);
    }
    for (n, y) in rest.iter_mut().enumerate() {
        let [re, im] = complex_sums::<2>(floats(&x[start_of_rest + n..]), taps);
        *y = C32::new(re, im);
    }
}

/// `N / 2` neighbouring outputs.
#[inline(always)]
fn complex_sums<const N: usize>(x: &[f32], taps: &[C32]) -> [f32; N] {
    let by_re = sums::<2, N>(x, taps.iter().map(|tap| tap.re));
    let by_im = sums::<2, N>(x, taps.iter().map(|tap| tap.im));
    // Adds j · by_im: (re, im) becomes (-im, re).
    std::array::from_fn(|n| if n % 2 == 0 { by_re[n] - by_im[n + 1] } else { by_re[n] + by_im[n - 1] })
}
