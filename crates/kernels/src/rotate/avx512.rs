//! Rotation compiled for AVX-512.
//!
//! Gain over AVX2: 4.8 instead of 4.6 Gitems/s (`cargo bench -p superhet-kernels --features trials -- rotate`, 8192 items, Zen 4).

use crate::C32;

crate::elementwise::compile_for_avx512! {
    fn rotate_c32(y: &mut [C32], x: &[C32], turns: &[C32], anchor: C32);
    fn rotate_c32_in_place(x: &mut [C32], turns: &[C32], anchor: C32);
}
