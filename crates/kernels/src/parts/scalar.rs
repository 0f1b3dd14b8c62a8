//! The definition of conversions between real and complex.

use crate::elementwise::{map_on_lines, unzip_on_lines, zip_on_lines};
use crate::{C32, item};

#[inline(always)]
pub(super) fn complex_to_real(y: &mut [f32], x: &[C32]) {
    map_on_lines(y, x, item::complex_to_real);
}

#[inline(always)]
pub(super) fn complex_to_imag(y: &mut [f32], x: &[C32]) {
    map_on_lines(y, x, item::complex_to_imag);
}

#[inline(always)]
pub(super) fn real_to_complex(y: &mut [C32], re: &[f32]) {
    map_on_lines(y, re, item::real_to_complex);
}

#[inline(always)]
pub(super) fn interleave(y: &mut [C32], re: &[f32], im: &[f32]) {
    zip_on_lines(y, re, im, C32::new);
}

#[inline(always)]
pub(super) fn deinterleave(re: &mut [f32], im: &mut [f32], x: &[C32]) {
    unzip_on_lines(re, im, x, |x| (x.re, x.im));
}

#[inline(always)]
pub(super) fn complex_to_real_f64(y: &mut [f64], x: &[C32]) {
    map_on_lines(y, x, |x| f64::from(x.re));
}

#[inline(always)]
pub(super) fn deinterleave_f64(re: &mut [f64], im: &mut [f64], x: &[C32]) {
    unzip_on_lines(re, im, x, |x| (f64::from(x.re), f64::from(x.im)));
}

#[inline(always)]
pub(super) fn complex_to_real_i16_scaled(y: &mut [i16], x: &[C32], scale: f32) {
    map_on_lines(y, x, |x| item::f32_to_i16_scaled(x.re, scale));
}

#[inline(always)]
pub(super) fn interleave_i16_scaled(y: &mut [[i16; 2]], re: &[f32], im: &[f32], scale: f32) {
    zip_on_lines(y, re, im, |re, im| item::c32_to_i16_scaled(C32::new(re, im), scale));
}
