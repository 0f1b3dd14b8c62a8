//! Square roots compiled for AVX-512.
//!
//! Gain over AVX2 on a Zen 4: none to speak of (5.9 instead of 5.8 Gitems/s: square roots)
//! (`cargo bench -p superhet-kernels --features trials -- sqrt`, 1024 items, Zen 4).
//!
//! On a Zen 5, which does not halve the vectors, also 15.0 instead of 7.5 for `sqrt` (`superhet bench kernels
//! --variants --length 1024`).

crate::elementwise::compile_for_avx512! {
    fn sqrt(y: &mut [f32], x: &[f32]);
    fn inverse_sqrt(y: &mut [f32], x: &[f32]);
}
