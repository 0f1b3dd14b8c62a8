//! Loads and stores of whole vectors through array references: safe, because the array has the vector's size.
//!
//! With these, the AVX2 and AVX-512 files need no `unsafe` of their own. None of them asks for alignment.

#![allow(unsafe_code, reason = "loads and stores of whole vectors")]

mod rounds;

pub(crate) use rounds::*;

use crate::item::fast::LOG2_FAST;
use crate::{C32, floats};
use bytemuck::Pod;
use core::arch::x86_64::*;

#[inline(always)]
pub(crate) fn load4(x: &[f32; 4]) -> __m128 {
    // SAFETY: every processor of this architecture has SSE, `x` is 16 readable bytes, and the unaligned load takes any address.
    unsafe { _mm_loadu_ps(x.as_ptr()) }
}

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

#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn load_f64x8(x: &[f64; 8]) -> __m512d {
    // SAFETY: `x` is 64 readable bytes, and the unaligned load takes any address.
    unsafe { _mm512_loadu_pd(x.as_ptr()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn store_f64x8(y: &mut [f64; 8], v: __m512d) {
    // SAFETY: `y` is 64 writable bytes, and the unaligned store takes any address.
    unsafe { _mm512_storeu_pd(y.as_mut_ptr(), v) }
}

/// The 16 bytes of `x`.
#[inline]
#[target_feature(enable = "avx")]
pub(crate) fn load_i128<T: Pod, const N: usize>(x: &[T; N]) -> __m128i {
    const { assert!(size_of::<[T; N]>() == 16) };
    // SAFETY: `x` is 16 readable bytes, plain data, and the unaligned load takes any address.
    unsafe { _mm_loadu_si128(x.as_ptr().cast()) }
}

/// The 32 bytes of `x`.
#[inline]
#[target_feature(enable = "avx")]
pub(crate) fn load_i256<T: Pod, const N: usize>(x: &[T; N]) -> __m256i {
    const { assert!(size_of::<[T; N]>() == 32) };
    // SAFETY: `x` is 32 readable bytes, plain data, and the unaligned load takes any address.
    unsafe { _mm256_loadu_si256(x.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx")]
pub(crate) fn store_i256<T: Pod, const N: usize>(y: &mut [T; N], v: __m256i) {
    const { assert!(size_of::<[T; N]>() == 32) };
    // SAFETY: `y` is 32 writable bytes that may hold anything, and the unaligned store takes any address.
    unsafe { _mm256_storeu_si256(y.as_mut_ptr().cast(), v) }
}

/// The 64 bytes of `x`.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn load_i512<T: Pod, const N: usize>(x: &[T; N]) -> __m512i {
    const { assert!(size_of::<[T; N]>() == 64) };
    // SAFETY: `x` is 64 readable bytes, plain data, and the unaligned load takes any address.
    unsafe { _mm512_loadu_si512(x.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn store_i512<T: Pod, const N: usize>(y: &mut [T; N], v: __m512i) {
    const { assert!(size_of::<[T; N]>() == 64) };
    // SAFETY: `y` is 64 writable bytes that may hold anything, and the unaligned store takes any address.
    unsafe { _mm512_storeu_si512(y.as_mut_ptr().cast(), v) }
}

/// `x` without its fraction; `i64::MIN` where that is no `i64`. Nothing waits for a comparison with limits, as it does with `as`.
#[inline(always)]
pub(crate) fn whole(x: f32) -> i64 {
    // SAFETY: every processor of this architecture has SSE.
    unsafe { _mm_cvttss_si64(_mm_set_ss(x)) }
}

/// The array of `N` items that starts at `x[at]`; panics if it does not lie in `x`.
#[inline(always)]
pub(crate) fn at<T, const N: usize>(x: &[T], at: usize) -> &[T; N] {
    x[at..at + N].first_chunk().expect("the range has N items")
}

/// As [`at`], to write to.
#[inline(always)]
pub(crate) fn at_mut<T, const N: usize>(x: &mut [T], at: usize) -> &mut [T; N] {
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

/// The first 16 items of `x`, and zeros where it has fewer.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(crate) fn load_16_i16s_or_fewer(x: &[i16]) -> __m256i {
    let mask = if x.len() < 16 { (1 << x.len()) - 1 } else { u16::MAX };
    // SAFETY: the mask covers items of `x` only, and what a mask leaves out is not read.
    unsafe { _mm256_maskz_loadu_epi16(mask, x.as_ptr()) }
}

/// Stores as many floats as `y` has, at most 16.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn store16_or_fewer(y: &mut [f32], v: __m512) {
    let mask = if y.len() < 16 { (1 << y.len()) - 1 } else { u16::MAX };
    // SAFETY: the mask covers items of `y` only, and what a mask leaves out is not written.
    unsafe { _mm512_mask_storeu_ps(y.as_mut_ptr(), mask, v) }
}

/// `a · b` of interleaved complex numbers, each product rounded before the sum, as in Rust's `a * b`.
///
/// The sums of the real parts are differences: that is what `addsub` is for. An addition of products with a sign, which has to
/// be turned first, takes a Zen 5 1.1 times as long.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn product8(a: __m256, b: __m256) -> __m256 {
    let crossed = _mm256_mul_ps(_mm256_movehdup_ps(a), _mm256_permute_ps::<SWAP_PARTS>(b));
    _mm256_addsub_ps(_mm256_mul_ps(_mm256_moveldup_ps(a), b), crossed)
}

/// `(re + j · im) · x`, where each part of the constant fills a vector of its own, and the lanes of `im` for real parts have the
/// other sign: with `addsub` in its place a Zen 5 takes 1.7 times as long.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn complex8(re: __m256, im: __m256, x: __m256) -> __m256 {
    _mm256_add_ps(_mm256_mul_ps(re, x), _mm256_mul_ps(im, _mm256_permute_ps::<SWAP_PARTS>(x)))
}

/// As [`complex8`].
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn complex16(re: __m512, im: __m512, x: __m512) -> __m512 {
    _mm512_add_ps(_mm512_mul_ps(re, x), _mm512_mul_ps(im, _mm512_permute_ps::<SWAP_PARTS>(x)))
}

/// As [`product8`].
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
pub(crate) fn product16(a: __m512, b: __m512) -> __m512 {
    let im = _mm512_movehdup_ps(a);
    let im = _mm512_mask_xor_ps(im, REAL_PARTS, im, _mm512_set1_ps(-0.0));
    complex16(_mm512_moveldup_ps(a), im, b)
}

/// `a · conj(b)`.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn conjugate_product8(a: __m256, b: __m256) -> __m256 {
    complex8(_mm256_moveldup_ps(b), _mm256_xor_ps(_mm256_movehdup_ps(b), pairs8(0.0, -0.0)), a)
}

/// As [`conjugate_product8`].
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
pub(crate) fn conjugate_product16(a: __m512, b: __m512) -> __m512 {
    let crossed = _mm512_mul_ps(_mm512_movehdup_ps(b), _mm512_permute_ps::<SWAP_PARTS>(a));
    let turned = _mm512_mask_xor_ps(crossed, !REAL_PARTS, crossed, _mm512_set1_ps(-0.0));
    _mm512_add_ps(_mm512_mul_ps(_mm512_moveldup_ps(b), a), turned)
}

/// `a / b`: the conjugate product, divided by the sum of squares that both parts share.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn quotient8(a: __m256, b: __m256) -> __m256 {
    let squares = _mm256_mul_ps(b, b);
    let sum = _mm256_add_ps(squares, _mm256_permute_ps::<SWAP_PARTS>(squares));
    _mm256_div_ps(conjugate_product8(a, b), sum)
}

/// As [`quotient8`].
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
pub(crate) fn quotient16(a: __m512, b: __m512) -> __m512 {
    let squares = _mm512_mul_ps(b, b);
    let sum = _mm512_add_ps(squares, _mm512_permute_ps::<SWAP_PARTS>(squares));
    _mm512_div_ps(conjugate_product16(a, b), sum)
}

/// Each of 8 floats twice, for both parts of complex numbers.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn twice8(x: __m256) -> [__m256; 2] {
    let (low, high) = (_mm256_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3), _mm256_setr_epi32(4, 4, 5, 5, 6, 6, 7, 7));
    [_mm256_permutevar8x32_ps(x, low), _mm256_permutevar8x32_ps(x, high)]
}

