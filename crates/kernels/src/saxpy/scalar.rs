//! The definition of saxpy.

use crate::elementwise::{map, map_in_place};

/// Multiplies, rounds, adds, rounds: without a fused multiply-add, so that machines with and without one agree.
#[inline(always)]
fn item(x: f32, gain: f32, offset: f32) -> f32 {
    gain * x + offset
}

#[inline(always)]
pub(super) fn saxpy(y: &mut [f32], x: &[f32], gain: f32, offset: f32) {
    map(y, x, |x| item(x, gain, offset));
}

#[inline(always)]
pub(super) fn saxpy_in_place(x: &mut [f32], gain: f32, offset: f32) {
    map_in_place(x, |x| item(x, gain, offset));
}
