//! The definition of square roots.

use crate::elementwise::map_on_lines;
use crate::item;

#[inline(always)]
pub(super) fn sqrt(y: &mut [f32], x: &[f32]) {
    map_on_lines(y, x, f32::sqrt);
}

#[inline(always)]
pub(super) fn inverse_sqrt(y: &mut [f32], x: &[f32]) {
    map_on_lines(y, x, item::inverse_sqrt);
}

/// With the estimates of four items at once, which every processor of this architecture has.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn inverse_sqrt_fast(y: &mut [f32], x: &[f32]) {
    let estimates = |y: &mut [f32; 4], x: &[f32; 4]| *y = crate::x86::inverse_sqrt_estimates(*x);
    let (y, x) = crate::x86::map_rounds(y, x, estimates);
    map_on_lines(y, x, item::inverse_sqrt_fast);
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(super) fn inverse_sqrt_fast(y: &mut [f32], x: &[f32]) {
    map_on_lines(y, x, item::inverse_sqrt_fast);
}
