//! Conversions between precisions compiled for AVX-512.
//!
//! GAIN

use crate::{C32, C64};

crate::elementwise::compile_for_avx512! {
    fn f64_to_f32(y: &mut [f32], x: &[f64]);
    fn c64_to_c32(y: &mut [C32], x: &[C64]);
}
