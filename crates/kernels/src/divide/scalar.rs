//! The definition of division.

use crate::elementwise::{map_on_lines, zip_in_place_on_lines, zip_on_lines};
use crate::{C32, item};

#[inline(always)]
pub(super) fn divide_f32(y: &mut [f32], a: &[f32], b: &[f32]) {
    zip_on_lines(y, a, b, |a, b| a / b);
}

#[inline(always)]
pub(super) fn divide_f32_in_place(a: &mut [f32], b: &[f32]) {
    zip_in_place_on_lines(a, b, |a, b| a / b);
}

#[inline(always)]
pub(super) fn divide_c32(y: &mut [C32], a: &[C32], b: &[C32]) {
    zip_on_lines(y, a, b, item::divide_c32);
}

#[inline(always)]
pub(super) fn divide_c32_in_place(a: &mut [C32], b: &[C32]) {
    zip_in_place_on_lines(a, b, item::divide_c32);
}

#[inline(always)]
pub(super) fn reciprocal(y: &mut [f32], x: &[f32]) {
    map_on_lines(y, x, f32::recip);
}
