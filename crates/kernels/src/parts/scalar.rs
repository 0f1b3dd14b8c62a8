//! The definition of conversions between real and complex.

use crate::C32;
use crate::elementwise::{map, zip};

#[inline(always)]
pub(super) fn complex_to_real(y: &mut [f32], x: &[C32]) {
    map(y, x, |x| x.re);
}

#[inline(always)]
pub(super) fn complex_to_imag(y: &mut [f32], x: &[C32]) {
    map(y, x, |x| x.im);
}

#[inline(always)]
pub(super) fn real_to_complex(y: &mut [C32], re: &[f32]) {
    map(y, re, |re| C32::new(re, 0.0));
}

#[inline(always)]
pub(super) fn interleave(y: &mut [C32], re: &[f32], im: &[f32]) {
    zip(y, re, im, C32::new);
}
