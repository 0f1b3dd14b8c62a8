//! Conversions between widths of integers compiled for AVX-512.
//!
//! GAIN

crate::elementwise::compile_for_avx512! {
    fn i16_to_i8(y: &mut [i8], x: &[i16]);
}
