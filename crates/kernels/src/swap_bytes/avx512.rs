//! Byte swaps compiled for AVX-512; short slices of 16 bits by hand, as for AVX2.
//!
//! Gain over AVX2 on a Zen 5, in Gitems/s: 105 to 129 instead of 83 for `swap_bytes_u16`, 66 instead of 45 for
//! `swap_bytes_u32`, 33 instead of 22 for `swap_bytes_u64` (`superhet bench kernels --variants --length 1024`). A Zen 4
//! halves the vectors and gains nothing.

use super::scalar;
use crate::x86::{load_i512, map_overlapping, store_i512};
use core::arch::x86_64::*;

/// From so many items on the compiled loop, of several vectors, is the faster one.
const LONG: usize = 512;

crate::elementwise::compile_for_avx512! {
    fn swap_bytes_u16_in_place(x: &mut [u16]);
    fn swap_bytes_u32(y: &mut [u32], x: &[u32]);
    fn swap_bytes_u32_in_place(x: &mut [u32]);
    fn swap_bytes_u64(y: &mut [u64], x: &[u64]);
    fn swap_bytes_u64_in_place(x: &mut [u64]);
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) fn swap_bytes_u16(y: &mut [u16], x: &[u16]) {
    if y.len() >= LONG {
        return scalar::swap_bytes_u16(y, x);
    }
    let swapped = _mm_setr_epi8(1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
    let order = _mm512_broadcast_i32x4(swapped);
    let f = |y: &mut [u16; 32], x: &[u16; 32]| store_i512(y, _mm512_shuffle_epi8(load_i512(x), order));
    map_overlapping(y, x, f, scalar::swap_bytes_u16);
}
