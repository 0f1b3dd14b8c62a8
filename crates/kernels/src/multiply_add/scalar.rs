//! The definition of multiplication with addition.

use crate::elementwise::{zip_on_lines, zip3};
use crate::{C32, item};

#[inline(always)]
pub(super) fn multiply_add_f32(y: &mut [f32], a: &[f32], b: &[f32], c: &[f32]) {
    zip3(y, a, b, c, item::multiply_add_f32);
}

#[inline(always)]
pub(super) fn multiply_add_c32_f32(y: &mut [C32], a: &[C32], b: &[f32], c: &[C32]) {
    zip3(y, a, b, c, item::multiply_add_c32_f32);
}

#[inline(always)]
pub(super) fn multiply_conjugate_add_c32(y: &mut [C32], a: &[C32], b: &[C32], gain: C32) {
    zip_on_lines(y, a, b, |a, b| item::multiply_conjugate_add_c32(a, b, gain));
}
