//! The definition of conversions between precisions.

use crate::elementwise::map_on_lines;
use crate::{C32, C64, doubles, doubles_mut, floats, floats_mut, item};

#[inline(always)]
pub(super) fn f32_to_f64(y: &mut [f64], x: &[f32]) {
    map_on_lines(y, x, item::f32_to_f64);
}

#[inline(always)]
pub(super) fn f64_to_f32(y: &mut [f32], x: &[f64]) {
    map_on_lines(y, x, item::f64_to_f32);
}

#[inline(always)]
pub(super) fn c32_to_c64(y: &mut [C64], x: &[C32]) {
    f32_to_f64(doubles_mut(y), floats(x));
}

#[inline(always)]
pub(super) fn c64_to_c32(y: &mut [C32], x: &[C64]) {
    f64_to_f32(floats_mut(y), doubles(x));
}
