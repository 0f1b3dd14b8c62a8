//! The definition of logarithms.

use crate::elementwise::map;
use crate::item;

#[inline(always)]
pub(super) fn ln(y: &mut [f32], x: &[f32]) {
    map(y, x, item::ln);
}

#[inline(always)]
pub(super) fn log2(y: &mut [f32], x: &[f32]) {
    map(y, x, item::log2);
}

#[inline(always)]
pub(super) fn log10(y: &mut [f32], x: &[f32]) {
    map(y, x, item::log10);
}

#[inline(always)]
pub(super) fn log2_fast(y: &mut [f32], x: &[f32]) {
    map(y, x, item::log2_fast);
}
