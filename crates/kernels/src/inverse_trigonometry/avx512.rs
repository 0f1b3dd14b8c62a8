//! Inverse trigonometric functions compiled for AVX-512.
//!
//! Gain over AVX2: 2.5 instead of 1.6 Gitems/s for `atan`, 2.0 instead of 1.2 for `atan2`
//! (`cargo bench -p superhet-kernels --features trials -- atan`, 1024 items, Zen 4).

use crate::C32;

crate::elementwise::compile_for_avx512! {
    fn asin(y: &mut [f32], x: &[f32]);
    fn acos(y: &mut [f32], x: &[f32]);
    fn atan(y: &mut [f32], x: &[f32]);
    fn atan2(y: &mut [f32], a: &[f32], b: &[f32]);
    fn complex_to_arg(y: &mut [f32], x: &[C32]);
}
