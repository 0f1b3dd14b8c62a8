//! Functions for one item that give fewer digits in less time.
//!
//! Products and the sums after them are rounded once, by fused multiply-adds: half as many instructions, and the same bits
//! everywhere. Processors without them, and so the `scalar` variants on x86, go through a function of the C library for each:
//! there the accurate functions are the faster ones.
//!
//! Coefficients are minimax fits of our own (Lawson's iteration on Chebyshev points), rounded to f32.

use super::clamp_f32;
use super::exponential::{ROOM_FOR_INTEGERS_ONLY, integer, scale_by_power_of_2};
use super::logarithm::{logarithm, split_within};
use std::f32::consts::LN_2;

/// `Σ c[k] · xᵏ` by Horner's scheme.
#[inline(always)]
fn polynomial<const N: usize>(x: f32, c: [f32; N]) -> f32 {
    let mut sum = c[N - 1];
    for k in (0..N - 1).rev() {
        sum = sum.mul_add(x, c[k]);
    }
    sum
}

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

/// `tanh x` to 2e-6: a quotient of polynomials of x², and its value at 7 beyond that, where it has not passed 1.
#[inline(always)]
pub fn tanh_fast(x: f32) -> f32 {
    const ABOVE: [f32; 4] = [6945.2007, 855.7921, 15.92596, 0.027752073];
    /// The last coefficient is 1.
    const BELOW: [f32; 3] = [6945.208, 3170.8076, 146.90227];
    let x = clamp_f32(x, -7.0, 7.0);
    let square = x * x;
    let below = (square + BELOW[2]).mul_add(square, BELOW[1]).mul_add(square, BELOW[0]);
    (x * polynomial(square, ABOVE)) / below
}

/// The lowest `1 + f` of a fast logarithm: what processors that take numbers apart offer.
const LOWEST: f32 = 0.75;

/// Coefficients of `log₂(1 + f) ≈ f · Σ c[k] · fᵏ` with `1 + f` within ¾..1½, to 8e-6 of itself.
pub(crate) const LOG2_FAST: [f32; 6] = [1.4426914, -0.7211709, 0.48124748, -0.369523, 0.2951437, -0.1522473];

/// `log₂ x` to 5e-6 and to 1.1e-5 of itself.
#[inline(always)]
pub fn log2_fast(x: f32) -> f32 {
    let (n, f) = split_within(x, LOWEST);
    logarithm(x, f.mul_add(polynomial(f, LOG2_FAST), n))
}

/// Coefficients of `2ʳ ≈ 1 + r · Σ c[k] · rᵏ` for `|r| ≤ ½`.
pub(crate) const EXP2_FAST: [f32; 5] = [LN_2, 0.24022283, 0.055505585, 0.009669691, 0.0013300605];

/// Beyond these, a power is 0 or infinite.
pub(crate) const EXPONENTS: [f32; 2] = [-160.0, 130.0];

/// `xʸ` of `x ≥ 0`: `2ᵗ` with `t = y · log₂ x`.
#[inline(always)]
pub fn power_fast(x: f32, y: f32) -> f32 {
    let t = clamp_f32(y * log2_fast(x), EXPONENTS[0], EXPONENTS[1]);
    let rounded = t + ROOM_FOR_INTEGERS_ONLY;
    let r = t - (rounded - ROOM_FOR_INTEGERS_ONLY);
    let power = scale_by_power_of_2(r.mul_add(polynomial(r, EXP2_FAST), 1.0), integer(rounded));
    if (y == 0.0) | (x == 1.0) { 1.0 } else { power }
}
