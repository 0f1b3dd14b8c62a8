//! Magnitudes for AVX-512; `magnitude_to_i16_scaled` is by hand.
//!
//! Gain over AVX2, on a Zen 4 none for `magnitude`, where square roots are the limit: 19 instead of 12.5 for `magnitude_squared`, 5.7
//! instead of 5.2 for `magnitude_to_i16_scaled`, 5.9 instead of 4.1 for `magnitude_i16`
//! (`cargo bench -p superhet-kernels --features trials -- magnitude`, 1024 items, Zen 4).
//!
//! On a Zen 5, which does not halve the vectors, also 15 instead of 7.5 for `magnitude`, 14.7 instead of 7.4 for
//! `magnitude_i16_to_f32_scaled` (`superhet bench kernels --variants --length 1024`).

use super::scalar;
use crate::x86::{at, codes16, evens16, load16, map_rounds, odds16, packed_twice16, store_i512};
use crate::{C32, floats};
use core::arch::x86_64::*;

crate::elementwise::compile_for_avx512! {
    fn magnitude_i16_to_f32_scaled(y: &mut [f32], x: &[[i16; 2]], scale: f32);
    fn magnitude(y: &mut [f32], x: &[C32]);
    fn magnitude_squared(y: &mut [f32], x: &[C32]);
    fn magnitude_i16(y: &mut [i16], x: &[[i16; 2]]);
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) fn magnitude_to_i16_scaled(y: &mut [i16], x: &[C32], scale: f32) {
    let [factor, highest] = [scale, 32767.0].map(|x| _mm512_set1_ps(x));
    let (y, x) = map_rounds(y, x, |y: &mut [i16; 32], x: &[C32; 32]| {
        let codes = |n| {
            let [a, b] = [n, n + 16].map(|n| load16(at(floats(x), n)));
            let (a, b) = (_mm512_mul_ps(a, a), _mm512_mul_ps(b, b));
            let magnitudes = _mm512_sqrt_ps(_mm512_add_ps(evens16(a, b), odds16(a, b)));
            codes16(_mm512_mul_ps(magnitudes, factor), highest)
        };
        store_i512(y, packed_twice16(_mm512_packs_epi32(codes(0), codes(32))));
    });
    scalar::magnitude_to_i16_scaled(y, x, scale);
}
