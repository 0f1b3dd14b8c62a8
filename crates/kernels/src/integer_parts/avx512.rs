//! Parts of integer IQ compiled for AVX-512.
//!
//! GAIN

crate::elementwise::compile_for_avx512! {
    fn interleave_i8(y: &mut [[i8; 2]], re: &[i8], im: &[i8]);
    fn interleave_i16(y: &mut [[i16; 2]], re: &[i16], im: &[i16]);
    fn deinterleave_i8(re: &mut [i8], im: &mut [i8], x: &[[i8; 2]]);
    fn deinterleave_i16(re: &mut [i16], im: &mut [i16], x: &[[i16; 2]]);
    fn deinterleave_i8_to_i16(re: &mut [i16], im: &mut [i16], x: &[[i8; 2]]);
    fn deinterleave_i8_to_f32_scaled(re: &mut [f32], im: &mut [f32], x: &[[i8; 2]], scale: f32);
    fn deinterleave_i16_to_f32_scaled(re: &mut [f32], im: &mut [f32], x: &[[i16; 2]], scale: f32);
    fn real_i8(y: &mut [i8], x: &[[i8; 2]]);
    fn real_i16(y: &mut [i16], x: &[[i16; 2]]);
    fn real_i8_to_i16(y: &mut [i16], x: &[[i8; 2]]);
    fn real_i16_to_i8(y: &mut [i8], x: &[[i16; 2]]);
    fn real_i8_to_f32_scaled(y: &mut [f32], x: &[[i8; 2]], scale: f32);
    fn real_i16_to_f32_scaled(y: &mut [f32], x: &[[i16; 2]], scale: f32);
}
