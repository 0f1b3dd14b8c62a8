//! Square roots compiled for AVX-512.
//!
//! Gain over AVX2: none to speak of (5.9 instead of 5.8 Gitems/s: square roots)
//! (`cargo bench -p superhet-kernels -- sqrt`, 1024 items, Zen 4).

crate::elementwise::compile_for_avx512! {
    fn inverse_sqrt(y: &mut [f32], x: &[f32]);
}
