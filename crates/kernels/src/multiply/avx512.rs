//! Multiplication compiled for AVX-512.
//!
//! Gain over `scalar`: 7.0 instead of 3.6 Gitems/s for complex products
//! (`cargo bench -p superhet-kernels -- multiply_c32`, 1024 items, Zen 4).

use super::scalar;
use crate::C32;
use crate::x86::{at, at_mut, load16, store16, twice16, zip_with_real};
use core::arch::x86_64::_mm512_mul_ps;

crate::elementwise::compile_for_avx512! {
    fn multiply_f32(y: &mut [f32], a: &[f32], b: &[f32]);
    fn multiply_f32_in_place(a: &mut [f32], b: &[f32]);
    fn multiply_c32_f32_in_place(a: &mut [C32], b: &[f32]);
    fn multiply_c32(y: &mut [C32], a: &[C32], b: &[C32]);
    fn multiply_c32_in_place(a: &mut [C32], b: &[C32]);
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) fn multiply_c32_f32(y: &mut [C32], a: &[C32], b: &[f32]) {
    let (y, a, b) = zip_with_real(y, a, b, |y, a, b| {
        let [low, high] = twice16(load16(b));
        store16(at_mut(y, 0), _mm512_mul_ps(load16(at(a, 0)), low));
        store16(at_mut(y, 16), _mm512_mul_ps(load16(at(a, 16)), high));
    });
    scalar::multiply_c32_f32(y, a, b);
}
