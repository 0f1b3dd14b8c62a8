//! Conversions to single precision compiled for AVX-512; for those to double precision stores are the limit, as with AVX2.
//!
//! Gain over AVX2: 22 instead of 14.8 Gitems/s for `f64_to_f32`
//! (`cargo bench -p superhet-kernels -- f64_to_f32`, 1024 items, Zen 4).

use crate::{C32, C64};

crate::elementwise::compile_for_avx512! {
    fn f64_to_f32(y: &mut [f32], x: &[f64]);
    fn c64_to_c32(y: &mut [C32], x: &[C64]);
}
