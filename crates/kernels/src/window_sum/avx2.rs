//! Sums over windows compiled for AVX2.

use crate::C32;

crate::elementwise::compile_for_avx2! {
    fn window_sum_f32(y: &mut [f32], x: &[f32], count: usize, scale: f32);
    fn window_sum_c32(y: &mut [C32], x: &[C32], count: usize, scale: f32);
}
