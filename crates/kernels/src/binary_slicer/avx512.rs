//! Binary slicers compiled for AVX-512.
//!
//! GAIN

crate::elementwise::compile_for_avx512! {
    fn binary_slicer_u8(y: &mut [u8], x: &[f32]);
    fn binary_slicer_i32(y: &mut [i32], x: &[f32]);
}
