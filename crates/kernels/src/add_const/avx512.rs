//! Addition of a real constant compiled for AVX-512; of the complex one LLVM makes gathers there.
//!
//! Gain over `scalar`: 29 instead of 14 Gitems/s for `add_const_f32`; stores are the limit, as with AVX2
//! (`cargo bench -p superhet-kernels -- add_const`, 1024 items, Zen 4).

crate::elementwise::compile_for_avx512! {
    fn add_const_f32(y: &mut [f32], x: &[f32], offset: f32);
    fn add_const_f32_in_place(x: &mut [f32], offset: f32);
}
