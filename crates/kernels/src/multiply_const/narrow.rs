//! Products with a constant for slices beyond the level-1 cache: a vector of 32 bytes at a time.

use super::scalar;
use crate::x86::{load8, map_one_by_one, store8};
use core::arch::x86_64::*;

#[target_feature(enable = "avx2,fma")]
pub(super) fn multiply_const_f32(y: &mut [f32], x: &[f32], gain: f32) {
    let gains = _mm256_set1_ps(gain);
    let (y, x) = map_one_by_one(y, x, |y, x| store8(y, _mm256_mul_ps(load8(x), gains)));
    scalar::multiply_const_f32(y, x, gain);
}
