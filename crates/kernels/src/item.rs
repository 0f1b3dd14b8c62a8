//! The definition of each elementwise op, for one item.
//!
//! The op of the same name does this to slices, with the same bits (NaNs count as the same); its contract has the units
//! and the accuracy. Put together in an [`ItemFunction`](crate::ItemFunction), several of them run in one loop.
//!
//! ```
//! use superhet_kernels::{C32, item};
//! let power = item::magnitude_squared(C32::new(3.0, -4.0));
//! assert_eq!(item::saxpy(power, 2.0, 0.5), 50.5);
//! ```

mod exponential;
pub(crate) mod logarithm;
mod power;
mod trigonometry;

pub use exponential::*;
pub use logarithm::*;
pub use power::*;
pub use trigonometry::*;

use crate::C32;

/// `gain · x + offset`: multiplies, rounds, adds, rounds; without a fused multiply-add, so that machines with and
/// without one agree.
#[inline(always)]
pub fn saxpy(x: f32, gain: f32, offset: f32) -> f32 {
    gain * x + offset
}

/// `x + offset`.
#[inline(always)]
pub fn add_const_f32(x: f32, offset: f32) -> f32 {
    x + offset
}

/// `x + offset`.
#[inline(always)]
pub fn add_const_c32(x: C32, offset: C32) -> C32 {
    x + offset
}

/// `gain · x`.
#[inline(always)]
pub fn multiply_const_f32(x: f32, gain: f32) -> f32 {
    x * gain
}

/// `gain · x`.
#[inline(always)]
pub fn multiply_const_c32(x: C32, gain: C32) -> C32 {
    x * gain
}

/// `re x − j · im x`.
#[inline(always)]
pub fn conjugate(x: C32) -> C32 {
    x.conj()
}

/// `√(re² + im²)`.
#[inline(always)]
pub fn magnitude(x: C32) -> f32 {
    magnitude_squared(x).sqrt()
}

/// `re² + im²`.
#[inline(always)]
pub fn magnitude_squared(x: C32) -> f32 {
    x.norm_sqr()
}

/// `re x`.
#[inline(always)]
pub fn complex_to_real(x: C32) -> f32 {
    x.re
}

/// `im x`.
#[inline(always)]
pub fn complex_to_imag(x: C32) -> f32 {
    x.im
}

/// `re + 0j`.
#[inline(always)]
pub fn real_to_complex(re: f32) -> C32 {
    C32::new(re, 0.0)
}

/// `a · b`.
#[inline(always)]
pub fn multiply_c32_f32(a: C32, b: f32) -> C32 {
    C32::new(a.re * b, a.im * b)
}

/// `a · b + c`: multiplies, rounds, adds, rounds.
#[inline(always)]
pub fn multiply_add_f32(a: f32, b: f32, c: f32) -> f32 {
    a * b + c
}

/// `a · b + c`: multiplies, rounds, adds, rounds.
#[inline(always)]
pub fn multiply_add_c32_f32(a: C32, b: f32, c: C32) -> C32 {
    C32::new(a.re * b + c.re, a.im * b + c.im)
}

/// `a + conj(b) · gain`.
#[inline(always)]
pub fn multiply_conjugate_add_c32(a: C32, b: C32, gain: C32) -> C32 {
    let re = b.re * gain.re + b.im * gain.im;
    let im = b.re * gain.im - b.im * gain.re;
    C32::new(a.re + re, a.im + im)
}

/// `a / b`: `a · conj(b)`, each part divided by `|b|²`.
#[inline(always)]
pub fn divide_c32(a: C32, b: C32) -> C32 {
    let square = b.re * b.re + b.im * b.im;
    C32::new((a.re * b.re + a.im * b.im) / square, (a.im * b.re - a.re * b.im) / square)
}

