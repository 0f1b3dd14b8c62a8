//! Binary slicer to bytes compiled for AVX-512.
//!
//! Gain over AVX2: 42 instead of 32 Gitems/s
//! (`cargo bench -p superhet-kernels --features trials -- slicer`, 1024 items, Zen 4).
//!
//! On a Zen 5, which does not halve the vectors, also 64 instead of 44 for `binary_slicer_i32` (`superhet bench kernels
//! --variants --length 1024`).

crate::elementwise::compile_for_avx512! {
    fn binary_slicer_i32(y: &mut [i32], x: &[f32]);
    fn binary_slicer_u8(y: &mut [u8], x: &[f32]);
}
