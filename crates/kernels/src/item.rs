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
pub(crate) mod fast;
pub(crate) mod logarithm;
mod power;
mod trigonometry;

pub use exponential::*;
pub use fast::{inverse_sqrt_fast, log2_fast, power_fast, tanh_fast};
pub use logarithm::*;
pub use power::*;
pub use trigonometry::*;

use crate::{C32, C64};

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

/// `scale · √(re² + im²)`, rounded half to even, saturated; 0 if that is NaN.
#[inline(always)]
pub fn magnitude_to_i16_scaled(x: C32, scale: f32) -> i16 {
    f32_to_i16_scaled(magnitude(x), scale)
}

/// `√(re² + im²)`, rounded half to even, saturated.
#[inline(always)]
pub fn magnitude_i16(x: [i16; 2]) -> i16 {
    f32_to_i16_scaled(magnitude_of_integers(x), 1.0)
}

/// `√(re² + im²) · (1 / scale)`.
#[inline(always)]
pub fn magnitude_i16_to_f32_scaled(x: [i16; 2], scale: f32) -> f32 {
    magnitude_of_integers(x) * (1.0 / scale)
}

/// The sum of the squares is exact up to where it is rounded to `f32`.
#[inline(always)]
fn magnitude_of_integers([re, im]: [i16; 2]) -> f32 {
    let square = |x: i16| (i32::from(x) * i32::from(x)) as u32;
    ((square(re) + square(im)) as f32).sqrt()
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

/// `x / 2³¹`, rounded once.
#[inline(always)]
pub fn i32_to_f32(x: i32) -> f32 {
    x as f32 * (1.0 / (1u32 << 31) as f32)
}

/// `x · (1 / scale)`: the reciprocal is rounded, then the product.
#[inline(always)]
pub fn u8_to_f32_scaled(x: u8, scale: f32) -> f32 {
    f32::from(x) * (1.0 / scale)
}

/// `x · (1 / scale)`: the reciprocal is rounded, then the product.
#[inline(always)]
pub fn i8_to_f32_scaled(x: i8, scale: f32) -> f32 {
    f32::from(x) * (1.0 / scale)
}

/// `x · (1 / scale)`: the reciprocal is rounded, then the product.
#[inline(always)]
pub fn i16_to_f32_scaled(x: i16, scale: f32) -> f32 {
    f32::from(x) * (1.0 / scale)
}

/// `x · (1 / scale)`: the item is rounded to `f32`, then the reciprocal, then the product.
#[inline(always)]
pub fn i32_to_f32_scaled(x: i32, scale: f32) -> f32 {
    x as f32 * (1.0 / scale)
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

/// [`i8_to_f32_scaled`] of both parts.
#[inline(always)]
pub fn i8_to_c32_scaled([re, im]: [i8; 2], scale: f32) -> C32 {
    C32::new(i8_to_f32_scaled(re, scale), i8_to_f32_scaled(im, scale))
}

/// [`i16_to_f32_scaled`] of both parts.
#[inline(always)]
pub fn i16_to_c32_scaled([re, im]: [i16; 2], scale: f32) -> C32 {
    C32::new(i16_to_f32_scaled(re, scale), i16_to_f32_scaled(im, scale))
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

/// `2³¹ · x`, rounded half to even, saturated; 0 for NaN.
#[inline(always)]
pub fn f32_to_i32(x: f32) -> i32 {
    f32_to_i32_scaled(x, (1u32 << 31) as f32)
}

/// `scale · x`, rounded half to even, saturated; 0 if the product is NaN.
#[inline(always)]
pub fn f32_to_u8_scaled(x: f32, scale: f32) -> u8 {
    round(nan_to_zero(x * scale), 0.0, 255.0) as u8
}

/// `scale · x`, rounded half to even, saturated; 0 if the product is NaN.
#[inline(always)]
pub fn f32_to_i8_scaled(x: f32, scale: f32) -> i8 {
    round(nan_to_zero(x * scale), -128.0, 127.0) as i8
}

/// `scale · x`, rounded half to even, saturated; 0 if the product is NaN.
#[inline(always)]
pub fn f32_to_i16_scaled(x: f32, scale: f32) -> i16 {
    round(nan_to_zero(x * scale), -32768.0, 32767.0) as i16
}

/// `scale · x`, rounded half to even, saturated; 0 if the product is NaN.
#[inline(always)]
pub fn f32_to_i32_scaled(x: f32, scale: f32) -> i32 {
    let x = x * scale;
    // From 2²³ on every value is an integer. Below, adding 2²³ of the same sign leaves no room for a fraction.
    let room_for_integers_only = ((1 << 23) as f32).copysign(x);
    let rounded = (x + room_for_integers_only) - room_for_integers_only;
    // The cast saturates and takes NaN to 0.
    (if x.abs() < (1 << 23) as f32 { rounded } else { x }) as i32
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

/// [`f32_to_i8_scaled`] of both parts.
#[inline(always)]
pub fn c32_to_i8_scaled(x: C32, scale: f32) -> [i8; 2] {
    [f32_to_i8_scaled(x.re, scale), f32_to_i8_scaled(x.im, scale)]
}

/// [`f32_to_i16_scaled`] of both parts.
#[inline(always)]
pub fn c32_to_i16_scaled(x: C32, scale: f32) -> [i16; 2] {
    [f32_to_i16_scaled(x.re, scale), f32_to_i16_scaled(x.im, scale)]
}

/// `256 · x`.
#[inline(always)]
pub fn i8_to_i16(x: i8) -> i16 {
    i16::from(x) << 8
}

/// `⌊x / 256⌋`.
#[inline(always)]
pub fn i16_to_i8(x: i16) -> i8 {
    (x >> 8) as i8
}

/// The nearest `f32`, half to even.
#[inline(always)]
pub fn f64_to_f32(x: f64) -> f32 {
    x as f32
}

/// The same value.
#[inline(always)]
pub fn f32_to_f64(x: f32) -> f64 {
    f64::from(x)
}

/// [`f64_to_f32`] of both parts.
#[inline(always)]
pub fn c64_to_c32(x: C64) -> C32 {
    C32::new(x.re as f32, x.im as f32)
}

/// [`f32_to_f64`] of both parts.
#[inline(always)]
pub fn c32_to_c64(x: C32) -> C64 {
    C64::new(f64::from(x.re), f64::from(x.im))
}

/// 1 for `x ≥ 0`, −0 too; 0 for less and for NaN.
#[inline(always)]
pub fn binary_slicer_u8(x: f32) -> u8 {
    u8::from(x >= 0.0)
}

/// 1 for `x ≥ 0`, −0 too; 0 for less and for NaN.
#[inline(always)]
pub fn binary_slicer_i32(x: f32) -> i32 {
    i32::from(x >= 0.0)
}

/// The low bits of eight bytes, the first one highest.
#[inline(always)]
pub fn pack_bits_msb(bits: [u8; 8]) -> u8 {
    // The factor moves bit 8n to bit 63 - n; no two products of single bits meet, so nothing carries.
    let bits = u64::from_le_bytes(bits) & LOW_BITS;
    (bits.wrapping_mul(0x8040_2010_0804_0201) >> 56) as u8
}

/// The low bits of eight bytes, the first one lowest.
#[inline(always)]
pub fn pack_bits_lsb(bits: [u8; 8]) -> u8 {
    // As in `pack_bits_msb`, to bit 56 + n.
    let bits = u64::from_le_bytes(bits) & LOW_BITS;
    (bits.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

/// The bits of a byte, 0 or 1 each, the highest one first.
#[inline(always)]
pub fn unpack_bits_msb(x: u8) -> [u8; 8] {
    unpack_bits(x, 0x0102_0408_1020_4080)
}

/// The bits of a byte, 0 or 1 each, the lowest one first.
#[inline(always)]
pub fn unpack_bits_lsb(x: u8) -> [u8; 8] {
    unpack_bits(x, 0x8040_2010_0804_0201)
}

/// Whether `x` has the bit in each byte of `places`.
#[inline(always)]
fn unpack_bits(x: u8, places: u64) -> [u8; 8] {
    let found = (u64::from(x) * LOW_BITS) & places;
    // A byte that is not 0 carries into its own highest bit, never further.
    (((found + 0x7f * LOW_BITS) >> 7) & LOW_BITS).to_le_bytes()
}

/// The low bit of each byte.
const LOW_BITS: u64 = 0x0101_0101_0101_0101;

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