/// The larger of the two; `b` if they do not compare or are equal.
#[inline(always)]
pub fn maximum_f32(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// The smaller of the two; `b` if they do not compare or are equal.
#[inline(always)]
pub fn minimum_f32(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// `1 / √x`: takes the root, rounds, divides, rounds.
#[inline(always)]
pub fn inverse_sqrt(x: f32) -> f32 {
    1.0 / x.sqrt()
}

/// `x` within `lowest..=highest`; NaN stays NaN.
#[inline(always)]
pub fn clamp_f32(x: f32, lowest: f32, highest: f32) -> f32 {
    let x = if x < lowest { lowest } else { x };
    if x > highest { highest } else { x }
}

/// `(x − 127.5) / 127.5`.
#[inline(always)]
pub fn u8_to_f32(x: u8) -> f32 {
    // The rounded reciprocal still takes the codes 0 and 255 to exactly -1 and 1.
    (f32::from(x) - 127.5) * (1.0 / 127.5)
}

/// `x / 128`.
#[inline(always)]
pub fn i8_to_f32(x: i8) -> f32 {
    f32::from(x) * (1.0 / 128.0)
}

/// `x / 32768`.
#[inline(always)]
pub fn i16_to_f32(x: i16) -> f32 {
    f32::from(x) * (1.0 / 32768.0)
}

/// [`u8_to_f32`] of both parts.
#[inline(always)]
pub fn u8_to_c32([re, im]: [u8; 2]) -> C32 {
    C32::new(u8_to_f32(re), u8_to_f32(im))
}

/// [`i8_to_f32`] of both parts.
#[inline(always)]
pub fn i8_to_c32([re, im]: [i8; 2]) -> C32 {
    C32::new(i8_to_f32(re), i8_to_f32(im))
}

/// [`i16_to_f32`] of both parts.
#[inline(always)]
pub fn i16_to_c32([re, im]: [i16; 2]) -> C32 {
    C32::new(i16_to_f32(re), i16_to_f32(im))
}

/// `127.5 · x + 127.5`, rounded half to even, saturated; 128 for NaN.
#[inline(always)]
pub fn f32_to_u8(x: f32) -> u8 {
    round(nan_to_zero(x) * 127.5 + 127.5, 0.0, 255.0) as u8
}

/// `128 · x`, rounded half to even, saturated; 0 for NaN.
#[inline(always)]
pub fn f32_to_i8(x: f32) -> i8 {
    round(nan_to_zero(x) * 128.0, -128.0, 127.0) as i8
}

/// `32768 · x`, rounded half to even, saturated; 0 for NaN.
#[inline(always)]
pub fn f32_to_i16(x: f32) -> i16 {
    round(nan_to_zero(x) * 32768.0, -32768.0, 32767.0) as i16
}

/// [`f32_to_u8`] of both parts.
#[inline(always)]
pub fn c32_to_u8(x: C32) -> [u8; 2] {
    [f32_to_u8(x.re), f32_to_u8(x.im)]
}

/// [`f32_to_i8`] of both parts.
#[inline(always)]
pub fn c32_to_i8(x: C32) -> [i8; 2] {
    [f32_to_i8(x.re), f32_to_i8(x.im)]
}

/// [`f32_to_i16`] of both parts.
#[inline(always)]
pub fn c32_to_i16(x: C32) -> [i16; 2] {
    [f32_to_i16(x.re), f32_to_i16(x.im)]
}

/// Rounds half to even and saturates to `lowest..=highest`, both within ±2²²; the integer is in the low bits.
///
/// Written without float-to-int casts and without branches, so that LLVM makes vectors of it on any machine:
///
/// 1. NaN has become 0, by a select.
/// 2. Saturation happens on floats, by two selects.
/// 3. Adding 1.5 · 2²³ leaves no room for a fraction: the addition itself rounds half to even, and the low bits of
///    the sum are the integer in two's complement.
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

/// `Σ c[k] · xᵏ`, as a polynomial of `x²` whose coefficients are pairs `c[2k] + c[2k + 1] · x`: half as long a chain of
/// sums, and terms of alternating signs cancel before they are rounded with others.
#[inline(always)]
fn polynomial<const N: usize>(x: f32, c: [f32; N]) -> f32 {
    let square = x * x;
    let last = N - 1;
    let mut sum = if N.is_multiple_of(2) { c[last - 1] + c[last] * x } else { c[last] };
    for k in (0..last / 2).rev() {
        sum = sum * square + (c[2 * k] + c[2 * k + 1] * x);
    }
    sum
}