/// The processor's estimates of `1 / √x`. Each estimate depends on its item only.
#[inline(always)]
pub(crate) fn inverse_sqrt_estimates(x: [f32; 4]) -> [f32; 4] {
    // SAFETY: SSE, which every processor of this architecture has.
    bytemuck::cast(unsafe { _mm_rsqrt_ps(bytemuck::cast(x)) })
}

/// `x = 2ⁿ · (1 + f)` with `1 + f` within √½..√2, as `item::logarithm` has it: `(n, f)`.
///
/// `(∓∞, 0)` for zeros and for infinity; NaN in `f` for negative numbers and NaN.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn split16(x: __m512) -> (__m512, __m512) {
    let mantissa = _mm512_getmant_ps::<_MM_MANT_NORM_1_2, _MM_MANT_SIGN_NAN>(x);
    let n = _mm512_getexp_ps(x);
    let one = _mm512_set1_ps(1.0);
    let beyond = _mm512_cmp_ps_mask::<_CMP_GE_OQ>(mantissa, _mm512_set1_ps(std::f32::consts::SQRT_2));
    let mantissa = _mm512_mask_mul_ps(mantissa, beyond, mantissa, _mm512_set1_ps(0.5));
    (_mm512_mask_add_ps(n, beyond, n, one), _mm512_sub_ps(mantissa, one))
}

