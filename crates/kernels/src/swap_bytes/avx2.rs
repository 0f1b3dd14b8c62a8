//! Byte swaps compiled for AVX2; on a Zen 4 stores are the limit with AVX-512, too. Those of 16 bits are by hand: single
//! items behind the vectors would take longer than those.
//!
//! Gain over `scalar`, in Gitems/s: 56 instead of 24 (16 bits), 29 instead of 5 (32 bits), 14.6 instead of 2 (64 bits)
//! (`cargo bench -p superhet-kernels --features trials -- swap_bytes`, 1024 items, Zen 4).

use super::scalar;
use crate::x86::{load_i256, map_overlapping, store_i256};
use core::arch::x86_64::*;

crate::elementwise::compile_for_avx2! {
    fn swap_bytes_u16_in_place(x: &mut [u16]);
    fn swap_bytes_u32(y: &mut [u32], x: &[u32]);
    fn swap_bytes_u32_in_place(x: &mut [u32]);
    fn swap_bytes_u64(y: &mut [u64], x: &[u64]);
    fn swap_bytes_u64_in_place(x: &mut [u64]);
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn swap_bytes_u16(y: &mut [u16], x: &[u16]) {
    let swapped = _mm_setr_epi8(1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
    let order = _mm256_broadcastsi128_si256(swapped);
    let f = |y: &mut [u16; 16], x: &[u16; 16]| store_i256(y, _mm256_shuffle_epi8(load_i256(x), order));
    map_overlapping(y, x, f, scalar::swap_bytes_u16);
}
