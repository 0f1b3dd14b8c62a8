//! Multiplication in place by real items compiled for AVX-512; what else there is gains nothing over AVX2.
//!
//! The gain is measured by `cargo bench -p superhet-kernels -- multiply_c32_f32`.

use crate::C32;

crate::elementwise::compile_for_avx512! {
    fn multiply_c32_f32_in_place(a: &mut [C32], b: &[f32]);
}
