//! Loops compiled for AVX-512.

use super::{Fused, Routine};

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) fn run<R: Routine>(routine: R) -> R::Output {
    routine.run::<Fused>()
}
