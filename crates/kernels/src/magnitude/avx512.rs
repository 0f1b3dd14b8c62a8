//! Magnitudes compiled for AVX-512.
//!
//! Gain over AVX2: none for `magnitude` (5.8 Gitems/s: square roots), 15 instead of 12.5 for `magnitude_squared`
//! (`cargo bench -p superhet-kernels -- magnitude`, 1024 items, Zen 4).

use crate::C32;

crate::elementwise::compile_for_avx512! {
    fn magnitude(y: &mut [f32], x: &[C32]);
    fn magnitude_squared(y: &mut [f32], x: &[C32]);
    fn magnitude_to_i16_scaled(y: &mut [i16], x: &[C32], scale: f32);
    fn magnitude_i16(y: &mut [i16], x: &[[i16; 2]]);
    fn magnitude_i16_to_f32_scaled(y: &mut [f32], x: &[[i16; 2]], scale: f32);
}
