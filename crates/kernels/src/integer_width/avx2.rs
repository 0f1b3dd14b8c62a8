//! Conversions between widths of integers compiled for AVX2.
//!
//! GAIN

crate::elementwise::compile_for_avx2! {
    fn i8_to_i16(y: &mut [i16], x: &[i8]);
    fn i16_to_i8(y: &mut [i8], x: &[i16]);
}
