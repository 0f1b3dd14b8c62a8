//! Clamping compiled for AVX2.
//!
//! GAIN

crate::elementwise::compile_for_avx2! {
    fn clamp_f32(y: &mut [f32], x: &[f32], lowest: f32, highest: f32);
    fn clamp_f32_in_place(x: &mut [f32], lowest: f32, highest: f32);
}
