//! Exponentials for one item.
//!
//! Coefficients are minimax fits of our own (Lawson's iteration on Chebyshev points), rounded to f32 one after the
//! other, each with a new fit of those that follow.

use super::logarithm::LN_2;
use super::{clamp_f32, polynomial};
use std::f32::consts::LOG2_E;

/// Adding this leaves no room for a fraction: the addition itself rounds, and the integer is in the low bits.
pub(super) const ROOM_FOR_INTEGERS_ONLY: f32 = (3 << 22) as f32;

/// Coefficients of `eʳ ≈ 1 + r + r² · Σ c[k] · rᵏ` for `|r| ≤ ln 2 / 2`.
const EXP: [f32; 5] = [0.49999994, 0.16666517, 0.041668285, 0.00836925, 0.0013820468];

/// `eˣ`: `2ⁿ · eʳ`.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    // Beyond these, the result is 0 or infinity anyway, and n would not fit.
    let (n, r) = reduce_exponent(clamp_f32(x, -104.0, 89.0));
    scale_by_power_of_2(1.0 + (r + r * r * polynomial(r, EXP)), n)
}

/// `x = n · ln 2 + r` with `|r| ≤ ln 2 / 2`.
#[inline(always)]
fn reduce_exponent(x: f32) -> (i32, f32) {
    let rounded = x * LOG2_E + ROOM_FOR_INTEGERS_ONLY;
    let n = rounded - ROOM_FOR_INTEGERS_ONLY;
    (integer(rounded), (x - n * LN_2[0]) - n * LN_2[1])
}

/// The integer that [`ROOM_FOR_INTEGERS_ONLY`] was added to.
#[inline(always)]
pub(super) fn integer(rounded: f32) -> i32 {
    rounded.to_bits().wrapping_sub(ROOM_FOR_INTEGERS_ONLY.to_bits()) as i32
}

/// `2ⁿ · x`, rounded once, for n within ±252.
#[inline(always)]
pub(super) fn scale_by_power_of_2(x: f32, n: i32) -> f32 {
    let half = n >> 1;
    // Only the second step can leave the normal numbers: it alone rounds.
    x * power_of_2(half) * power_of_2(n.wrapping_sub(half))
}

/// `2ⁿ` of normal numbers.
#[inline(always)]
fn power_of_2(n: i32) -> f32 {
    f32::from_bits((n.wrapping_add(127) << 23) as u32)
}

/// `tanh x = z / (z + 2)` with `z = exp(2 |x|) − 1 = (2ⁿ − 1) + 2ⁿ · (eʳ − 1)`, which loses no digits of small x.
#[inline(always)]
pub fn tanh(x: f32) -> f32 {
    // From 9.02 on, the result is 1 anyway.
    let x_abs = if x.abs() > 10.0 { 10.0 } else { x.abs() };
    let (n, r) = reduce_exponent(2.0 * x_abs);
    let scale = power_of_2(n);
    let z = (scale - 1.0) + scale * (r + r * r * polynomial(r, EXP));
    (z / (z + 2.0)).copysign(x)
}
