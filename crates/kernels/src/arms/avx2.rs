//! Sums of arms compiled for AVX2.
//!
//! Gain over `scalar`: none to speak of with 24 taps
//! (`superhet bench kernels --variants --kernel arbitrary_arms_f32 --length 1024`, Zen 5).

use crate::C32;
use crate::dot::avx2 as dot;

#[target_feature(enable = "avx2,fma")]
pub(super) fn two_dots_f32(x: &[f32], a: &[f32], b: &[f32]) -> [f32; 2] {
    [dot::dot_f32(x, a), dot::dot_f32(x, b)]
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn two_dots_c32_f32(x: &[C32], a: &[f32], b: &[f32]) -> [C32; 2] {
    [dot::dot_c32_f32(x, a), dot::dot_c32_f32(x, b)]
}

crate::elementwise::compile_for_avx2! {
    fn arbitrary_arms_f32(y: &mut [f32], x: &[f32], taps: &[f32], slopes: &[f32], arms: usize, whole: usize, phases: [f64; 2]) -> [f64; 3];
    fn arbitrary_arms_c32_f32(y: &mut [C32], x: &[C32], taps: &[f32], slopes: &[f32], arms: usize, whole: usize, phases: [f64; 2]) -> [f64; 3];
}
