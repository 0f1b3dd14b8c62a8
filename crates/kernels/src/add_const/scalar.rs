//! The definition of addition of a constant.

use crate::elementwise::{map, map_in_place};
use crate::{C32, item};

#[inline(always)]
pub(super) fn add_const_f32(y: &mut [f32], x: &[f32], offset: f32) {
    map(y, x, |x| item::add_const_f32(x, offset));
}

#[inline(always)]
pub(super) fn add_const_f32_in_place(x: &mut [f32], offset: f32) {
    map_in_place(x, |x| item::add_const_f32(x, offset));
}

#[inline(always)]
pub(super) fn add_const_c32(y: &mut [C32], x: &[C32], offset: C32) {
    map(y, x, |x| item::add_const_c32(x, offset));
}

#[inline(always)]
pub(super) fn add_const_c32_in_place(x: &mut [C32], offset: C32) {
    map_in_place(x, |x| item::add_const_c32(x, offset));
}
