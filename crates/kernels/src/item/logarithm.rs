//! Logarithms for one item.
//!
//! Coefficients are minimax fits of our own (Lawson's iteration on Chebyshev points), rounded to f32 one after the
//! other, each with a new fit of those that follow.

use super::polynomial;
use crate::C32;

/// `ln 2`, in a part whose multiples up to 2¹² are exact, and the rest.
pub(crate) const LN_2: [f32; 2] = [2839.0 / 4096.0, 3.1946184e-5];

/// `log₁₀ 2`, as [`LN_2`].
pub(crate) const LOG10_2: [f32; 2] = [0.30078125, 0.00024874583];

/// `x = 2ⁿ · (1 + f)` of a positive number, with `1 + f` within √½..√2.
#[inline(always)]
pub(super) fn split(x: f32) -> (f32, f32) {
    split_within(x, std::f32::consts::FRAC_1_SQRT_2)
}

/// As [`split`], with `1 + f` within `lowest..2 · lowest`.
#[inline(always)]
pub(super) fn split_within(x: f32, lowest: f32) -> (f32, f32) {
    let subnormal = x < f32::MIN_POSITIVE;
    let scaled = if subnormal { x * (1 << 23) as f32 } else { x };
    let bias = if subnormal { -23.0 } else { 0.0 };
    let (n, f) = split_normal(scaled, lowest);
    (n + bias, f)
}

/// As [`split_within`], of a positive number that is not subnormal.
#[inline(always)]
fn split_normal(x: f32, lowest: f32) -> (f32, f32) {
    const MANTISSA: u32 = (1 << 23) - 1;
    let offset = x.to_bits().wrapping_sub(lowest.to_bits());
    let mantissa = f32::from_bits((offset & MANTISSA).wrapping_add(lowest.to_bits()));
    ((offset as i32 >> 23) as f32, mantissa - 1.0)
}

/// `y`, or the logarithm of an `x` that is not positive and finite.
#[inline(always)]
pub(super) fn logarithm(x: f32, y: f32) -> f32 {
    let bits = x.to_bits();
    // The sign bit spread over all bits is a NaN; without it, infinity and NaN are their own logarithms.
    let special = f32::from_bits(bits | ((bits as i32) >> 31) as u32);
    let y = if bits < f32::INFINITY.to_bits() { y } else { special };
    if x == 0.0 { f32::NEG_INFINITY } else { y }
}

/// Coefficients of `ln(1 + f) ≈ f + f² · Σ c[k] · fᵏ`.
pub(crate) const LN: [f32; 9] = [
    -0.49999988,
    0.33333325,
    -0.250016,
    0.2000201,
    -0.16608763,
    0.14180955,
    -0.13244481,
    0.12910338,
    -0.07625623,
];

/// `ln x`.
#[inline(always)]
pub fn ln(x: f32) -> f32 {
    let (n, f) = split(x);
    let y = f + f * (f * polynomial(f, LN));
    logarithm(x, n * LN_2[0] + (y + n * LN_2[1]))
}

/// Coefficients of `log₂(1 + f) ≈ f + f · Σ c[k] · fᵏ`.
pub(crate) const LOG2: [f32; 10] = [
    0.44269505,
    -0.7213475,
    0.48089662,
    -0.36068305,
    0.2886139,
    -0.23993465,
    0.20421524,
    -0.18844944,
    0.18667018,
    -0.11576173,
];

/// `log₂ x`.
#[inline(always)]
pub fn log2(x: f32) -> f32 {
    let (n, f) = split(x);
    let y = f + f * polynomial(f, LOG2);
    logarithm(x, n + y)
}

/// Coefficients of `log₁₀(1 + f) ≈ ½ f + f · Σ c[k] · fᵏ`.
pub(crate) const LOG10: [f32; 10] = [
    -0.065705515,
    -0.21714725,
    0.14476454,
    -0.10857663,
    0.08687237,
    -0.0722109,
    0.06158717,
    -0.056964956,
    0.055759102,
    -0.033882644,
];

/// `log₁₀ x`.
#[inline(always)]
pub fn log10(x: f32) -> f32 {
    let (n, f) = split(x);
    let y = 0.5 * f + f * polynomial(f, LOG10);
    logarithm(x, n * LOG10_2[0] + (y + n * LOG10_2[1]))
}

/// Decibels of a factor of 2.
pub(crate) const DB_OF_2: f32 = 3.0103;

/// Coefficients of `10 · log₁₀(1 + f) ≈ f · Σ c[k] · fᵏ` with `1 + f` within ¾..1½, to 7e-6.
pub(crate) const DB: [f32; 6] = [4.3429046, -2.1707108, 1.4498914, -1.1170264, 0.88124853, -0.43710992];

/// `10 · log₁₀ power + offset_db`, not less than `floor_db`.
#[inline(always)]
pub fn power_to_db(power: f32, offset_db: f32, floor_db: f32) -> f32 {
    let normal = if power < f32::MIN_POSITIVE { f32::MIN_POSITIVE } else { power };
    let (n, f) = split_normal(normal, 0.75);
    let db = n * DB_OF_2 + f * polynomial(f, DB);
    // Infinity and NaN are their own levels.
    let db = if normal.to_bits() < f32::INFINITY.to_bits() { db } else { normal };
    let db = db + offset_db;
    if db < floor_db { floor_db } else { db }
}

/// `10 · log₁₀ |x|² + offset_db`, not less than `floor_db`.
#[inline(always)]
pub fn complex_to_db(x: C32, offset_db: f32, floor_db: f32) -> f32 {
    power_to_db(super::magnitude_squared(x), offset_db, floor_db)
}

/// `log₂ |x|`.
#[inline(always)]
pub fn complex_to_log2(x: C32) -> f32 {
    0.5 * log2(super::magnitude_squared(x))
}
