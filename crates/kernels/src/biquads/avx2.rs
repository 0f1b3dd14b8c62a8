//! Biquad cascades compiled for AVX2.

use super::{Section, State};

crate::elementwise::compile_for_avx2! {
    fn biquads_f32(x: &mut [f32], sections: &[Section], state: &mut [State], channels: usize);
}
