//! The definition of absolute values.

use crate::elementwise::{map_in_place_on_lines, map_on_lines};

#[inline(always)]
pub(super) fn absolute_f32(y: &mut [f32], x: &[f32]) {
    map_on_lines(y, x, f32::abs);
}

#[inline(always)]
pub(super) fn absolute_f32_in_place(x: &mut [f32]) {
    map_in_place_on_lines(x, f32::abs);
}
