//! Multiplication with addition for AVX-512; the conjugated one is by hand.
//!
//! Gain over AVX2: 7.1 instead of 4.8 Gitems/s for `multiply_add_c32_f32`, 8.1 instead of 7.2 for
//! `multiply_conjugate_add_c32`; none for the real one on a Zen 4
//! (`cargo bench -p superhet-kernels --features trials -- _add`, 1024 items, Zen 4).
//!
//! On a Zen 5, which does not halve the vectors, also 36 instead of 20 for `multiply_add_f32` (`superhet bench kernels
//! --variants --length 1024`).

use crate::x86::{load16, load16_or_fewer, pairs16, store16, store16_or_fewer, zip_vectors};
use crate::{C32, floats, floats_mut};
use core::arch::x86_64::*;

crate::elementwise::compile_for_avx512! {
    fn multiply_add_f32(y: &mut [f32], a: &[f32], b: &[f32], c: &[f32]);
    fn multiply_add_c32_f32(y: &mut [C32], a: &[C32], b: &[f32], c: &[C32]);
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) fn multiply_conjugate_add_c32(y: &mut [C32], a: &[C32], b: &[C32], gain: C32) {
    let for_re = pairs16(gain.re, gain.im);
    let for_im = pairs16(gain.im, -gain.re);
    let sum = |a, b| {
        let of_re = _mm512_mul_ps(_mm512_moveldup_ps(b), for_re);
        let of_im = _mm512_mul_ps(_mm512_movehdup_ps(b), for_im);
        _mm512_add_ps(a, _mm512_add_ps(of_re, of_im))
    };
    let (y, a, b) = zip_vectors(y, a, b, |y, a, b| store16(y, sum(load16(a), load16(b))));
    store16_or_fewer(floats_mut(y), sum(load16_or_fewer(floats(a)), load16_or_fewer(floats(b))));
}
