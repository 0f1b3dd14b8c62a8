//! Binary slicers for AVX2.
//!
//! To bytes it is by hand. Gain over `scalar`, in Gitems/s: 32 instead of 10 to bytes, 28 instead of 14 to 32 bits
//! (`cargo bench -p superhet-kernels --features trials -- slicer`, 1024 items, Zen 4).

use super::scalar;
use crate::x86::{at, load8, map_rounds, store_i256, to_i8s_8};
use core::arch::x86_64::*;

crate::elementwise::compile_for_avx2! {
    fn binary_slicer_i32(y: &mut [i32], x: &[f32]);
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn binary_slicer_u8(y: &mut [u8], x: &[f32]) {
    let (y, x) = map_rounds(y, x, |y: &mut [u8; 32], x: &[f32; 32]| {
        let chosen =
            |n| _mm256_castps_si256(_mm256_cmp_ps::<_CMP_GE_OQ>(load8(at(x, n)), _mm256_setzero_ps()));
        let chosen = to_i8s_8([chosen(0), chosen(8), chosen(16), chosen(24)]);
        store_i256(y, _mm256_and_si256(chosen, _mm256_set1_epi8(1)));
    });
    scalar::binary_slicer_u8(y, x);
}
