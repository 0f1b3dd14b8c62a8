//! The definition of conjugation.

use crate::elementwise::{map, map_in_place};
use crate::{C32, item};

#[inline(always)]
pub(super) fn conjugate(y: &mut [C32], x: &[C32]) {
    map(y, x, item::conjugate);
}

#[inline(always)]
pub(super) fn conjugate_in_place(x: &mut [C32]) {
    map_in_place(x, item::conjugate);
}
