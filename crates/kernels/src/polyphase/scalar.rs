//! The definition of the sums of a polyphase filter bank.
//!
//! ```text
//! for each frame k, for m in 0..branches {
//!     for p in 0..taps_of_a_branch { y[k · branches + m] += taps[p · branches + m] · x[k · step + p · branches + m] }
//! }
//! ```
//!
//! Neighbouring branches are summed together: they have neighbouring samples and taps. So are neighbouring frames, which have
//! the same taps, where a frame alone is too short to keep the adders busy. Each branch still has its products in order.

use crate::C32;

use super::frames;

#[inline(always)]
pub(super) fn polyphase_c32_f32(y: &mut [C32], x: &[C32], taps: &[f32], step: usize) {
    by_eights(y, x, taps, step, |bank, y, x, first| {
        bank.sum::<8, 2>(y, x, first);
    });
}

/// Sums the branches in eights, by `eight` from its last argument on in all frames, and those that are left.
#[inline(always)]
pub(super) fn by_eights(
    y: &mut [C32],
    x: &[C32],
    taps: &[f32],
    step: usize,
    eight: impl Fn(&Bank<'_>, &mut [C32], &[C32], usize),
) {
    let frames = frames(x.len(), taps.len(), step);
    if taps.is_empty() || frames == 0 {
        return y.fill(C32::ZERO);
    }
    let bank = Bank { taps, branches: y.len() / frames, step };
    let mut first = 0;
    while first < bank.branches {
        first += match bank.branches - first {
            8.. => {
                eight(&bank, y, x, first);
                8
            }
            4.. => bank.sum::<4, 4>(y, x, first),
            _ => bank.sum::<1, 4>(y, x, first),
        };
    }
}

pub(super) struct Bank<'a> {
    pub taps: &'a [f32],
    pub branches: usize,
    pub step: usize,
}

impl Bank<'_> {
    /// Sums `LANES` branches from `first` on in all frames, `FRAMES` at a time; gives `LANES`.
    #[inline(always)]
    fn sum<const LANES: usize, const FRAMES: usize>(&self, y: &mut [C32], x: &[C32], first: usize) -> usize {
        let mut x = &x[first..];
        let mut groups = y.chunks_exact_mut(FRAMES * self.branches);
        for y in &mut groups {
            let sums = self.sums::<LANES, FRAMES>(x, first);
            for (y, sums) in y.chunks_exact_mut(self.branches).zip(&sums) {
                y[first..][..LANES].copy_from_slice(sums);
            }
            // The last frame of all may have no other behind it.
            x = x.get(FRAMES * self.step..).unwrap_or_default();
        }
        for y in groups.into_remainder().chunks_exact_mut(self.branches) {
            y[first..][..LANES].copy_from_slice(&self.sums::<LANES, 1>(x, first)[0]);
            x = x.get(self.step..).unwrap_or_default();
        }
        LANES
    }

    #[inline(always)]
    fn sums<const LANES: usize, const FRAMES: usize>(
        &self,
        x: &[C32],
        first: usize,
    ) -> [[C32; LANES]; FRAMES] {
        let mut sums = [[C32::ZERO; LANES]; FRAMES];
        let frames: [&[C32]; FRAMES] = std::array::from_fn(|frame| &x[frame * self.step..]);
        for (round, taps) in self.taps[first..].chunks(self.branches).enumerate() {
            let Some(taps) = taps.first_chunk::<LANES>() else { break };
            for (sums, x) in sums.iter_mut().zip(frames) {
                let Some(x) = x[round * self.branches..].first_chunk::<LANES>() else { break };
                for lane in 0..LANES {
                    sums[lane] += x[lane] * taps[lane];
                }
            }
        }
        sums
    }
}
