//! Loads and stores of whole vectors through array references: safe, because the array has the vector's size.
//!
//! With these, the AVX2 and AVX-512 files need no `unsafe` of their own. None of them asks for alignment.

use crate::{C32, floats, floats_mut};
use core::arch::x86_64::*;

#[inline]
#[target_feature(enable = "avx")]
pub(crate) fn load8(x: &[f32; 8]) -> __m256 {
    // SAFETY: `x` is 32 readable bytes, and the unaligned load takes any address.
    unsafe { _mm256_loadu_ps(x.as_ptr()) }
}

#[inline]
#[target_feature(enable = "avx")]
pub(crate) fn store8(y: &mut [f32; 8], v: __m256) {
    // SAFETY: `y` is 32 writable bytes, and the unaligned store takes any address.
    unsafe { _mm256_storeu_ps(y.as_mut_ptr(), v) }
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn load16(x: &[f32; 16]) -> __m512 {
    // SAFETY: `x` is 64 readable bytes, and the unaligned load takes any address.
    unsafe { _mm512_loadu_ps(x.as_ptr()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn store16(y: &mut [f32; 16], v: __m512) {
    // SAFETY: `y` is 64 writable bytes, and the unaligned store takes any address.
    unsafe { _mm512_storeu_ps(y.as_mut_ptr(), v) }
}

/// The array of `N` items that starts at `x[at]`; panics if it does not lie in `x`.
#[inline(always)]
pub(crate) fn at<const N: usize>(x: &[f32], at: usize) -> &[f32; N] {
    x[at..at + N].first_chunk().expect("the range has N items")
}

/// As [`at`], to write to.
#[inline(always)]
pub(crate) fn at_mut<const N: usize>(x: &mut [f32], at: usize) -> &mut [f32; N] {
    x[at..at + N].first_chunk_mut().expect("the range has N items")
}

/// The first 8 items of `x`, and zeros where it has fewer.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn load8_or_fewer(x: &[f32]) -> __m256 {
    let lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    let mask = _mm256_cmpgt_epi32(_mm256_set1_epi32(x.len().min(8) as i32), lanes);
    // SAFETY: the mask covers items of `x` only, and what a mask leaves out is not read.
    unsafe { _mm256_maskload_ps(x.as_ptr(), mask) }
}

/// The first 16 items of `x`, and zeros where it has fewer.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn load16_or_fewer(x: &[f32]) -> __m512 {
    let mask = if x.len() < 16 { (1 << x.len()) - 1 } else { u16::MAX };
    // SAFETY: the mask covers items of `x` only, and what a mask leaves out is not read.
    unsafe { _mm512_maskz_loadu_ps(mask, x.as_ptr()) }
}

/// `a · b` of interleaved complex numbers, each product rounded before the sum, as in Rust's `a * b`.
///
/// The sums of the real parts are differences: that is what `addsub` is for.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn product8(a: __m256, b: __m256) -> __m256 {
    complex8(_mm256_moveldup_ps(a), _mm256_movehdup_ps(a), b)
}

/// `(re + j · im) · x`, where each part of the constant fills a vector of its own.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn complex8(re: __m256, im: __m256, x: __m256) -> __m256 {
    let crossed = _mm256_mul_ps(im, _mm256_permute_ps::<SWAP_PARTS>(x));
    _mm256_addsub_ps(_mm256_mul_ps(re, x), crossed)
}

/// `a · conj(b)`.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn conjugate_product8(a: __m256, b: __m256) -> __m256 {
    complex8(_mm256_moveldup_ps(b), _mm256_xor_ps(_mm256_movehdup_ps(b), _mm256_set1_ps(-0.0)), a)
}

/// As [`complex8`]; AVX-512 has no `addsub`, so the signs are turned first.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
pub(crate) fn complex16(re: __m512, im: __m512, x: __m512) -> __m512 {
    let crossed = _mm512_mul_ps(im, _mm512_permute_ps::<SWAP_PARTS>(x));
    _mm512_add_ps(
        _mm512_mul_ps(re, x),
        _mm512_mask_xor_ps(crossed, REAL_PARTS, crossed, _mm512_set1_ps(-0.0)),
    )
}

/// As [`conjugate_product8`].
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
pub(crate) fn conjugate_product16(a: __m512, b: __m512) -> __m512 {
    let crossed = _mm512_mul_ps(_mm512_movehdup_ps(b), _mm512_permute_ps::<SWAP_PARTS>(a));
    let turned = _mm512_mask_xor_ps(crossed, !REAL_PARTS, crossed, _mm512_set1_ps(-0.0));
    _mm512_add_ps(_mm512_mul_ps(_mm512_moveldup_ps(b), a), turned)
}

/// Exchanges the two floats of each pair.
const SWAP_PARTS: i32 = 0b10_11_00_01;

/// The even lanes.
const REAL_PARTS: __mmask16 = 0x5555;

/// `f(y, a, b)` for each `N` floats of complex slices; returns what fills no vector, for the scalar code.
#[inline(always)]
pub(crate) fn zip_vectors<'y, 'x, const N: usize>(
    y: &'y mut [C32],
    a: &'x [C32],
    b: &'x [C32],
    f: impl Fn(&mut [f32; N], &[f32; N], &[f32; N]),
) -> (&'y mut [C32], &'x [C32], &'x [C32]) {
    let whole = y.len() - y.len() % (N / 2);
    let ((y, y_rest), (a, a_rest), (b, b_rest)) =
        (y.split_at_mut(whole), a.split_at(whole), b.split_at(whole));
    let (a, b) = (floats(a).as_chunks().0, floats(b).as_chunks().0);
    for ((y, a), b) in floats_mut(y).as_chunks_mut().0.iter_mut().zip(a).zip(b) {
        f(y, a, b);
    }
    (y_rest, a_rest, b_rest)
}

/// As [`zip_vectors`], with one input.
#[inline(always)]
pub(crate) fn map_vectors<'y, 'x, const N: usize>(
    y: &'y mut [C32],
    x: &'x [C32],
    f: impl Fn(&mut [f32; N], &[f32; N]),
) -> (&'y mut [C32], &'x [C32]) {
    let whole = y.len() - y.len() % (N / 2);
    let ((y, y_rest), (x, x_rest)) = (y.split_at_mut(whole), x.split_at(whole));
    for (y, x) in floats_mut(y).as_chunks_mut().0.iter_mut().zip(floats(x).as_chunks().0) {
        f(y, x);
    }
    (y_rest, x_rest)
}

/// As [`map_vectors`], in place.
#[inline(always)]
pub(crate) fn update_vectors<const N: usize>(x: &mut [C32], f: impl Fn(&mut [f32; N])) -> &mut [C32] {
    let whole = x.len() - x.len() % (N / 2);
    let (x, rest) = x.split_at_mut(whole);
    for x in floats_mut(x).as_chunks_mut().0 {
        f(x);
    }
    rest
}
