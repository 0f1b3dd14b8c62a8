//! Biquad cascades compiled for AVX2.
//!
//! Gain over `scalar`: 8.2 instead of 4.0 Gitems/s with 64 channels, 1.6 instead of 1.3 with 8, none with one
//! (`cargo bench -p superhet-kernels --features trials -- biquads`, 8192 items, Zen 4).

use super::{Section, State};

crate::elementwise::compile_for_avx2! {
    fn biquads_f32(x: &mut [f32], sections: &[Section], state: &mut [State], channels: usize);
}
