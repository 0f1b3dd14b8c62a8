//! Powers compiled for AVX2.
//!
//! Gain over `scalar`: 0.43 instead of 0.21 Gitems/s, 0.99 instead of 0.04 for `power_fast`
//! (`cargo bench -p superhet-kernels --features trials -- power`, 1024 items, Zen 4).

crate::elementwise::compile_for_avx2! {
    fn power(y: &mut [f32], a: &[f32], b: &[f32]);
    fn power_const(y: &mut [f32], x: &[f32], exponent: f32);
    fn power_fast(y: &mut [f32], a: &[f32], b: &[f32]);
}
