//! Linear recursions compiled for AVX2.
//!
//! Gain over `scalar`: 1.5 instead of 1.1 Gitems/s for order 2
//! (`superhet bench kernels --variants --kernel recursion_f64 --length 1024`, Zen 5).

use super::GROUP;

crate::elementwise::compile_for_avx2! {
    fn recursion_f64(y: &mut [f64], x: &[f64], matrix: &[[f64; GROUP]], order: usize);
}
