//! The definition of absolute values.

use crate::elementwise::{map, map_in_place};

#[inline(always)]
pub(super) fn absolute_f32(y: &mut [f32], x: &[f32]) {
    map(y, x, f32::abs);
}

#[inline(always)]
pub(super) fn absolute_f32_in_place(x: &mut [f32]) {
    map_in_place(x, f32::abs);
}
