//! The larger and the smaller of two compiled for AVX2.
//!
//! Gain over `scalar`: 23 instead of 11 Gitems/s
//! (`cargo bench -p superhet-kernels --features trials -- imum`, 1024 items, Zen 4).
//!
//! On a Zen 4 it is not faster with AVX-512 in caches, and slower beyond them.

crate::elementwise::compile_for_avx2! {
    fn maximum_f32(y: &mut [f32], a: &[f32], b: &[f32]);
    fn minimum_f32(y: &mut [f32], a: &[f32], b: &[f32]);
}
