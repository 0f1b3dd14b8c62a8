//! Trigonometric functions compiled for AVX-512.
//!
//! GAIN

use crate::C32;

crate::elementwise::compile_for_avx512! {
    fn sin(y: &mut [f32], x: &[f32]);
    fn cos(y: &mut [f32], x: &[f32]);
    fn tan(y: &mut [f32], x: &[f32]);
    fn expj(y: &mut [C32], x: &[f32]);
}
