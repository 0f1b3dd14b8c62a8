//! Powers for one item.

use super::exponential::{ROOM_FOR_INTEGERS_ONLY, integer, scale_by_power_of_2};
use super::logarithm::{LOG2, split};
use super::{clamp_f32, polynomial};
use std::f32::consts::LN_2;

/// `xʸ`: `2ᵗ` with `t = y · (n + log₂(1 + f))`.
///
/// The whole part of the logarithm is an integer: its product with the leading bits of y is exact, and so is what the
/// nearest integer leaves of that. Only the logarithm of `1 + f` passes its rounding on.
#[inline(always)]
pub fn power(x: f32, y: f32) -> f32 {
    const EXP2: [f32; 6] = [LN_2, 0.24022648, 0.055503596, 0.009618499, 0.001339097, 0.0001532931];
    /// Powers of anything but ±1 with such an exponent are 0 or infinity.
    const LARGEST: f32 = 1e30;
    const LEADING_BITS: u32 = 0xffff_f000;
    const INFINITY: u32 = f32::INFINITY.to_bits();
    const ROOM_FOR_INTEGERS: f32 = (1 << 23) as f32;
    let magnitude = x.abs();
    let (n, f) = split(magnitude);
    let log2 = f + f * polynomial(f, LOG2);

    let factor = clamp_f32(y, -LARGEST, LARGEST);
    let leading = f32::from_bits(factor.to_bits() & LEADING_BITS);
    let coarse = leading * n;
    let fine = (factor - leading) * n + factor * log2;
    let rounded = clamp_f32(coarse + fine, -160.0, 130.0) + ROOM_FOR_INTEGERS_ONLY;
    let r = clamp_f32((coarse - (rounded - ROOM_FOR_INTEGERS_ONLY)) + fine, -1.0, 1.0);
    let power = scale_by_power_of_2(1.0 + r * polynomial(r, EXP2), integer(rounded));

    // Zero and infinity change places if y is negative; what becomes of the bits of a NaN is a NaN.
    let bits = magnitude.to_bits();
    let special = f32::from_bits(if y < 0.0 { INFINITY.wrapping_sub(bits) } else { bits });
    let power = if bits.wrapping_sub(1) < INFINITY - 1 { power } else { special };

    // A negative x needs a whole y, which halves leave a half or nothing of. From 2²⁴ on, all y are even.
    let half = clamp_f32(0.5 * y.abs(), 0.25, ROOM_FOR_INTEGERS);
    let left = (half - ((half + ROOM_FOR_INTEGERS) - ROOM_FOR_INTEGERS)).abs();
    let odd = left == 0.5;
    let undefined = (x < 0.0) & (bits < INFINITY) & (left != 0.0) & !odd | y.is_nan();
    let sign = if odd { x.to_bits() ^ bits } else { 0 };
    let power = f32::from_bits(power.to_bits() | sign);
    let power = if undefined { f32::NAN } else { power };
    if (y == 0.0) | (x == 1.0) { 1.0 } else { power }
}
