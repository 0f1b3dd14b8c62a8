//! The definition of magnitudes.

use crate::elementwise::map_on_lines;
use crate::{C32, item};

#[inline(always)]
pub(super) fn magnitude(y: &mut [f32], x: &[C32]) {
    map_on_lines(y, x, item::magnitude);
}

#[inline(always)]
pub(super) fn magnitude_squared(y: &mut [f32], x: &[C32]) {
    map_on_lines(y, x, item::magnitude_squared);
}

#[inline(always)]
pub(super) fn magnitude_to_i16_scaled(y: &mut [i16], x: &[C32], scale: f32) {
    map_on_lines(y, x, |x| item::magnitude_to_i16_scaled(x, scale));
}

#[inline(always)]
pub(super) fn magnitude_i16(y: &mut [i16], x: &[[i16; 2]]) {
    map_on_lines(y, x, item::magnitude_i16);
}

#[inline(always)]
pub(super) fn magnitude_i16_to_f32_scaled(y: &mut [f32], x: &[[i16; 2]], scale: f32) {
    map_on_lines(y, x, |x| item::magnitude_i16_to_f32_scaled(x, scale));
}
