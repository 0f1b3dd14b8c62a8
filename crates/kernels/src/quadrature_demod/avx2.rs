//! Quadrature demodulation compiled for AVX2.
//!
//! Gain over `scalar`: 0.92 instead of 0.46 Gitems/s
//! (`cargo bench -p superhet-kernels --features trials -- quadrature`, 1024 items, Zen 4).

use crate::C32;

crate::elementwise::compile_for_avx2! {
    fn quadrature_demod(y: &mut [f32], x: &[C32], gain: f32);
}
