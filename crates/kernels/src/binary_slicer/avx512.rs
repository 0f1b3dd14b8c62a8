//! Binary slicer to bytes compiled for AVX-512; to 32 bits stores are the limit, as with AVX2.
//!
//! Gain over AVX2: 42 instead of 32 Gitems/s
//! (`cargo bench -p superhet-kernels -- slicer`, 1024 items, Zen 4).

crate::elementwise::compile_for_avx512! {
    fn binary_slicer_u8(y: &mut [u8], x: &[f32]);
}
