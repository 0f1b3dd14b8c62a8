//! Exponentials compiled for AVX-512.
//!
//! GAIN

crate::elementwise::compile_for_avx512! {
    fn exp(y: &mut [f32], x: &[f32]);
    fn tanh(y: &mut [f32], x: &[f32]);
}
