//! The definition of the larger and the smaller of two.

use crate::elementwise::zip_on_lines;
use crate::item;

#[inline(always)]
pub(super) fn maximum_f32(y: &mut [f32], a: &[f32], b: &[f32]) {
    zip_on_lines(y, a, b, item::maximum_f32);
}

#[inline(always)]
pub(super) fn minimum_f32(y: &mut [f32], a: &[f32], b: &[f32]) {
    zip_on_lines(y, a, b, item::minimum_f32);
}
