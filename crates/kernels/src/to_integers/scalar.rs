//! The definition of conversions to integers; how they round is in [`item`].

use crate::elementwise::map;
use crate::{C32, floats, item};

#[inline(always)]
pub(super) fn f32_to_u8(y: &mut [u8], x: &[f32]) {
    map(y, x, item::f32_to_u8);
}

#[inline(always)]
pub(super) fn f32_to_i8(y: &mut [i8], x: &[f32]) {
    map(y, x, item::f32_to_i8);
}

#[inline(always)]
pub(super) fn f32_to_i16(y: &mut [i16], x: &[f32]) {
    map(y, x, item::f32_to_i16);
}

#[inline(always)]
pub(super) fn c32_to_u8(y: &mut [[u8; 2]], x: &[C32]) {
    f32_to_u8(y.as_flattened_mut(), floats(x));
}

#[inline(always)]
pub(super) fn c32_to_i8(y: &mut [[i8; 2]], x: &[C32]) {
    f32_to_i8(y.as_flattened_mut(), floats(x));
}

#[inline(always)]
pub(super) fn c32_to_i16(y: &mut [[i16; 2]], x: &[C32]) {
    f32_to_i16(y.as_flattened_mut(), floats(x));
}

#[inline(always)]
pub(super) fn f32_to_i32(y: &mut [i32], x: &[f32]) {
    map(y, x, item::f32_to_i32);
}

#[inline(always)]
pub(super) fn f32_to_u8_scaled(y: &mut [u8], x: &[f32], scale: f32) {
    map(y, x, |x| item::f32_to_u8_scaled(x, scale));
}

#[inline(always)]
pub(super) fn f32_to_i8_scaled(y: &mut [i8], x: &[f32], scale: f32) {
    map(y, x, |x| item::f32_to_i8_scaled(x, scale));
}

#[inline(always)]
pub(super) fn f32_to_i16_scaled(y: &mut [i16], x: &[f32], scale: f32) {
    map(y, x, |x| item::f32_to_i16_scaled(x, scale));
}

#[inline(always)]
pub(super) fn f32_to_i32_scaled(y: &mut [i32], x: &[f32], scale: f32) {
    map(y, x, |x| item::f32_to_i32_scaled(x, scale));
}

#[inline(always)]
pub(super) fn c32_to_i8_scaled(y: &mut [[i8; 2]], x: &[C32], scale: f32) {
    f32_to_i8_scaled(y.as_flattened_mut(), floats(x), scale);
}

#[inline(always)]
pub(super) fn c32_to_i16_scaled(y: &mut [[i16; 2]], x: &[C32], scale: f32) {
    f32_to_i16_scaled(y.as_flattened_mut(), floats(x), scale);
}
