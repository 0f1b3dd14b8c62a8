//! The definition of rotation.

use crate::C32;

#[inline(always)]
pub(super) fn rotate_c32(y: &mut [C32], x: &[C32], turns: &[C32], anchor: C32) {
    for ((y, &x), &turn) in y.iter_mut().zip(x).zip(turns) {
        *y = turn * (anchor * x);
    }
}

#[inline(always)]
pub(super) fn rotate_c32_in_place(x: &mut [C32], turns: &[C32], anchor: C32) {
    for (x, &turn) in x.iter_mut().zip(turns) {
        *x = turn * (anchor * *x);
    }
}
