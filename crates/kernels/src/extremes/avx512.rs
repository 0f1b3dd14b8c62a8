//! Extremes of complex numbers compiled for AVX-512; those of real ones are faster with AVX2 on a Zen 4.
//!
//! Gain over AVX2: 13.4 instead of 9.5 Gitems/s for `index_of_max_c32`
//! (`cargo bench -p superhet-kernels --features trials -- index_of_max`, 8192 items, Zen 4).
//!
//! On a Zen 5, which does not halve the vectors, also 68 instead of 50 for `max_f32`, 20 instead of 16 for
//! `index_of_max_f32` (`superhet bench kernels --variants --length 1024`).

use crate::C32;

crate::elementwise::compile_for_avx512! {
    fn max_f32(x: &[f32]) -> f32;
    fn min_f32(x: &[f32]) -> f32;
    fn index_of_max_f32(x: &[f32]) -> Option<usize>;
    fn index_of_min_f32(x: &[f32]) -> Option<usize>;
    fn index_of_max_c32(x: &[C32]) -> Option<usize>;
    fn index_of_min_c32(x: &[C32]) -> Option<usize>;
}
