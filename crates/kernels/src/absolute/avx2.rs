//! Absolute values compiled for AVX2.
//!
//! GAIN

crate::elementwise::compile_for_avx2! {
    fn absolute_f32(y: &mut [f32], x: &[f32]);
    fn absolute_f32_in_place(x: &mut [f32]);
}
