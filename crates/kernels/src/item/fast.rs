//! Functions for one item that trade digits for speed.
//!
//! Coefficients are minimax fits of our own (Lawson's iteration on Chebyshev points), rounded to f32.

use super::exponential::{ROOM_FOR_INTEGERS_ONLY, integer, scale_by_power_of_2};
use super::logarithm::{logarithm, split_within};
use super::{clamp_f32, polynomial};

/// `1 / √x` to 3.7e-4, by the processor's own estimate; subnormal numbers count as zeros.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub fn inverse_sqrt_fast(x: f32) -> f32 {
    crate::x86::inverse_sqrt_estimates([x; 4])[0]
}

/// `1 / √x` to 3.7e-4; subnormal numbers count as zeros.
///
/// Half of the bits, subtracted from a constant, are a root that is right to 3.5 %, since the bits of a number are about its
/// logarithm. A polynomial of what is left of `x · root²` makes it right to 3e-5.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub fn inverse_sqrt_fast(x: f32) -> f32 {
    const INVERSE_SQRT: [f32; 3] = [1.8766228, -1.2521493, 0.37552678];
    let root = f32::from_bits(0x5f37_59df_u32.wrapping_sub(x.to_bits() >> 1));
    let y = root * polynomial(x * (root * root), INVERSE_SQRT);
    let y = if x > f32::MAX { 0.0 } else { y };
    let y = if x >= 0.0 { y } else { f32::NAN };
    if x.abs() < f32::MIN_POSITIVE { f32::INFINITY.copysign(x) } else { y }
}

/// `tanh x` to 6e-7: a quotient of polynomials of x², which from 8 on is 1.
#[inline(always)]
pub fn tanh_fast(x: f32) -> f32 {
    const ABOVE: [f32; 4] = [0.99999985, 0.12925662, 0.0029510232, 1.1428418e-5];
    const BELOW: [f32; 5] = [1.0, 0.4625888, 0.023815552, 0.00023866909, 2.4592092e-7];
    let x = clamp_f32(x, -8.0, 8.0);
    let square = x * x;
    (x * polynomial(square, ABOVE)) / polynomial(square, BELOW)
}

/// The lowest `1 + f` of a fast logarithm: what processors that take numbers apart offer.
const LOWEST: f32 = 0.75;

/// Coefficients of `log₂(1 + f) ≈ f · Σ c[k] · fᵏ` with `1 + f` within ¾..1½, to 8e-6 of itself.
pub(crate) const LOG2_FAST: [f32; 6] = [1.4426914, -0.72117093, 0.4812475, -0.369523, 0.2951437, -0.1522473];

/// `log₂ x` to 5e-6 and to 1.1e-5 of itself.
#[inline(always)]
pub fn log2_fast(x: f32) -> f32 {
    let (n, f) = split_within(x, LOWEST);
    logarithm(x, n + f * polynomial(f, LOG2_FAST))
}

/// Coefficients of `2ʳ ≈ 1 + r · Σ c[k] · rᵏ` for `|r| ≤ ½`.
pub(crate) const EXP2_FAST: [f32; 5] = [0.693147, 0.24022242, 0.05550734, 0.00967151, 0.00132647];

/// Beyond these, a power is 0 or infinite.
pub(crate) const EXPONENTS: [f32; 2] = [-160.0, 130.0];

/// `xʸ` of `x ≥ 0`: `2ᵗ` with `t = y · log₂ x`.
#[inline(always)]
pub fn power_fast(x: f32, y: f32) -> f32 {
    let t = clamp_f32(y * log2_fast(x), EXPONENTS[0], EXPONENTS[1]);
    let rounded = t + ROOM_FOR_INTEGERS_ONLY;
    let r = t - (rounded - ROOM_FOR_INTEGERS_ONLY);
    let power = scale_by_power_of_2(1.0 + r * polynomial(r, EXP2_FAST), integer(rounded));
    if (y == 0.0) | (x == 1.0) { 1.0 } else { power }
}
