//! The sums of a polyphase filter bank compiled for AVX2.

use crate::C32;

crate::elementwise::compile_for_avx2! {
    fn polyphase_c32_f32(y: &mut [C32], x: &[C32], taps: &[f32]);
}
