//! The definition of saxpy.

use crate::elementwise::{map, map_in_place};
use crate::item;

#[inline(always)]
pub(super) fn saxpy(y: &mut [f32], x: &[f32], gain: f32, offset: f32) {
    map(y, x, |x| item::saxpy(x, gain, offset));
}

#[inline(always)]
pub(super) fn saxpy_in_place(x: &mut [f32], gain: f32, offset: f32) {
    map_in_place(x, |x| item::saxpy(x, gain, offset));
}
