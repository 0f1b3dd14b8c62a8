//! Square roots compiled for AVX-512.
//!
//! GAIN

crate::elementwise::compile_for_avx512! {
    fn sqrt(y: &mut [f32], x: &[f32]);
    fn inverse_sqrt(y: &mut [f32], x: &[f32]);
}
