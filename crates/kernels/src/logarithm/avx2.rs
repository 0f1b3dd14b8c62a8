//! Logarithms compiled for AVX2.
//!
//! Gain over `scalar`: 1.5 instead of 0.75 Gitems/s for `log2`, 2.9 instead of 0.07 for `log2_fast`
//! (`cargo bench -p superhet-kernels --features trials -- log2`, 1024 items, Zen 4).

crate::elementwise::compile_for_avx2! {
    fn ln(y: &mut [f32], x: &[f32]);
    fn log2(y: &mut [f32], x: &[f32]);
    fn log10(y: &mut [f32], x: &[f32]);
    fn log2_fast(y: &mut [f32], x: &[f32]);
}
