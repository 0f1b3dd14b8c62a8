//! Absolute values compiled for AVX2.
//!
//! Gain over `scalar`: 28 instead of 14 Gitems/s
//! (`cargo bench -p superhet-kernels --features trials -- absolute`, 1024 items, Zen 4).
//!
//! On a Zen 4 it is not faster with AVX-512 in caches, and slower beyond them.

crate::elementwise::compile_for_avx2! {
    fn absolute_f32(y: &mut [f32], x: &[f32]);
    fn absolute_f32_in_place(x: &mut [f32]);
}
