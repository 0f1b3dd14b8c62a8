//! The definition of multiplication by a constant.

use crate::elementwise::{map_in_place_on_lines, map_on_lines};
use crate::{C32, item};

#[inline(always)]
pub(super) fn multiply_const_f32(y: &mut [f32], x: &[f32], gain: f32) {
    map_on_lines(y, x, |x| item::multiply_const_f32(x, gain));
}

#[inline(always)]
pub(super) fn multiply_const_f32_in_place(x: &mut [f32], gain: f32) {
    map_in_place_on_lines(x, |x| item::multiply_const_f32(x, gain));
}

#[inline(always)]
pub(super) fn multiply_const_c32(y: &mut [C32], x: &[C32], gain: C32) {
    map_on_lines(y, x, |x| item::multiply_const_c32(x, gain));
}

#[inline(always)]
pub(super) fn multiply_const_c32_in_place(x: &mut [C32], gain: C32) {
    map_in_place_on_lines(x, |x| item::multiply_const_c32(x, gain));
}
