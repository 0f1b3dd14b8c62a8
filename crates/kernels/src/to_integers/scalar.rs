//! The definition of conversions to integers; how they round is in [`item`].

use crate::elementwise::map;
use crate::{C32, floats, item};

#[inline(always)]
pub(super) fn f32_to_u8(y: &mut [u8], x: &[f32]) {
    map(y, x, item::f32_to_u8);
}

#[inline(always)]
pub(super) fn f32_to_i8(y: &mut [i8], x: &[f32]) {
    map(y, x, item::f32_to_i8);
}

#[inline(always)]
pub(super) fn f32_to_i16(y: &mut [i16], x: &[f32]) {
    map(y, x, item::f32_to_i16);
}

#[inline(always)]
pub(super) fn c32_to_u8(y: &mut [[u8; 2]], x: &[C32]) {
    f32_to_u8(y.as_flattened_mut(), floats(x));
}

#[inline(always)]
pub(super) fn c32_to_i8(y: &mut [[i8; 2]], x: &[C32]) {
    f32_to_i8(y.as_flattened_mut(), floats(x));
}

#[inline(always)]
pub(super) fn c32_to_i16(y: &mut [[i16; 2]], x: &[C32]) {
    f32_to_i16(y.as_flattened_mut(), floats(x));
}
