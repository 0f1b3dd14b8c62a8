//! Logarithms compiled for AVX-512.
//!
//! GAIN

crate::elementwise::compile_for_avx512! {
    fn ln(y: &mut [f32], x: &[f32]);
    fn log2(y: &mut [f32], x: &[f32]);
    fn log10(y: &mut [f32], x: &[f32]);
}
