//! A recursion by one of two lines, with AVX2: both lines and both comparisons start at once, and the sign of a vector register takes
//! one of the results.
//!
//! Bits of numbers from 0 on are in the order of the numbers, so a comparison is the sign of a difference of bits: one cycle, where one
//! of floats takes four (Sapphire Rapids). It is there before the fused multiply-adds are. From value to value there are one of these and
//! the choice, 6 cycles by their latencies, and one or two from the floats' part of the processor to that of the integers and back; it takes
//! 8.6 there, and 12.5 with comparisons of floats (in a loop of its own). AVX-512 has masks in registers of their own, to which and from
//! which it takes longer.

use core::arch::x86_64::*;

use super::{last_bits, scalar};

#[inline]
#[target_feature(enable = "avx2,fma")]
fn one(x: f32) -> __m128 {
    _mm_set_ss(x)
}

#[allow(clippy::too_many_arguments, reason = "the arguments of the op")]
#[target_feature(enable = "avx2,fma")]
pub(super) fn two_lines_f32(
    y: &mut [f32],
    outer: &[f32],
    inner: &[f32],
    above: &[f32],
    below: &[f32],
    outer_rise: f32,
    inner_rise: f32,
    most: f32,
    first: f32,
    lines: usize,
) -> (usize, f32) {
    if lines == 1 {
        return one_line(y, inner, inner_rise, first);
    }
    if first.to_bits() > f32::INFINITY.to_bits() {
        // Bits of what is negative are in another order.
        return scalar::two_lines_f32(y, outer, inner, above, below, outer_rise, inner_rise, most, first, 2);
    }
    let (outer_rise, inner_rise, most) = (one(outer_rise), one(inner_rise), last_bits(most));
    let zero = _mm_setzero_ps();
    let mut value = one(first);
    let each = outer.iter().zip(inner).zip(above.iter().zip(below));
    for (n, (y, ((outer, inner), (above, below)))) in y.iter_mut().zip(each).enumerate() {
        *y = _mm_cvtss_f32(value);
        // Every value is above a negative limit, and none is below one.
        let above = _mm_castps_si128(_mm_add_ss(one(*above), zero));
        let above = _mm_max_epi32(above, _mm_set1_epi32(-1));
        let below = _mm_castps_si128(_mm_max_ss(one(*below), zero));
        let bits = _mm_castps_si128(value);
        let is_outer = _mm_or_si128(_mm_sub_epi32(above, bits), _mm_sub_epi32(bits, below));
        let by_outer = _mm_fmadd_ss(value, one(*outer), outer_rise);
        let by_inner = _mm_fmadd_ss(value, one(*inner), inner_rise);
        value = _mm_blendv_ps(by_inner, by_outer, _mm_castsi128_ps(is_outer));
        let next = _mm_cvtss_f32(value);
        if i64::from(next.to_bits()) > most {
            return (n + 1, next);
        }
    }
    (y.len(), _mm_cvtss_f32(value))
}

/// From value to value there is a fused multiply-add: 4 cycles.
#[target_feature(enable = "avx2,fma")]
fn one_line(y: &mut [f32], slopes: &[f32], rise: f32, first: f32) -> (usize, f32) {
    let mut value = first;
    for (y, slope) in y.iter_mut().zip(slopes) {
        *y = value;
        value = slope.mul_add(value, rise);
    }
    (y.len(), value)
}
