//! The sums of a polyphase filter bank compiled for AVX-512.

use crate::C32;

crate::elementwise::compile_for_avx512! {
    fn polyphase_c32_f32(y: &mut [C32], x: &[C32], taps: &[f32]);
}