/// `item::log2_fast` of 16 items, special ones too: what these instructions make of them has the right logarithm.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn log2_fast16(x: __m512) -> __m512 {
    let mantissa = _mm512_getmant_ps::<_MM_MANT_NORM_P75_1P5, _MM_MANT_SIGN_NAN>(x);
    let n = _mm512_sub_ps(_mm512_getexp_ps(x), _mm512_getexp_ps(mantissa));
    let f = _mm512_sub_ps(mantissa, _mm512_set1_ps(1.0));
    _mm512_fmadd_ps(f, fused_polynomial16(f, LOG2_FAST), n)
}

/// `Σ c[k] · xᵏ` by Horner's scheme with fused multiply-adds, as in `item::fast`.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn fused_polynomial16<const N: usize>(x: __m512, c: [f32; N]) -> __m512 {
    let highest = _mm512_set1_ps(c[N - 1]);
    c[..N - 1].iter().rev().fold(highest, |sum, &c| _mm512_fmadd_ps(sum, x, _mm512_set1_ps(c)))
}

/// `re² + im²` of 16 complex numbers.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn magnitude_squared16(x: &[C32; 16]) -> __m512 {
    let re = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    let im = _mm512_add_epi32(re, _mm512_set1_epi32(1));
    let (low, high) = (load16(at(floats(x), 0)), load16(at(floats(x), 16)));
    let re = _mm512_permutex2var_ps(low, re, high);
    let im = _mm512_permutex2var_ps(low, im, high);
    _mm512_add_ps(_mm512_mul_ps(re, re), _mm512_mul_ps(im, im))
}

/// `Σ c[k] · xᵏ`, in the order of sums of `item::polynomial`.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn polynomial16<const N: usize>(x: __m512, c: [f32; N]) -> __m512 {
    let square = _mm512_mul_ps(x, x);
    let term = |k: usize| _mm512_set1_ps(c[k]);
    let pair = |k: usize| _mm512_add_ps(term(k), _mm512_mul_ps(term(k + 1), x));
    let last = N - 1;
    let mut sum = if N.is_multiple_of(2) { pair(last - 1) } else { term(last) };
    for k in (0..last / 2).rev() {
        sum = _mm512_add_ps(_mm512_mul_ps(sum, square), pair(2 * k));
    }
    sum
}

