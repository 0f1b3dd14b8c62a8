//! Powers compiled for AVX2.
//!
//! GAIN

crate::elementwise::compile_for_avx2! {
    fn power(y: &mut [f32], a: &[f32], b: &[f32]);
    fn power_const(y: &mut [f32], x: &[f32], exponent: f32);
}
