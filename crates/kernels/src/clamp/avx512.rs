//! Clamping compiled for AVX-512.
//!
//! GAIN

crate::elementwise::compile_for_avx512! {
    fn clamp_f32(y: &mut [f32], x: &[f32], lowest: f32, highest: f32);
    fn clamp_f32_in_place(x: &mut [f32], lowest: f32, highest: f32);
}
