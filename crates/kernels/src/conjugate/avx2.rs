//! Conjugation compiled for AVX2.
//!
//! Gain over `scalar`: 14.5 instead of 6.3 Gitems/s
//! (`cargo bench -p superhet-kernels -- conjugate`, 1024 items, Zen 4).

use crate::C32;

crate::elementwise::compile_for_avx2! {
    fn conjugate(y: &mut [C32], x: &[C32]);
    fn conjugate_in_place(x: &mut [C32]);
}
