//! Powers compiled for AVX-512.
//!
//! Gain over AVX2: 0.80 instead of 0.43 Gitems/s
//! (`cargo bench -p superhet-kernels -- power`, 1024 items, Zen 4).

crate::elementwise::compile_for_avx512! {
    fn power(y: &mut [f32], a: &[f32], b: &[f32]);
    fn power_const(y: &mut [f32], x: &[f32], exponent: f32);
}
