//! Absolute values compiled for AVX-512.
//!
//! Gain over `scalar`: 28 instead of 14 Gitems/s; stores are the limit, as with AVX2
//! (`cargo bench -p superhet-kernels -- absolute`, 1024 items, Zen 4).

crate::elementwise::compile_for_avx512! {
    fn absolute_f32(y: &mut [f32], x: &[f32]);
    fn absolute_f32_in_place(x: &mut [f32]);
}
