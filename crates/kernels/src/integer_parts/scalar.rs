//! The definition of parts of integer IQ.

use crate::elementwise::{map_on_lines, unzip_on_lines, zip_on_lines};
use crate::item;

#[inline(always)]
pub(super) fn interleave_i8(y: &mut [[i8; 2]], re: &[i8], im: &[i8]) {
    zip_on_lines(y, re, im, |re, im| [re, im]);
}

#[inline(always)]
pub(super) fn interleave_i16(y: &mut [[i16; 2]], re: &[i16], im: &[i16]) {
    zip_on_lines(y, re, im, |re, im| [re, im]);
}

#[inline(always)]
pub(super) fn deinterleave_i8(re: &mut [i8], im: &mut [i8], x: &[[i8; 2]]) {
    unzip_on_lines(re, im, x, |[re, im]| (re, im));
}

#[inline(always)]
pub(super) fn deinterleave_i16(re: &mut [i16], im: &mut [i16], x: &[[i16; 2]]) {
    unzip_on_lines(re, im, x, |[re, im]| (re, im));
}

#[inline(always)]
pub(super) fn deinterleave_i8_to_i16(re: &mut [i16], im: &mut [i16], x: &[[i8; 2]]) {
    unzip_on_lines(re, im, x, |[re, im]| (item::i8_to_i16(re), item::i8_to_i16(im)));
}

#[inline(always)]
pub(super) fn deinterleave_i8_to_f32_scaled(re: &mut [f32], im: &mut [f32], x: &[[i8; 2]], scale: f32) {
    unzip_on_lines(re, im, x, |[re, im]| {
        (item::i8_to_f32_scaled(re, scale), item::i8_to_f32_scaled(im, scale))
    });
}

#[inline(always)]
pub(super) fn deinterleave_i16_to_f32_scaled(re: &mut [f32], im: &mut [f32], x: &[[i16; 2]], scale: f32) {
    unzip_on_lines(re, im, x, |[re, im]| {
        (item::i16_to_f32_scaled(re, scale), item::i16_to_f32_scaled(im, scale))
    });
}

#[inline(always)]
pub(super) fn real_i8(y: &mut [i8], x: &[[i8; 2]]) {
    map_on_lines(y, x, |x| x[0]);
}

#[inline(always)]
pub(super) fn real_i16(y: &mut [i16], x: &[[i16; 2]]) {
    map_on_lines(y, x, |x| x[0]);
}

#[inline(always)]
pub(super) fn real_i8_to_i16(y: &mut [i16], x: &[[i8; 2]]) {
    map_on_lines(y, x, |x| item::i8_to_i16(x[0]));
}

#[inline(always)]
pub(super) fn real_i16_to_i8(y: &mut [i8], x: &[[i16; 2]]) {
    map_on_lines(y, x, |x| item::i16_to_i8(x[0]));
}

#[inline(always)]
pub(super) fn real_i8_to_f32_scaled(y: &mut [f32], x: &[[i8; 2]], scale: f32) {
    map_on_lines(y, x, |x| item::i8_to_f32_scaled(x[0], scale));
}

#[inline(always)]
pub(super) fn real_i16_to_f32_scaled(y: &mut [f32], x: &[[i16; 2]], scale: f32) {
    map_on_lines(y, x, |x| item::i16_to_f32_scaled(x[0], scale));
}
