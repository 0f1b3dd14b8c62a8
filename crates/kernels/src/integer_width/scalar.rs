//! The definition of conversions between widths of integers.

use crate::elementwise::map_on_lines;
use crate::item;

#[inline(always)]
pub(super) fn i8_to_i16(y: &mut [i16], x: &[i8]) {
    map_on_lines(y, x, item::i8_to_i16);
}

#[inline(always)]
pub(super) fn i16_to_i8(y: &mut [i8], x: &[i16]) {
    map_on_lines(y, x, item::i16_to_i8);
}
