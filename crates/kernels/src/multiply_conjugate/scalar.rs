//! The definition of multiplication by conjugates.

use crate::C32;
use crate::elementwise::{zip_in_place_on_lines, zip_on_lines};

#[inline(always)]
fn item(a: C32, b: C32) -> C32 {
    C32::new(a.re * b.re + a.im * b.im, a.im * b.re - a.re * b.im)
}

#[inline(always)]
pub(super) fn multiply_conjugate_c32(y: &mut [C32], a: &[C32], b: &[C32]) {
    zip_on_lines(y, a, b, item);
}

#[inline(always)]
pub(super) fn multiply_conjugate_c32_in_place(a: &mut [C32], b: &[C32]) {
    zip_in_place_on_lines(a, b, item);
}
