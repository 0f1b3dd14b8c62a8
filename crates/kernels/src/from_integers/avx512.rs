//! Conversions from integers compiled for AVX-512; with a scale stores are the limit, as with AVX2.
//!
//! Gain over `scalar`: 11.3 instead of 3.7 Gitems/s for `u8_to_c32`
//! (`cargo bench -p superhet-kernels -- u8_to_c32`, 1024 items, Zen 4).

use crate::C32;

crate::elementwise::compile_for_avx512! {
    fn u8_to_f32(y: &mut [f32], x: &[u8]);
    fn i8_to_f32(y: &mut [f32], x: &[i8]);
    fn i16_to_f32(y: &mut [f32], x: &[i16]);
    fn u8_to_c32(y: &mut [C32], x: &[[u8; 2]]);
    fn i8_to_c32(y: &mut [C32], x: &[[i8; 2]]);
    fn i16_to_c32(y: &mut [C32], x: &[[i16; 2]]);
}
