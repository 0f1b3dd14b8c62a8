//! Subtraction compiled for AVX2.
//!
//! Gain over `scalar`: as for `add_f32`, 25 instead of 12 Gitems/s
//! (`cargo bench -p superhet-kernels --features trials -- add_f32`, 1024 items, Zen 4).
//!
//! On a Zen 4 it is not faster with AVX-512 in caches, and slower beyond them.

use crate::C32;

crate::elementwise::compile_for_avx2! {
    fn subtract_f32(y: &mut [f32], a: &[f32], b: &[f32]);
    fn subtract_f32_in_place(a: &mut [f32], b: &[f32]);
    fn subtract_c32(y: &mut [C32], a: &[C32], b: &[C32]);
    fn subtract_c32_in_place(a: &mut [C32], b: &[C32]);
}
