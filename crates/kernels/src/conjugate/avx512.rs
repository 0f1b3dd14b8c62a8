//! Conjugation compiled for AVX-512.
//!
//! Gain over `scalar`: 14.5 instead of 6.3 Gitems/s; stores are the limit, as with AVX2
//! (`cargo bench -p superhet-kernels -- conjugate`, 1024 items, Zen 4).

use crate::C32;

crate::elementwise::compile_for_avx512! {
    fn conjugate(y: &mut [C32], x: &[C32]);
    fn conjugate_in_place(x: &mut [C32]);
}
