//! Moving sums compiled for AVX2.

use crate::{C32, C64};

crate::elementwise::compile_for_avx2! {
    fn moving_sum_f32(y: &mut [f32], x: &[f32], behind: &[f64], sum: f64) -> f64;
    fn moving_sum_c32(y: &mut [C32], x: &[C32], behind: &[C64], sum: [f64; 2]) -> [f64; 2];
    fn sums_behind_f32(behind: &mut [f64], x: &[f32], sum: f64);
    fn sums_behind_c32(behind: &mut [C64], x: &[C32], sum: [f64; 2]);
    fn short_sum_f32(y: &mut [f32], x: &[f32], count: usize);
    fn short_sum_c32(y: &mut [C32], x: &[C32], count: usize);
}
