//! The definition of conversions from integers.

use crate::elementwise::map_on_lines;
use crate::{C32, floats_mut, item};

#[inline(always)]
pub(super) fn u8_to_f32(y: &mut [f32], x: &[u8]) {
    map_on_lines(y, x, item::u8_to_f32);
}

#[inline(always)]
pub(super) fn i8_to_f32(y: &mut [f32], x: &[i8]) {
    map_on_lines(y, x, item::i8_to_f32);
}

#[inline(always)]
pub(super) fn i16_to_f32(y: &mut [f32], x: &[i16]) {
    map_on_lines(y, x, item::i16_to_f32);
}

#[inline(always)]
pub(super) fn u8_to_c32(y: &mut [C32], x: &[[u8; 2]]) {
    u8_to_f32(floats_mut(y), x.as_flattened());
}

#[inline(always)]
pub(super) fn i8_to_c32(y: &mut [C32], x: &[[i8; 2]]) {
    i8_to_f32(floats_mut(y), x.as_flattened());
}

#[inline(always)]
pub(super) fn i16_to_c32(y: &mut [C32], x: &[[i16; 2]]) {
    i16_to_f32(floats_mut(y), x.as_flattened());
}

#[inline(always)]
pub(super) fn i32_to_f32(y: &mut [f32], x: &[i32]) {
    map_on_lines(y, x, item::i32_to_f32);
}

#[inline(always)]
pub(super) fn u8_to_f32_scaled(y: &mut [f32], x: &[u8], scale: f32) {
    map_on_lines(y, x, |x| item::u8_to_f32_scaled(x, scale));
}

#[inline(always)]
pub(super) fn i8_to_f32_scaled(y: &mut [f32], x: &[i8], scale: f32) {
    map_on_lines(y, x, |x| item::i8_to_f32_scaled(x, scale));
}

#[inline(always)]
pub(super) fn i16_to_f32_scaled(y: &mut [f32], x: &[i16], scale: f32) {
    map_on_lines(y, x, |x| item::i16_to_f32_scaled(x, scale));
}

#[inline(always)]
pub(super) fn i32_to_f32_scaled(y: &mut [f32], x: &[i32], scale: f32) {
    map_on_lines(y, x, |x| item::i32_to_f32_scaled(x, scale));
}

#[inline(always)]
pub(super) fn i8_to_c32_scaled(y: &mut [C32], x: &[[i8; 2]], scale: f32) {
    i8_to_f32_scaled(floats_mut(y), x.as_flattened(), scale);
}

#[inline(always)]
pub(super) fn i16_to_c32_scaled(y: &mut [C32], x: &[[i16; 2]], scale: f32) {
    i16_to_f32_scaled(floats_mut(y), x.as_flattened(), scale);
}
