//! Addition of a constant compiled for AVX2.
//!
//! Gain over `scalar`: 29 instead of 14 Gitems/s for `add_const_f32`, 14 instead of 7 for `add_const_c32`
//! (`cargo bench -p superhet-kernels --features trials -- add_const`, 1024 items, Zen 4).
//!
//! On a Zen 4 it is not faster with AVX-512 in caches, and slower beyond them.

use crate::C32;

crate::elementwise::compile_for_avx2! {
    fn add_const_f32(y: &mut [f32], x: &[f32], offset: f32);
    fn add_const_f32_in_place(x: &mut [f32], offset: f32);
    fn add_const_c32(y: &mut [C32], x: &[C32], offset: C32);
    fn add_const_c32_in_place(x: &mut [C32], offset: C32);
}
