//! The definition of saxpy.

use crate::elementwise::{map_in_place_on_lines, map_on_lines};
use crate::item;

#[inline(always)]
pub(super) fn saxpy(y: &mut [f32], x: &[f32], gain: f32, offset: f32) {
    map_on_lines(y, x, |x| item::saxpy(x, gain, offset));
}

#[inline(always)]
pub(super) fn saxpy_in_place(x: &mut [f32], gain: f32, offset: f32) {
    map_in_place_on_lines(x, |x| item::saxpy(x, gain, offset));
}
