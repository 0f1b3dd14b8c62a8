//! The definition of bitwise operations.

use crate::elementwise::{zip_in_place_on_lines, zip_on_lines};

#[inline(always)]
pub(super) fn and_u8(y: &mut [u8], a: &[u8], b: &[u8]) {
    zip_on_lines(y, a, b, |a, b| a & b);
}

#[inline(always)]
pub(super) fn and_u8_in_place(a: &mut [u8], b: &[u8]) {
    zip_in_place_on_lines(a, b, |a, b| a & b);
}

#[inline(always)]
pub(super) fn and_u32(y: &mut [u32], a: &[u32], b: &[u32]) {
    zip_on_lines(y, a, b, |a, b| a & b);
}

#[inline(always)]
pub(super) fn and_u32_in_place(a: &mut [u32], b: &[u32]) {
    zip_in_place_on_lines(a, b, |a, b| a & b);
}

#[inline(always)]
pub(super) fn or_u8(y: &mut [u8], a: &[u8], b: &[u8]) {
    zip_on_lines(y, a, b, |a, b| a | b);
}

#[inline(always)]
pub(super) fn or_u8_in_place(a: &mut [u8], b: &[u8]) {
    zip_in_place_on_lines(a, b, |a, b| a | b);
}

#[inline(always)]
pub(super) fn or_u32(y: &mut [u32], a: &[u32], b: &[u32]) {
    zip_on_lines(y, a, b, |a, b| a | b);
}

#[inline(always)]
pub(super) fn or_u32_in_place(a: &mut [u32], b: &[u32]) {
    zip_in_place_on_lines(a, b, |a, b| a | b);
}

#[inline(always)]
pub(super) fn xor_u8(y: &mut [u8], a: &[u8], b: &[u8]) {
    zip_on_lines(y, a, b, |a, b| a ^ b);
}

#[inline(always)]
pub(super) fn xor_u8_in_place(a: &mut [u8], b: &[u8]) {
    zip_in_place_on_lines(a, b, |a, b| a ^ b);
}

#[inline(always)]
pub(super) fn xor_u32(y: &mut [u32], a: &[u32], b: &[u32]) {
    zip_on_lines(y, a, b, |a, b| a ^ b);
}

#[inline(always)]
pub(super) fn xor_u32_in_place(a: &mut [u32], b: &[u32]) {
    zip_in_place_on_lines(a, b, |a, b| a ^ b);
}
