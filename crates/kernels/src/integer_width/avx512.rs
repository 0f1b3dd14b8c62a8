//! The conversion to bytes for AVX-512; for the one to 16 bits stores are the limit, as with AVX2.
//!
//! Gain over AVX2: 88 instead of 50 Gitems/s
//! (`cargo bench -p superhet-kernels --features trials -- i16_to_i8`, 1024 items, Zen 4).

use super::scalar;
use crate::x86::{load_i512, map_overlapping, store_i256};
use core::arch::x86_64::*;

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) fn i16_to_i8(y: &mut [i8], x: &[i16]) {
    let f = |y: &mut [i8; 32], x: &[i16; 32]| {
        store_i256(y, _mm512_cvtepi16_epi8(_mm512_srli_epi16::<8>(load_i512(x))));
    };
    map_overlapping(y, x, f, scalar::i16_to_i8);
}
