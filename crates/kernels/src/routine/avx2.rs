//! Loops compiled for AVX2, with fused multiply-adds.

use super::{Fused, Routine};

#[target_feature(enable = "avx2,fma")]
pub(super) fn run<R: Routine>(routine: R) -> R::Output {
    routine.run::<Fused>()
}
