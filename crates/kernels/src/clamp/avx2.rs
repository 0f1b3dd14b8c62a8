//! Clamping compiled for AVX2.
//!
//! Gain over `scalar`: 28 instead of 12 Gitems/s
//! (`cargo bench -p superhet-kernels --features trials -- clamp`, 1024 items, Zen 4).
//!
//! On a Zen 4 it is not faster with AVX-512 in caches, and slower beyond them.

crate::elementwise::compile_for_avx2! {
    fn clamp_f32(y: &mut [f32], x: &[f32], lowest: f32, highest: f32);
    fn clamp_f32_in_place(x: &mut [f32], lowest: f32, highest: f32);
}
