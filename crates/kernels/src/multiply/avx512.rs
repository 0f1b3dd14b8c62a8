//! Multiplication for AVX-512; complex products are by hand, as for AVX2.
//!
//! Gain over AVX2 on a Zen 5, in Gitems/s: 50 instead of 26 for `multiply_f32`, 16 instead of 10.1 for `multiply_c32`,
//! 31 instead of 18 for `multiply_c32_f32` (`superhet bench kernels --variants --length 1024`). A Zen 4 halves the
//! vectors and gains nothing.

use super::scalar;
use crate::x86::{
    at, at_mut, load16, load16_or_fewer, product16, store16, store16_or_fewer, update_vectors_with,
    zip_overlapping, zip_vectors,
};
use crate::{C32, floats, floats_mut};
use core::arch::x86_64::*;

crate::elementwise::compile_for_avx512! {
    fn multiply_f32(y: &mut [f32], a: &[f32], b: &[f32]);
    fn multiply_f32_in_place(a: &mut [f32], b: &[f32]);
    fn multiply_c32_f32_in_place(a: &mut [C32], b: &[f32]);
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) fn multiply_c32(y: &mut [C32], a: &[C32], b: &[C32]) {
    let (y, a, b) = zip_vectors(y, a, b, |y, a, b| store16(y, product16(load16(a), load16(b))));
    let product = product16(load16_or_fewer(floats(a)), load16_or_fewer(floats(b)));
    store16_or_fewer(floats_mut(y), product);
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) fn multiply_c32_in_place(a: &mut [C32], b: &[C32]) {
    let (a, b) = update_vectors_with(a, b, |a, b| store16(a, product16(load16(a), load16(b))));
    let product = product16(load16_or_fewer(floats(a)), load16_or_fewer(floats(b)));
    store16_or_fewer(floats_mut(a), product);
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) fn multiply_c32_f32(y: &mut [C32], a: &[C32], b: &[f32]) {
    let low = _mm512_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7);
    let high = _mm512_add_epi32(low, _mm512_set1_epi32(8));
    let f = |y: &mut [C32; 16], a: &[C32; 16], b: &[f32; 16]| {
        let (y, a, b) = (floats_mut(y), floats(a), load16(b));
        store16(at_mut(y, 0), _mm512_mul_ps(load16(at(a, 0)), _mm512_permutexvar_ps(low, b)));
        store16(at_mut(y, 16), _mm512_mul_ps(load16(at(a, 16)), _mm512_permutexvar_ps(high, b)));
    };
    zip_overlapping(y, a, b, f, scalar::multiply_c32_f32);
}
