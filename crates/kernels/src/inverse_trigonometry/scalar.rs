//! The definition of inverse trigonometric functions.

use crate::elementwise::{map, zip};
use crate::{C32, item};

#[inline(always)]
pub(super) fn asin(y: &mut [f32], x: &[f32]) {
    map(y, x, item::asin);
}

#[inline(always)]
pub(super) fn acos(y: &mut [f32], x: &[f32]) {
    map(y, x, item::acos);
}

#[inline(always)]
pub(super) fn atan(y: &mut [f32], x: &[f32]) {
    map(y, x, item::atan);
}

#[inline(always)]
pub(super) fn atan2(y: &mut [f32], a: &[f32], b: &[f32]) {
    zip(y, a, b, item::atan2);
}

#[inline(always)]
pub(super) fn complex_to_arg(y: &mut [f32], x: &[C32]) {
    map(y, x, item::complex_to_arg);
}
