//! The definition of byte swaps.

use crate::elementwise::{map_in_place_on_lines, map_on_lines};

#[inline(always)]
pub(super) fn swap_bytes_u16(y: &mut [u16], x: &[u16]) {
    map_on_lines(y, x, u16::swap_bytes);
}

#[inline(always)]
pub(super) fn swap_bytes_u16_in_place(x: &mut [u16]) {
    map_in_place_on_lines(x, u16::swap_bytes);
}

#[inline(always)]
pub(super) fn swap_bytes_u32(y: &mut [u32], x: &[u32]) {
    map_on_lines(y, x, u32::swap_bytes);
}

#[inline(always)]
pub(super) fn swap_bytes_u32_in_place(x: &mut [u32]) {
    map_in_place_on_lines(x, u32::swap_bytes);
}

#[inline(always)]
pub(super) fn swap_bytes_u64(y: &mut [u64], x: &[u64]) {
    map_on_lines(y, x, u64::swap_bytes);
}

#[inline(always)]
pub(super) fn swap_bytes_u64_in_place(x: &mut [u64]) {
    map_in_place_on_lines(x, u64::swap_bytes);
}
