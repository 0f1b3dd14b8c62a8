//! Linear recursions compiled for AVX2.

use super::GROUP;

crate::elementwise::compile_for_avx2! {
    fn recursion_f64(y: &mut [f64], x: &[f64], matrix: &[[f64; GROUP]], order: usize);
}