/// The same two floats in each pair of lanes.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn pairs8(even: f32, odd: f32) -> __m256 {
    _mm256_setr_ps(even, odd, even, odd, even, odd, even, odd)
}

/// As [`pairs8`].
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn pairs16(even: f32, odd: f32) -> __m512 {
    _mm512_setr4_ps(even, odd, even, odd)
}

/// Exchanges the two floats of each pair.
const SWAP_PARTS: i32 = 0b10_11_00_01;

/// The even lanes.
const REAL_PARTS: __mmask16 = 0x5555;

/// Rounds half to even, at most `highest`, a value within `i32`; 0 for NaN. What is below `i32` becomes its lowest value,
/// which saturates in packing.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn codes8(x: __m256, highest: __m256) -> __m256i {
    let numbers = _mm256_cmp_ps::<_CMP_ORD_Q>(x, x);
    _mm256_cvtps_epi32(_mm256_min_ps(_mm256_and_ps(x, numbers), highest))
}

/// As [`codes8`].
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn codes16(x: __m512, highest: __m512) -> __m512i {
    let numbers = _mm512_cmp_ps_mask::<_CMP_ORD_Q>(x, x);
    _mm512_cvtps_epi32(_mm512_maskz_min_ps(numbers, x, highest))
}

/// 16 integers of 32 bits to 16 bits, saturated, in order.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn to_i16s_8(a: __m256i, b: __m256i) -> __m256i {
    packed_once8(_mm256_packs_epi32(a, b))
}

/// As [`to_i16s_8`], 32 of them.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(crate) fn to_i16s_16(a: __m512i, b: __m512i) -> __m512i {
    packed_once16(_mm512_packs_epi32(a, b))
}

/// 32 integers of 32 bits to 8 bits, saturated, in order.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn to_i8s_8([a, b, c, d]: [__m256i; 4]) -> __m256i {
    packed_twice8(_mm256_packs_epi16(_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d)))
}

/// As [`to_i8s_8`], 64 of them.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(crate) fn to_i8s_16([a, b, c, d]: [__m512i; 4]) -> __m512i {
    packed_twice16(_mm512_packs_epi16(_mm512_packs_epi32(a, b), _mm512_packs_epi32(c, d)))
}

/// Puts in order what one packing of two vectors gave: it works on each 128 bits for themselves, so that those hold
/// 64 bits of the one and 64 of the other.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn packed_once8(v: __m256i) -> __m256i {
    _mm256_permute4x64_epi64::<0b11_01_10_00>(v)
}

/// As [`packed_once8`].
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn packed_once16(v: __m512i) -> __m512i {
    _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), v)
}

/// Puts in order what two packings of four vectors gave: each 128 bits hold 32 bits of each vector.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn packed_twice8(v: __m256i) -> __m256i {
    _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7))
}

/// As [`packed_twice8`].
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn packed_twice16(v: __m512i) -> __m512i {
    let order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    _mm512_permutexvar_epi32(order, v)
}

/// Real parts of eight complex numbers; each 128 bits hold two of `a` and two of `b`.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn evens8(a: __m256, b: __m256) -> __m256 {
    _mm256_shuffle_ps::<0b10_00_10_00>(a, b)
}

/// Imaginary parts, as [`evens8`].
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn odds8(a: __m256, b: __m256) -> __m256 {
    _mm256_shuffle_ps::<0b11_01_11_01>(a, b)
}

/// As [`evens8`].
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn evens16(a: __m512, b: __m512) -> __m512 {
    _mm512_shuffle_ps::<0b10_00_10_00>(a, b)
}

/// As [`odds8`].
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn odds16(a: __m512, b: __m512) -> __m512 {
    _mm512_shuffle_ps::<0b11_01_11_01>(a, b)
}
