//! Sines, cosines and their inverses for one item.
//!
//! Coefficients are minimax fits of our own (Lawson's iteration on Chebyshev points), rounded to f32 one after the
//! other, each with a new fit of those that follow.
//!
//! What a select chooses from is computed before it. Where it were computed in the branches of an `if`, the compiler
//! might keep the branches, with a copy of all that comes after them in each.

use super::polynomial;
use crate::C32;
use std::f32::consts::{FRAC_PI_2, PI};

/// Beyond this, sines and their kin are NaN: an f64 no longer holds the phase as well as they promise.
const LARGEST_PHASE: f32 = (1u32 << 30) as f32;

/// What [`FRAC_PI_2`] has too much.
const FRAC_PI_2_EXCESS: f32 = 4.371139e-8;

/// `sin x`, x in radians.
#[inline(always)]
pub fn sin(x: f32) -> f32 {
    up_to_largest_phase(x, sin_of_half_turns(half_turns(x)))
}

/// `cos x`, x in radians.
#[inline(always)]
pub fn cos(x: f32) -> f32 {
    up_to_largest_phase(x, sin_of_half_turns(half_turns(x) + 0.5))
}

/// `cos x + j · sin x`, x in radians.
#[inline(always)]
pub fn expj(x: f32) -> C32 {
    C32::new(cos(x), sin(x))
}

/// `tan x`, x in radians.
#[inline(always)]
pub fn tan(x: f32) -> f32 {
    sin(x) / cos(x)
}

#[inline(always)]
fn half_turns(x: f32) -> f64 {
    f64::from(x) * std::f64::consts::FRAC_1_PI
}

#[inline(always)]
fn up_to_largest_phase(x: f32, y: f32) -> f32 {
    if x.abs() <= LARGEST_PHASE { y } else { f32::NAN }
}

/// `sin(π · half_turns)`:
///
/// 1. Adding 1.5 · 2⁵² leaves no room for a fraction: the addition itself rounds to whole half turns.
/// 2. What is left lies within ±0.5 and is exact in f64. After an odd number of half turns, its sign is the other one.
/// 3. A polynomial gives its sine.
#[inline(always)]
fn sin_of_half_turns(half_turns: f64) -> f32 {
    const ROOM_FOR_INTEGERS_ONLY: f64 = (3u64 << 51) as f64;
    const SIN: [f32; 5] = [1.1415926, -5.1677074, 2.550022, -0.59792095, 0.0768933];
    let rounded = half_turns + ROOM_FOR_INTEGERS_ONLY;
    let fraction = half_turns - (rounded - ROOM_FOR_INTEGERS_ONLY);
    let odd = rounded.to_bits() << 63;
    let fraction = f64::from_bits(fraction.to_bits() ^ odd) as f32;
    2.0 * fraction + fraction * polynomial(fraction * fraction, SIN)
}

/// `arcsin x`, in radians.
#[inline(always)]
pub fn asin(x: f32) -> f32 {
    let (beyond_half, angle) = asin_of_half(x);
    let beyond = FRAC_PI_2 - (2.0 * angle + FRAC_PI_2_EXCESS);
    (if beyond_half { beyond } else { angle }).copysign(x)
}

/// `arccos x`, in radians.
#[inline(always)]
pub fn acos(x: f32) -> f32 {
    let (beyond_half, angle) = asin_of_half(x);
    let twice = 2.0 * angle;
    let left = PI - (twice + 2.0 * FRAC_PI_2_EXCESS);
    let beyond = if x < 0.0 { left } else { twice };
    let near = FRAC_PI_2 - (angle.copysign(x) + FRAC_PI_2_EXCESS);
    if beyond_half { beyond } else { near }
}

/// Whether `|x| > ½`, and an arc sine: of `|x|`, or of `√((1 − |x|) / 2)` if it is, which is NaN beyond 1.
#[inline(always)]
fn asin_of_half(x: f32) -> (bool, f32) {
    const ASIN: [f32; 5] = [0.16666754, 0.07495249, 0.04547694, 0.0241449, 0.04222869];
    let x = x.abs();
    let beyond_half = x > 0.5;
    let (far, near) = (0.5 - 0.5 * x, x * x);
    let square = if beyond_half { far } else { near };
    let root = far.sqrt();
    let x = if beyond_half { root } else { x };
    (beyond_half, x + x * (square * polynomial(square, ASIN)))
}

/// `arctan x`, in radians.
#[inline(always)]
pub fn atan(x: f32) -> f32 {
    let up = x.abs();
    let smaller = if up < 1.0 { up } else { 1.0 };
    let larger = if up <= 1.0 { 1.0 } else { up };
    unfold(atan_of_octant(smaller / larger), up > 1.0, false).copysign(x)
}

/// The angle of `x + j · y` in radians, within ±π.
///
/// 1. `t = min / max` of the absolute parts lies in 0..=1: the first octant.
/// 2. A polynomial gives its arc tangent.
/// 3. Selects unfold the octant: about the diagonal, about the imaginary axis, about the real axis.
///
/// A NaN in either part goes through the comparisons into `t`. Two zeros are 0 / 1, two infinities count as equal.
#[inline(always)]
pub fn atan2(y: f32, x: f32) -> f32 {
    let (across, up) = (x.abs(), y.abs());
    let steep = up > across;
    let smaller = if steep { across } else { up };
    let larger = if steep { up } else { across };
    let larger = if larger == 0.0 { 1.0 } else { larger };
    let quotient = smaller / larger;
    let t = if smaller == larger { 1.0 } else { quotient };
    unfold(atan_of_octant(t), steep, x.is_sign_negative()).copysign(y)
}

/// The angle of `x` in radians, within ±π.
#[inline(always)]
pub fn complex_to_arg(x: C32) -> f32 {
    atan2(x.im, x.re)
}

/// `arctan t`, t in 0..=1.
#[inline(always)]
fn atan_of_octant(t: f32) -> f32 {
    const ATAN: [f32; 9] = [
        -0.333333,
        0.19998534,
        -0.14264102,
        0.10951506,
        -0.08401582,
        0.05792723,
        -0.031148937,
        0.0108996965,
        -0.0017904058,
    ];
    let square = t * t;
    t + t * (square * polynomial(square, ATAN))
}

/// The angle in the upper half plane that the first octant's stands for.
#[inline(always)]
fn unfold(angle: f32, steep: bool, left: bool) -> f32 {
    let complement = FRAC_PI_2 - (angle + FRAC_PI_2_EXCESS);
    let angle = if steep { complement } else { angle };
    let supplement = PI - (angle + 2.0 * FRAC_PI_2_EXCESS);
    if left { supplement } else { angle }
}
