//! The definition of exponentials.

use crate::elementwise::map;
use crate::item;

#[inline(always)]
pub(super) fn exp(y: &mut [f32], x: &[f32]) {
    map(y, x, item::exp);
}

#[inline(always)]
pub(super) fn tanh(y: &mut [f32], x: &[f32]) {
    map(y, x, item::tanh);
}

#[inline(always)]
pub(super) fn tanh_fast(y: &mut [f32], x: &[f32]) {
    map(y, x, item::tanh_fast);
}
