//! The definition of conversions to integers.
//!
//! Written without float-to-int casts and without branches, so that LLVM makes vectors of it on any machine:
//!
//! 1. NaN becomes 0, by a select.
//! 2. Saturation happens on floats, by two selects.
//! 3. Adding 1.5 · 2²³ leaves no room for a fraction: the addition itself rounds half to even, and the low bits of
//!    the sum are the integer in two's complement.

use crate::elementwise::map;
use crate::{C32, floats};

/// Rounds half to even and saturates to `lowest..=highest`, both within ±2²²; the integer is in the low bits.
#[inline(always)]
fn round(x: f32, lowest: f32, highest: f32) -> u32 {
    const ROOM_FOR_INTEGERS_ONLY: f32 = (3 << 22) as f32;
    let x = if x < highest { x } else { highest };
    let x = if x > lowest { x } else { lowest };
    (x + ROOM_FOR_INTEGERS_ONLY).to_bits()
}

#[inline(always)]
fn nan_to_zero(x: f32) -> f32 {
    if x.is_nan() { 0.0 } else { x }
}

#[inline(always)]
pub(super) fn f32_to_u8(y: &mut [u8], x: &[f32]) {
    map(y, x, |x| round(nan_to_zero(x) * 127.5 + 127.5, 0.0, 255.0) as u8);
}

#[inline(always)]
pub(super) fn f32_to_i8(y: &mut [i8], x: &[f32]) {
    map(y, x, |x| round(nan_to_zero(x) * 128.0, -128.0, 127.0) as i8);
}

#[inline(always)]
pub(super) fn f32_to_i16(y: &mut [i16], x: &[f32]) {
    map(y, x, |x| round(nan_to_zero(x) * 32768.0, -32768.0, 32767.0) as i16);
}

#[inline(always)]
pub(super) fn c32_to_u8(y: &mut [[u8; 2]], x: &[C32]) {
    f32_to_u8(y.as_flattened_mut(), floats(x));
}

#[inline(always)]
pub(super) fn c32_to_i8(y: &mut [[i8; 2]], x: &[C32]) {
    f32_to_i8(y.as_flattened_mut(), floats(x));
}

#[inline(always)]
pub(super) fn c32_to_i16(y: &mut [[i16; 2]], x: &[C32]) {
    f32_to_i16(y.as_flattened_mut(), floats(x));
}
