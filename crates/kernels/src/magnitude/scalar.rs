//! The definition of magnitudes.

use crate::C32;
use crate::elementwise::map;

#[inline(always)]
pub(super) fn magnitude(y: &mut [f32], x: &[C32]) {
    map(y, x, |x| x.norm_sqr().sqrt());
}

#[inline(always)]
pub(super) fn magnitude_squared(y: &mut [f32], x: &[C32]) {
    map(y, x, |x| x.norm_sqr());
}
