//! Loops for any processor. Every aarch64 has fused multiply-adds.

use super::Routine;

#[cfg(target_arch = "aarch64")]
type Plain = super::Fused;
#[cfg(not(target_arch = "aarch64"))]
type Plain = super::Rounded;

#[inline(always)]
pub(super) fn run<R: Routine>(routine: R) -> R::Output {
    routine.run::<Plain>()
}
