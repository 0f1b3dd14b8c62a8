//! The definition of clamping.

use crate::elementwise::{map_in_place_on_lines, map_on_lines};
use crate::item;

#[inline(always)]
pub(super) fn clamp_f32(y: &mut [f32], x: &[f32], lowest: f32, highest: f32) {
    map_on_lines(y, x, |x| item::clamp_f32(x, lowest, highest));
}

#[inline(always)]
pub(super) fn clamp_f32_in_place(x: &mut [f32], lowest: f32, highest: f32) {
    map_in_place_on_lines(x, |x| item::clamp_f32(x, lowest, highest));
}
