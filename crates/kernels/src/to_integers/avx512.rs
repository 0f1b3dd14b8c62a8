//! Conversions to integers compiled for AVX-512.
//!
//! Gain over `scalar`: 6.6 instead of 1.8 Gitems/s for `c32_to_u8`
//! (`cargo bench -p superhet-kernels -- c32_to_u8`, 1024 items, Zen 4).

use crate::C32;

crate::elementwise::compile_for_avx512! {
    fn f32_to_u8(y: &mut [u8], x: &[f32]);
    fn f32_to_i8(y: &mut [i8], x: &[f32]);
    fn f32_to_i16(y: &mut [i16], x: &[f32]);
    fn c32_to_u8(y: &mut [[u8; 2]], x: &[C32]);
    fn c32_to_i8(y: &mut [[i8; 2]], x: &[C32]);
    fn c32_to_i16(y: &mut [[i16; 2]], x: &[C32]);
    fn f32_to_i32(y: &mut [i32], x: &[f32]);
    fn f32_to_u8_scaled(y: &mut [u8], x: &[f32], scale: f32);
    fn f32_to_i8_scaled(y: &mut [i8], x: &[f32], scale: f32);
    fn f32_to_i16_scaled(y: &mut [i16], x: &[f32], scale: f32);
    fn f32_to_i32_scaled(y: &mut [i32], x: &[f32], scale: f32);
    fn c32_to_i8_scaled(y: &mut [[i8; 2]], x: &[C32], scale: f32);
    fn c32_to_i16_scaled(y: &mut [[i16; 2]], x: &[C32], scale: f32);
}
