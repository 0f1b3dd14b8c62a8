//! Binary slicers compiled for AVX-512.
//!
//! GAIN

crate::elementwise::compile_for_avx512! {
    fn binary_slicer_u8(y: &mut [u8], x: &[f32]);
}
