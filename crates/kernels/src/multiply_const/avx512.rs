//! Multiplication by a real constant compiled for AVX-512; by a complex one AVX2 is faster.
//!
//! Gain over `scalar`: 29 instead of 14 Gitems/s
//! (`cargo bench -p superhet-kernels -- multiply_const_f32`, 1024 items, Zen 4).

crate::elementwise::compile_for_avx512! {
    fn multiply_const_f32(y: &mut [f32], x: &[f32], gain: f32);
    fn multiply_const_f32_in_place(x: &mut [f32], gain: f32);
}
