//! Decisions for slices beyond the level-1 cache: a vector of 32 bytes at a time.
//!
//! Gain over AVX-512: 24.6 instead of 22.4 Gitems/s for `binary_slicer_i32`
//! (`superhet bench kernels --length 8192` before and with it, Zen 5).

use super::scalar;
use crate::x86::{load8, map_one_by_one, store_i256};
use core::arch::x86_64::*;

#[target_feature(enable = "avx2,fma")]
pub(super) fn binary_slicer_i32(y: &mut [i32], x: &[f32]) {
    let (y, x) = map_one_by_one(y, x, |y: &mut [i32; 8], x| {
        let chosen = _mm256_cmp_ps::<_CMP_LE_OQ>(_mm256_setzero_ps(), load8(x));
        store_i256(y, _mm256_srli_epi32::<31>(_mm256_castps_si256(chosen)));
    });
    scalar::binary_slicer_i32(y, x);
}
