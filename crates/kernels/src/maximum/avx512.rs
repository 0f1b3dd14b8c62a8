//! The larger and the smaller of two compiled for AVX-512.
//!
//! GAIN

crate::elementwise::compile_for_avx512! {
    fn maximum_f32(y: &mut [f32], a: &[f32], b: &[f32]);
    fn minimum_f32(y: &mut [f32], a: &[f32], b: &[f32]);
}
