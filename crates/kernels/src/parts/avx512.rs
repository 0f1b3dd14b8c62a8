//! Conversions between real and complex for AVX-512.
//!
//! By hand are `interleave` and those to integers. Beyond the caches, where each load of 64 bytes may lie in two lines, those of 32
//! are the faster ones for parts as they are: 10 instead of 8.9 Gitems/s for `complex_to_imag` of 10⁶ items one behind a line.
//!
//! Gain over `scalar`, in Gitems/s: 17 instead of 3.8 for `complex_to_real_i16_scaled`, 10.4 instead of 2.9 for `interleave_i16_scaled`
//! (`cargo bench -p superhet-kernels --features trials -- interleave_i16 complex_to`, 1024 items, Zen 4).
//!
//! On a Zen 5, which does not halve the vectors, also 44 instead of 27 for `complex_to_real`, 13.2 instead of 8.3 for
//! `deinterleave_f64`, 23 instead of 22 for `interleave` (`superhet bench kernels --variants --length 1024`).

use super::{narrow, scalar};
use crate::dispatch::BEYOND_CACHES;
use crate::x86::{
    at, at_mut, codes16, evens16, load16, map_rounds, packed_twice16, store_i512, store16, zip_overlapping,
    zip_rounds,
};
use crate::{C32, floats, floats_mut};
use core::arch::x86_64::*;

crate::elementwise::compile_for_avx512! {
    fn real_to_complex(y: &mut [C32], re: &[f32]);
    fn deinterleave_f64(re: &mut [f64], im: &mut [f64], x: &[C32]);
    fn complex_to_real_f64(y: &mut [f64], x: &[C32]);
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) fn complex_to_real(y: &mut [f32], x: &[C32]) {
    if size_of_val(y) + size_of_val(x) >= BEYOND_CACHES {
        return narrow::complex_to_real(y, x);
    }
    scalar::complex_to_real(y, x);
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) fn complex_to_imag(y: &mut [f32], x: &[C32]) {
    if size_of_val(y) + size_of_val(x) >= BEYOND_CACHES {
        return narrow::complex_to_imag(y, x);
    }
    scalar::complex_to_imag(y, x);
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) fn complex_to_real_i16_scaled(y: &mut [i16], x: &[C32], scale: f32) {
    let [factor, highest] = [scale, 32767.0].map(|x| _mm512_set1_ps(x));
    let (y, x) = map_rounds(y, x, |y: &mut [i16; 32], x: &[C32; 32]| {
        let codes = |n| {
            let real = evens16(load16(at(floats(x), n)), load16(at(floats(x), n + 16)));
            codes16(_mm512_mul_ps(real, factor), highest)
        };
        store_i512(y, packed_twice16(_mm512_packs_epi32(codes(0), codes(32))));
    });
    scalar::complex_to_real_i16_scaled(y, x, scale);
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) fn interleave_i16_scaled(y: &mut [[i16; 2]], re: &[f32], im: &[f32], scale: f32) {
    let [factor, highest] = [scale, 32767.0].map(|x| _mm512_set1_ps(x));
    // Packing puts four real parts before four imaginary ones.
    let order = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15));
    let (y, re, im) = zip_rounds(y, re, im, |y: &mut [[i16; 2]; 16], re, im| {
        let codes = |x| codes16(_mm512_mul_ps(load16(x), factor), highest);
        store_i512(y, _mm512_shuffle_epi8(_mm512_packs_epi32(codes(re), codes(im)), order));
    });
    scalar::interleave_i16_scaled(y, re, im, scale);
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) fn interleave(y: &mut [C32], re: &[f32], im: &[f32]) {
    let low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    let high = _mm512_add_epi32(low, _mm512_set1_epi32(8));
    let f = |y: &mut [C32; 16], re: &[f32; 16], im: &[f32; 16]| {
        let (re, im, y) = (load16(re), load16(im), floats_mut(y));
        store16(at_mut(y, 0), _mm512_permutex2var_ps(re, low, im));
        store16(at_mut(y, 16), _mm512_permutex2var_ps(re, high, im));
    };
    zip_overlapping(y, re, im, f, scalar::interleave);
}
