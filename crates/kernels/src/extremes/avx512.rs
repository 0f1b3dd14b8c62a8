//! Extremes of complex numbers compiled for AVX-512; those of real ones are faster with AVX2.
//!
//! Gain over AVX2: 13.4 instead of 9.5 Gitems/s for `index_of_max_c32`
//! (`cargo bench -p superhet-kernels -- index_of_max`, 8192 items, Zen 4).

use crate::C32;

crate::elementwise::compile_for_avx512! {
    fn index_of_max_c32(x: &[C32]) -> Option<usize>;
    fn index_of_min_c32(x: &[C32]) -> Option<usize>;
}
