//! Differences of items compiled for AVX-512.
//!
//! Gain over AVX2 on a Zen 5, in Gitems/s: 51 instead of 26 for `subtract_f32`, 27 instead of 13.2 for `subtract_c32`
//! (`superhet bench kernels --variants --length 1024`). A Zen 4 halves the vectors and gains nothing.

use crate::C32;

crate::elementwise::compile_for_avx512! {
    fn subtract_f32(y: &mut [f32], a: &[f32], b: &[f32]);
    fn subtract_f32_in_place(a: &mut [f32], b: &[f32]);
    fn subtract_c32(y: &mut [C32], a: &[C32], b: &[C32]);
    fn subtract_c32_in_place(a: &mut [C32], b: &[C32]);
}
