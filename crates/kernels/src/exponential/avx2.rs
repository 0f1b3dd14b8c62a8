//! Exponentials compiled for AVX2.
//!
//! GAIN

crate::elementwise::compile_for_avx2! {
    fn exp(y: &mut [f32], x: &[f32]);
    fn tanh(y: &mut [f32], x: &[f32]);
}
