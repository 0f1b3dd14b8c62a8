//! The definition of conjugation.

use crate::elementwise::{map_in_place_on_lines, map_on_lines};
use crate::{C32, item};

#[inline(always)]
pub(super) fn conjugate(y: &mut [C32], x: &[C32]) {
    map_on_lines(y, x, item::conjugate);
}

#[inline(always)]
pub(super) fn conjugate_in_place(x: &mut [C32]) {
    map_in_place_on_lines(x, item::conjugate);
}
