//! The definition of conjugation.

use crate::C32;
use crate::elementwise::{map, map_in_place};

#[inline(always)]
pub(super) fn conjugate(y: &mut [C32], x: &[C32]) {
    map(y, x, |x| x.conj());
}

#[inline(always)]
pub(super) fn conjugate_in_place(x: &mut [C32]) {
    map_in_place(x, |x| x.conj());
}
