//! Sums over windows for AVX-512: see `one_pass.rs`.

use core::arch::x86_64::*;

use super::one_pass::in_one_pass;
use crate::x86::{load16, store16};
use crate::{C32, floats, floats_mut};

/// What ends `1 << level` items before the end of the second vector, whose items have `PARTS` floats.
#[inline]
#[target_feature(enable = "avx512f")]
fn earlier<const PARTS: usize>(first: __m512, second: __m512, level: usize) -> __m512 {
    // Not by `map` of an array: where that is compiled for any processor, it stays a call, and vectors go through memory.
    let (first, second) = (_mm512_castps_si512(first), _mm512_castps_si512(second));
    _mm512_castsi512_ps(match PARTS << level {
        1 => _mm512_alignr_epi32::<15>(second, first),
        2 => _mm512_alignr_epi32::<14>(second, first),
        4 => _mm512_alignr_epi32::<12>(second, first),
        _ => _mm512_alignr_epi32::<8>(second, first),
    })
}

in_one_pass! {
    enable "avx512f", __m512 of 16, align 64,
    load load16, store store16, zero _mm512_setzero_ps, set _mm512_set1_ps, add _mm512_add_ps, multiply _mm512_mul_ps,
    few 8 9 10 11 12 13 14 15, pairs 1 2 3 4 5 6 7, places 2 4 8 16 32, 64
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) fn window_sum_f32(y: &mut [f32], x: &[f32], count: usize, scale: f32) {
    for_few::<1>(y, x, count, scale);
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) fn window_sum_c32(y: &mut [C32], x: &[C32], count: usize, scale: f32) {
    for_few::<2>(floats_mut(y), floats(x), count, scale);
}
