//! Inverse trigonometric functions compiled for AVX2.
//!
//! GAIN

use crate::C32;

crate::elementwise::compile_for_avx2! {
    fn asin(y: &mut [f32], x: &[f32]);
    fn acos(y: &mut [f32], x: &[f32]);
    fn atan(y: &mut [f32], x: &[f32]);
    fn atan2(y: &mut [f32], a: &[f32], b: &[f32]);
    fn complex_to_arg(y: &mut [f32], x: &[C32]);
}
