//! Square roots compiled for AVX2.
//!
//! GAIN

crate::elementwise::compile_for_avx2! {
    fn sqrt(y: &mut [f32], x: &[f32]);
    fn inverse_sqrt(y: &mut [f32], x: &[f32]);
}
