//! The definition of powers, in loops of their own: as closures, which cannot be `inline(always)`, they are too large
//! for the compiler to inline, and what is not inlined does not become vectors.

use crate::item;

#[inline(always)]
pub(super) fn power(y: &mut [f32], a: &[f32], b: &[f32]) {
    for ((y, &a), &b) in y.iter_mut().zip(a).zip(b) {
        *y = item::power(a, b);
    }
}

#[inline(always)]
pub(super) fn power_const(y: &mut [f32], x: &[f32], exponent: f32) {
    for (y, &x) in y.iter_mut().zip(x) {
        *y = item::power(x, exponent);
    }
}

#[inline(always)]
pub(super) fn power_fast(y: &mut [f32], a: &[f32], b: &[f32]) {
    for ((y, &a), &b) in y.iter_mut().zip(a).zip(b) {
        *y = item::power_fast(a, b);
    }
}
