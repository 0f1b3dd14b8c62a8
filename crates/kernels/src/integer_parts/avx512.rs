//! Parts of integer IQ for AVX-512.
//!
//! Gain over AVX2, in Gitems/s: 11.4 instead of 9.8 for `deinterleave_i8_to_f32_scaled` (by hand), 41 instead of 23 for
//! `real_i16_to_i8`, 28 instead of 14 for `deinterleave_i16`
//! (`cargo bench -p superhet-kernels --features trials -- interleave_i real_i`, 1024 items, Zen 4).
//!
//! On a Zen 5, which does not halve the vectors, also 27 instead of 13.4 for `deinterleave_i16_to_f32_scaled`, 45
//! instead of 23 for `real_i16_to_f32_scaled`, 49 instead of 27 for `interleave_i16` (`superhet bench kernels
//! --variants --length 1024`).

use super::scalar;
use crate::x86::{load_i256, load_i512, map_overlapping, store_i256, store16, unzip_overlapping};
use core::arch::x86_64::*;

crate::elementwise::compile_for_avx512! {
    fn interleave_i16(y: &mut [[i16; 2]], re: &[i16], im: &[i16]);
    fn deinterleave_i16_to_f32_scaled(re: &mut [f32], im: &mut [f32], x: &[[i16; 2]], scale: f32);
    fn real_i16_to_f32_scaled(y: &mut [f32], x: &[[i16; 2]], scale: f32);
    fn deinterleave_i16(re: &mut [i16], im: &mut [i16], x: &[[i16; 2]]);
    fn real_i16(y: &mut [i16], x: &[[i16; 2]]);
    fn real_i16_to_i8(y: &mut [i8], x: &[[i16; 2]]);
    fn real_i8_to_f32_scaled(y: &mut [f32], x: &[[i8; 2]], scale: f32);
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) fn real_i8(y: &mut [i8], x: &[[i8; 2]]) {
    let f = |y: &mut [i8; 32], x: &[[i8; 2]; 32]| store_i256(y, _mm512_cvtepi16_epi8(load_i512(x)));
    map_overlapping(y, x, f, scalar::real_i8);
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) fn deinterleave_i8(re: &mut [i8], im: &mut [i8], x: &[[i8; 2]]) {
    let f = |re: &mut [i8; 32], im: &mut [i8; 32], x: &[[i8; 2]; 32]| {
        let v = load_i512(x);
        store_i256(re, _mm512_cvtepi16_epi8(v));
        store_i256(im, _mm512_cvtepi16_epi8(_mm512_srli_epi16::<8>(v)));
    };
    unzip_overlapping(re, im, x, f, scalar::deinterleave_i8);
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) fn deinterleave_i8_to_f32_scaled(re: &mut [f32], im: &mut [f32], x: &[[i8; 2]], scale: f32) {
    let factor = _mm512_set1_ps(1.0 / scale);
    let ((re, re_rest), (im, im_rest), (x, x_rest)) =
        (re.as_chunks_mut::<16>(), im.as_chunks_mut::<16>(), x.as_chunks::<16>());
    for ((re, im), x) in re.iter_mut().zip(im).zip(x) {
        let v = _mm512_cvtepi16_epi32(load_i256(x));
        let sample = |v| _mm512_mul_ps(_mm512_cvtepi32_ps(v), factor);
        store16(re, sample(_mm512_srai_epi32::<24>(_mm512_slli_epi32::<24>(v))));
        store16(im, sample(_mm512_srai_epi32::<8>(v)));
    }
    scalar::deinterleave_i8_to_f32_scaled(re_rest, im_rest, x_rest, scale);
}
