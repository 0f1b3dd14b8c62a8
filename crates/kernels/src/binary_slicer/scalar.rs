//! The definition of binary slicers.

use crate::elementwise::map;
use crate::item;

#[inline(always)]
pub(super) fn binary_slicer_u8(y: &mut [u8], x: &[f32]) {
    map(y, x, item::binary_slicer_u8);
}

#[inline(always)]
pub(super) fn binary_slicer_i32(y: &mut [i32], x: &[f32]) {
    map(y, x, item::binary_slicer_i32);
}
