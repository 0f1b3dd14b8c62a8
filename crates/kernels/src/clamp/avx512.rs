//! Clamping compiled for AVX-512.
//!
//! Gain over `scalar`: 28 instead of 12 Gitems/s; stores are the limit, as with AVX2
//! (`cargo bench -p superhet-kernels -- clamp`, 1024 items, Zen 4).

crate::elementwise::compile_for_avx512! {
    fn clamp_f32(y: &mut [f32], x: &[f32], lowest: f32, highest: f32);
    fn clamp_f32_in_place(x: &mut [f32], lowest: f32, highest: f32);
}
