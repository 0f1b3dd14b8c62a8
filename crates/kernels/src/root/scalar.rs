//! The definition of square roots.

use crate::elementwise::map;
use crate::item;

#[inline(always)]
pub(super) fn sqrt(y: &mut [f32], x: &[f32]) {
    map(y, x, f32::sqrt);
}

#[inline(always)]
pub(super) fn inverse_sqrt(y: &mut [f32], x: &[f32]) {
    map(y, x, item::inverse_sqrt);
}
