//! A recursion by one of two lines, with AVX2: both lines and both comparisons start at once, and a mask in a vector register takes
//! one of the results.
//!
//! From value to value there are a fused multiply-add and that choice, 5 cycles by their latencies (Zen 4), which is what bounds it. AVX-512 has masks
//! in registers of their own, to which and from which it takes longer.

use core::arch::x86_64::*;

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
) -> (usize, f32) {
    let (outer_rise, inner_rise) = (one(outer_rise), one(inner_rise));
    let mut value = one(first);
    let lines = outer.iter().zip(inner).zip(above.iter().zip(below));
    for (n, (y, ((outer, inner), (above, below)))) in y.iter_mut().zip(lines).enumerate() {
        *y = _mm_cvtss_f32(value);
        let is_outer = _mm_or_ps(_mm_cmpgt_ss(value, one(*above)), _mm_cmplt_ss(value, one(*below)));
        let by_outer = _mm_fmadd_ss(value, one(*outer), outer_rise);
        let by_inner = _mm_fmadd_ss(value, one(*inner), inner_rise);
        value = _mm_blendv_ps(by_inner, by_outer, is_outer);
        let next = _mm_cvtss_f32(value);
        if !(next >= 0.0 && next <= most) {
            return (n + 1, next);
        }
    }
    (y.len(), _mm_cvtss_f32(value))
}
