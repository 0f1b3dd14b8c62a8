//! The definition of packing, order and number of bits.

use crate::elementwise::{map, map_in_place};
use crate::item;

#[inline(always)]
pub(super) fn pack_bits_msb(y: &mut [u8], x: &[[u8; 8]]) {
    map(y, x, item::pack_bits_msb);
}

#[inline(always)]
pub(super) fn pack_bits_lsb(y: &mut [u8], x: &[[u8; 8]]) {
    map(y, x, item::pack_bits_lsb);
}

#[inline(always)]
pub(super) fn unpack_bits_msb(y: &mut [[u8; 8]], x: &[u8]) {
    map(y, x, item::unpack_bits_msb);
}

#[inline(always)]
pub(super) fn unpack_bits_lsb(y: &mut [[u8; 8]], x: &[u8]) {
    map(y, x, item::unpack_bits_lsb);
}

#[inline(always)]
pub(super) fn reverse_bits_u8(y: &mut [u8], x: &[u8]) {
    map(y, x, u8::reverse_bits);
}

#[inline(always)]
pub(super) fn reverse_bits_u8_in_place(x: &mut [u8]) {
    map_in_place(x, u8::reverse_bits);
}

#[inline(always)]
pub(super) fn reverse_bits_u32(y: &mut [u32], x: &[u32]) {
    map(y, x, u32::reverse_bits);
}

#[inline(always)]
pub(super) fn popcount_u32(y: &mut [u32], x: &[u32]) {
    map(y, x, u32::count_ones);
}

#[inline(always)]
pub(super) fn popcount_u64(y: &mut [u64], x: &[u64]) {
    map(y, x, |x| u64::from(x.count_ones()));
}

#[inline(always)]
pub(super) fn popcount_sum(x: &[u8]) -> u64 {
    let (words, rest) = x.as_chunks();
    let of_words: u64 = words.iter().map(|&word| u64::from(u64::from_ne_bytes(word).count_ones())).sum();
    of_words + rest.iter().map(|byte| u64::from(byte.count_ones())).sum::<u64>()
}
