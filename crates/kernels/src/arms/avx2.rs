//! Sums of arms compiled for AVX2.
//!
//! Gain over `scalar`: none to speak of with 24 taps
//! (`superhet bench kernels --variants --kernel arbitrary_arms_f32 --length 1024`, Zen 5).

use crate::C32;

crate::elementwise::compile_for_avx2! {
    fn two_dots_f32(x: &[f32], a: &[f32], b: &[f32]) -> [f32; 2];
    fn two_dots_c32_f32(x: &[C32], a: &[f32], b: &[f32]) -> [C32; 2];
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn arbitrary_arms_f32(
    y: &mut [f32],
    x: &[f32],
    taps: &[f32],
    slopes: &[f32],
    arms: usize,
    whole: usize,
    phases: [f64; 2],
) -> [f64; 3] {
    super::scalar::arbitrary_arms_f32(y, x, taps, slopes, arms, whole, phases)
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn arbitrary_arms_c32_f32(
    y: &mut [C32],
    x: &[C32],
    taps: &[f32],
    slopes: &[f32],
    arms: usize,
    whole: usize,
    phases: [f64; 2],
) -> [f64; 3] {
    super::scalar::arbitrary_arms_c32_f32(y, x, taps, slopes, arms, whole, phases)
}
