//! Conjugates for slices beyond the level-1 cache: a vector of 32 bytes at a time.
//!
//! Gain over AVX-512: 11.9 to 12.1 instead of 11.7 Gitems/s
//! (`superhet bench kernels --length 8192` before and with it, Zen 5).

use super::scalar;
use crate::x86::{at, at_mut, load8, map_one_by_one, pairs8, store8};
use crate::{C32, floats, floats_mut};
use core::arch::x86_64::*;

#[target_feature(enable = "avx2,fma")]
pub(super) fn conjugate(y: &mut [C32], x: &[C32]) {
    let signs = pairs8(0.0, -0.0);
    let (y, x) = map_one_by_one(y, x, |y: &mut [C32; 4], x: &[C32; 4]| {
        store8(at_mut(floats_mut(y), 0), _mm256_xor_ps(load8(at(floats(x), 0)), signs));
    });
    scalar::conjugate(y, x);
}
