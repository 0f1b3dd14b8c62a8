//! Decimation by a few, as a sum of filters that do not decimate.
//!
//! ```text
//! y[k] = Σⱼ x[k · D + j] · taps[j] = Σₚ Σᵢ x[(k + i) · D + p] · taps[i · D + p]
//! ```
//!
//! The samples of a phase p are put next to one another, and so are its taps. Then a filter without decimation gives the
//! inner sum: it has neighbouring outputs in a vector and reads neighbouring samples, whereas the windows of decimated
//! outputs overlap at places where vectors straddle cache lines. Each output still has its products in one order,
//! whichever place it has.

use std::ops::AddAssign;

/// Outputs that are filtered at once.
const OUTPUTS: usize = 192;
/// Taps of a phase that are gone through at once.
const TAPS: usize = 65;
/// Samples of a phase under so many taps of so many outputs.
const SAMPLES: usize = OUTPUTS + TAPS - 1;

/// Whether so many taps are worth sorting out.
#[inline(always)]
pub(super) fn pay(taps: usize, decimation: usize) -> bool {
    (2..=4).contains(&decimation) && taps >= 4 * decimation
}

/// Filters with a decimation for which [`pay`] holds, by a `filter` without.
#[inline(always)]
pub(super) fn decimate<Y, X, T>(
    y: &mut [Y],
    x: &[X],
    taps: &[T],
    decimation: usize,
    filter: impl Fn(&mut [Y], &[X], &[T]),
) where
    Y: Copy + Default + AddAssign,
    X: Copy + Default,
    T: Copy + Default,
{
    match decimation {
        2 => decimate_by::<2, _, _, _>(y, x, taps, filter),
        3 => decimate_by::<3, _, _, _>(y, x, taps, filter),
        _ => decimate_by::<4, _, _, _>(y, x, taps, filter),
    }
}

#[inline(always)]
fn decimate_by<const D: usize, Y, X, T>(
    y: &mut [Y],
    x: &[X],
    taps: &[T],
    filter: impl Fn(&mut [Y], &[X], &[T]),
) where
    Y: Copy + Default + AddAssign,
    X: Copy + Default,
    T: Copy + Default,
{
    let (mut some_x, mut some_taps, mut sums) =
        ([X::default(); SAMPLES], [T::default(); TAPS], [Y::default(); OUTPUTS]);
    for (block, y) in y.chunks_mut(OUTPUTS).enumerate() {
        y.fill(Y::default());
        let x = &x[block * OUTPUTS * D..];
        for (part, taps) in taps.chunks(TAPS * D).enumerate() {
            let x = &x[part * TAPS * D..];
            for phase in 0..D.min(taps.len()) {
                let taps = take_every::<D, _>(&mut some_taps, &taps[phase..], usize::MAX);
                let x = take_every::<D, _>(&mut some_x, &x[phase..], y.len() + taps.len() - 1);
                let sums = &mut sums[..y.len()];
                filter(sums, x, taps);
                for (y, sum) in y.iter_mut().zip(sums) {
                    *y += *sum;
                }
            }
        }
    }
}

/// Every `D`-th item from the first, at most so many.
#[inline(always)]
fn take_every<'a, const D: usize, T: Copy>(taken: &'a mut [T], from: &[T], most: usize) -> &'a [T] {
    let len = from.len().div_ceil(D).min(most);
    let taken = &mut taken[..len];
    let (chunks, rest) = from.as_chunks::<D>();
    for (taken, chunk) in taken.iter_mut().zip(chunks) {
        *taken = chunk[0];
    }
    if chunks.len() < len {
        taken[len - 1] = rest[0];
    }
    taken
}
