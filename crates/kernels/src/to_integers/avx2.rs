//! Conversions to integers for AVX2.
//!
//! ```text
//! y[n] = saturate(round(scale · x[n] + offset)), where a product that is NaN counts as 0
//! ```
//!
//! 1. The convert instruction rounds half to even; what is too high for it is cut off before.
//! 2. Packing saturates, the low end too, and leaves an order that is mended once for each store.
//! 3. For 32 bits there is no packing: what was too high becomes the highest integer by a comparison.
//!
//! Gain over `scalar`, in Gitems/s: 12 instead of 3.7 for `f32_to_u8`, 15 instead of 4.8 for `f32_to_i8`, 15 instead of
//! 4.4 for `f32_to_i16`, 16.8 instead of 0.9 for `f32_to_i32_scaled`
//! (`cargo bench -p superhet-kernels --features trials -- f32_to`, 1024 items, Zen 4).

use super::scalar;
use crate::x86::{at, codes8, load8, map_rounds, packed_twice8, store_i256, to_i8s_8, to_i16s_8};
use crate::{C32, floats};
use core::arch::x86_64::*;

/// `scale · x + offset`; `offset` where the product is NaN.
#[inline]
#[target_feature(enable = "avx2")]
fn line(x: __m256, scale: __m256, offset: __m256) -> __m256 {
    let product = _mm256_mul_ps(x, scale);
    let numbers = _mm256_cmp_ps::<_CMP_ORD_Q>(product, product);
    _mm256_add_ps(_mm256_and_ps(product, numbers), offset)
}

/// As many bytes as fill vectors: unsigned, of `scale · x + offset`. Returns the rest.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn u8s<'y, 'x>(y: &'y mut [u8], x: &'x [f32], scale: f32, offset: f32) -> (&'y mut [u8], &'x [f32]) {
    let [scale, offset, highest] = [scale, offset, 255.0].map(|x| _mm256_set1_ps(x));
    map_rounds(y, x, |y: &mut [u8; 32], x: &[f32; 32]| {
        let codes = |n| _mm256_cvtps_epi32(_mm256_min_ps(line(load8(at(x, n)), scale, offset), highest));
        let [a, b, c, d] = [codes(0), codes(8), codes(16), codes(24)];
        let packed = _mm256_packus_epi16(_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d));
        store_i256(y, packed_twice8(packed));
    })
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn f32_to_u8(y: &mut [u8], x: &[f32]) {
    let (y, x) = u8s(y, x, 127.5, 127.5);
    scalar::f32_to_u8(y, x);
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn f32_to_u8_scaled(y: &mut [u8], x: &[f32], scale: f32) {
    let (y, x) = u8s(y, x, scale, 0.0);
    scalar::f32_to_u8_scaled(y, x, scale);
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn f32_to_i8(y: &mut [i8], x: &[f32]) {
    f32_to_i8_scaled(y, x, 128.0);
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn f32_to_i8_scaled(y: &mut [i8], x: &[f32], scale: f32) {
    let [factor, highest] = [scale, 127.0].map(|x| _mm256_set1_ps(x));
    let (y, x) = map_rounds(y, x, |y: &mut [i8; 32], x: &[f32; 32]| {
        let codes = |n| codes8(_mm256_mul_ps(load8(at(x, n)), factor), highest);
        store_i256(y, to_i8s_8([codes(0), codes(8), codes(16), codes(24)]));
    });
    scalar::f32_to_i8_scaled(y, x, scale);
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn f32_to_i16(y: &mut [i16], x: &[f32]) {
    f32_to_i16_scaled(y, x, 32768.0);
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn f32_to_i16_scaled(y: &mut [i16], x: &[f32], scale: f32) {
    let [factor, highest] = [scale, 32767.0].map(|x| _mm256_set1_ps(x));
    let (y, x) = map_rounds(y, x, |y: &mut [i16; 16], x: &[f32; 16]| {
        let codes = |n| codes8(_mm256_mul_ps(load8(at(x, n)), factor), highest);
        store_i256(y, to_i16s_8(codes(0), codes(8)));
    });
    scalar::f32_to_i16_scaled(y, x, scale);
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn f32_to_i32(y: &mut [i32], x: &[f32]) {
    f32_to_i32_scaled(y, x, (1u32 << 31) as f32);
}

#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn f32_to_i32_scaled(y: &mut [i32], x: &[f32], scale: f32) {
    let [factor, limit] = [scale, (1u32 << 31) as f32].map(|x| _mm256_set1_ps(x));
    let (y, x) = map_rounds(y, x, |y: &mut [i32; 8], x: &[f32; 8]| {
        let product = _mm256_mul_ps(load8(x), factor);
        let numbers = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_ORD_Q>(product, product));
        let too_high = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_GE_OQ>(product, limit));
        // The conversion makes the lowest integer of what it cannot convert; its complement is the highest.
        let codes = _mm256_xor_si256(_mm256_cvtps_epi32(product), too_high);
        store_i256(y, _mm256_and_si256(codes, numbers));
    });
    scalar::f32_to_i32_scaled(y, x, scale);
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn c32_to_u8(y: &mut [[u8; 2]], x: &[C32]) {
    f32_to_u8(y.as_flattened_mut(), floats(x));
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn c32_to_i8(y: &mut [[i8; 2]], x: &[C32]) {
    f32_to_i8(y.as_flattened_mut(), floats(x));
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn c32_to_i16(y: &mut [[i16; 2]], x: &[C32]) {
    f32_to_i16(y.as_flattened_mut(), floats(x));
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn c32_to_i8_scaled(y: &mut [[i8; 2]], x: &[C32], scale: f32) {
    f32_to_i8_scaled(y.as_flattened_mut(), floats(x), scale);
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn c32_to_i16_scaled(y: &mut [[i16; 2]], x: &[C32], scale: f32) {
    f32_to_i16_scaled(y.as_flattened_mut(), floats(x), scale);
}
