//! Absolute values compiled for AVX-512.
//!
//! GAIN

crate::elementwise::compile_for_avx512! {
    fn absolute_f32(y: &mut [f32], x: &[f32]);
    fn absolute_f32_in_place(x: &mut [f32]);
}
