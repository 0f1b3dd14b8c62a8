//! The definition of the sums of a polyphase filter bank.
//!
//! ```text
//! for m in 0..branches { for p in 0..taps_of_a_branch { y[m] += taps[p · branches + m] · x[p · branches + m] } }
//! ```
//!
//! Neighbouring branches are summed together: they have neighbouring samples and taps. Each branch still has its products
//! in order.

use crate::C32;

/// Branches that are summed together.
const LANES: usize = 16;

#[inline(always)]
pub(super) fn polyphase_c32_f32(y: &mut [C32], x: &[C32], taps: &[f32]) {
    if x.is_empty() {
        return y.fill(C32::ZERO);
    }
    let branches = y.len();
    let mut first = 0;
    while first < branches {
        let width = if branches - first >= LANES { LANES } else { 1 };
        let y = &mut y[first..][..width];
        match width {
            LANES => y.copy_from_slice(&sums::<LANES>(&x[first..], &taps[first..], branches)),
            _ => y.copy_from_slice(&sums::<1>(&x[first..], &taps[first..], branches)),
        }
        first += width;
    }
}

#[inline(always)]
fn sums<const N: usize>(x: &[C32], taps: &[f32], branches: usize) -> [C32; N] {
    let mut sums = [C32::ZERO; N];
    for (x, taps) in x.chunks(branches).zip(taps.chunks(branches)) {
        let (Some(x), Some(taps)) = (x.first_chunk::<N>(), taps.first_chunk::<N>()) else { break };
        for lane in 0..N {
            sums[lane] += x[lane] * taps[lane];
        }
    }
    sums
}
