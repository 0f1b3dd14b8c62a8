//! The larger and the smaller of two compiled for AVX-512.
//!
//! Gain over AVX2: none (22 instead of 23 Gitems/s)
//! (`cargo bench -p superhet-kernels -- imum`, 1024 items, Zen 4).

crate::elementwise::compile_for_avx512! {
    fn maximum_f32(y: &mut [f32], a: &[f32], b: &[f32]);
    fn minimum_f32(y: &mut [f32], a: &[f32], b: &[f32]);
}
