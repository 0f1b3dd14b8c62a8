//! The definition of powers.

use crate::elementwise::{map, zip};
use crate::item;

#[inline(always)]
pub(super) fn power(y: &mut [f32], a: &[f32], b: &[f32]) {
    zip(y, a, b, item::power);
}

#[inline(always)]
pub(super) fn power_const(y: &mut [f32], x: &[f32], exponent: f32) {
    map(y, x, |x| item::power(x, exponent));
}
