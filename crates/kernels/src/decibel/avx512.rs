//! Levels in dB and octaves compiled for AVX-512.
//!
//! GAIN

use crate::C32;

crate::elementwise::compile_for_avx512! {
    fn power_to_db(y: &mut [f32], x: &[f32], offset_db: f32, floor_db: f32);
    fn complex_to_db(y: &mut [f32], x: &[C32], offset_db: f32, floor_db: f32);
    fn complex_to_log2(y: &mut [f32], x: &[C32]);
}
