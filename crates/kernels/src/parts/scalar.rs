//! The definition of conversions between real and complex.

use crate::elementwise::{map, zip};
use crate::{C32, item};

#[inline(always)]
pub(super) fn complex_to_real(y: &mut [f32], x: &[C32]) {
    map(y, x, item::complex_to_real);
}

#[inline(always)]
pub(super) fn complex_to_imag(y: &mut [f32], x: &[C32]) {
    map(y, x, item::complex_to_imag);
}

#[inline(always)]
pub(super) fn real_to_complex(y: &mut [C32], re: &[f32]) {
    map(y, re, item::real_to_complex);
}

#[inline(always)]
pub(super) fn interleave(y: &mut [C32], re: &[f32], im: &[f32]) {
    zip(y, re, im, C32::new);
}
