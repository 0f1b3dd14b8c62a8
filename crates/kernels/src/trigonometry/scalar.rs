//! The definition of trigonometric functions.

use crate::elementwise::map;
use crate::{C32, item};

#[inline(always)]
pub(super) fn sin(y: &mut [f32], x: &[f32]) {
    map(y, x, item::sin);
}

#[inline(always)]
pub(super) fn cos(y: &mut [f32], x: &[f32]) {
    map(y, x, item::cos);
}

#[inline(always)]
pub(super) fn tan(y: &mut [f32], x: &[f32]) {
    map(y, x, item::tan);
}

#[inline(always)]
pub(super) fn expj(y: &mut [C32], x: &[f32]) {
    map(y, x, item::expj);
}
