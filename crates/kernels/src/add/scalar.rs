//! The definition of addition.

use crate::C32;
use crate::elementwise::{zip_in_place_on_lines, zip_on_lines};

#[inline(always)]
pub(super) fn add_f32(y: &mut [f32], a: &[f32], b: &[f32]) {
    zip_on_lines(y, a, b, |a, b| a + b);
}

#[inline(always)]
pub(super) fn add_f32_in_place(a: &mut [f32], b: &[f32]) {
    zip_in_place_on_lines(a, b, |a, b| a + b);
}

#[inline(always)]
pub(super) fn add_c32(y: &mut [C32], a: &[C32], b: &[C32]) {
    zip_on_lines(y, a, b, |a, b| a + b);
}

#[inline(always)]
pub(super) fn add_c32_in_place(a: &mut [C32], b: &[C32]) {
    zip_in_place_on_lines(a, b, |a, b| a + b);
}
