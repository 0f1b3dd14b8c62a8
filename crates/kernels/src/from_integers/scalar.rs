//! The definition of conversions from integers.

use crate::elementwise::map;
use crate::{C32, floats_mut};

#[inline(always)]
pub(super) fn u8_to_f32(y: &mut [f32], x: &[u8]) {
    // The rounded reciprocal still takes the codes 0 and 255 to exactly -1 and 1.
    map(y, x, |x| (f32::from(x) - 127.5) * (1.0 / 127.5));
}

#[inline(always)]
pub(super) fn i8_to_f32(y: &mut [f32], x: &[i8]) {
    map(y, x, |x| f32::from(x) * (1.0 / 128.0));
}

#[inline(always)]
pub(super) fn i16_to_f32(y: &mut [f32], x: &[i16]) {
    map(y, x, |x| f32::from(x) * (1.0 / 32768.0));
}

#[inline(always)]
pub(super) fn u8_to_c32(y: &mut [C32], x: &[[u8; 2]]) {
    u8_to_f32(floats_mut(y), x.as_flattened());
}

#[inline(always)]
pub(super) fn i8_to_c32(y: &mut [C32], x: &[[i8; 2]]) {
    i8_to_f32(floats_mut(y), x.as_flattened());
}

#[inline(always)]
pub(super) fn i16_to_c32(y: &mut [C32], x: &[[i16; 2]]) {
    i16_to_f32(floats_mut(y), x.as_flattened());
}
