//! The definition of multiplication.

use crate::elementwise::{zip_in_place_on_lines, zip_on_lines};
use crate::{C32, item};

#[inline(always)]
pub(super) fn multiply_f32(y: &mut [f32], a: &[f32], b: &[f32]) {
    zip_on_lines(y, a, b, |a, b| a * b);
}

#[inline(always)]
pub(super) fn multiply_f32_in_place(a: &mut [f32], b: &[f32]) {
    zip_in_place_on_lines(a, b, |a, b| a * b);
}

#[inline(always)]
pub(super) fn multiply_c32(y: &mut [C32], a: &[C32], b: &[C32]) {
    zip_on_lines(y, a, b, |a, b| a * b);
}

#[inline(always)]
pub(super) fn multiply_c32_in_place(a: &mut [C32], b: &[C32]) {
    zip_in_place_on_lines(a, b, |a, b| a * b);
}

#[inline(always)]
pub(super) fn multiply_c32_f32(y: &mut [C32], a: &[C32], b: &[f32]) {
    zip_on_lines(y, a, b, item::multiply_c32_f32);
}

#[inline(always)]
pub(super) fn multiply_c32_f32_in_place(a: &mut [C32], b: &[f32]) {
    zip_in_place_on_lines(a, b, item::multiply_c32_f32);
}
