//! Sums compiled for AVX-512.
//!
//! Gain over AVX2: none for `sum_f32`, 13.9 instead of 12.1 Gitems/s for `energy_c32`
//! (`cargo bench -p superhet-kernels -- sum energy`, 8192 items, Zen 4).

use crate::C32;

crate::elementwise::compile_for_avx512! {
    fn sum_f32(x: &[f32]) -> f32;
    fn sum_c32(x: &[C32]) -> C32;
    fn mean_f32(x: &[f32]) -> f32;
    fn mean_c32(x: &[C32]) -> C32;
    fn energy_f32(x: &[f32]) -> f32;
    fn energy_c32(x: &[C32]) -> f32;
}
