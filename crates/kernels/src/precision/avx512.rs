//! Conversions between precisions compiled for AVX-512.
//!
//! GAIN

use crate::{C32, C64};

crate::elementwise::compile_for_avx512! {
    fn f32_to_f64(y: &mut [f64], x: &[f32]);
    fn f64_to_f32(y: &mut [f32], x: &[f64]);
    fn c32_to_c64(y: &mut [C64], x: &[C32]);
    fn c64_to_c32(y: &mut [C32], x: &[C64]);
}
