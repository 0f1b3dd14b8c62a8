//! Decimation by a few, by filters that do not decimate: as a sum over phases, or throwing outputs away.
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

/// The ways to decimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Filters without decimation and throws most outputs away: for few taps.
    Discard,
    /// Sums over phases.
    Phases,
    /// Each output by itself.
    Singly,
}

/// The fastest way; it depends on nothing but the type of outputs, the taps and the decimation, so that every output of a
/// filter comes about in the same way.
#[inline(always)]
pub(super) fn way<Y>(taps: usize, decimation: usize) -> Way {
    match decimation {
        _ if taps.saturating_mul(decimation) <= 320 / size_of::<Y>() => Way::Discard,
        2..=4 => Way::Phases,
        _ => Way::Singly,
    }
}

/// Filters with a decimation of 2 to 4, by a `filter` without.
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

/// Filters without decimation and keeps one output of so many, at most [`OUTPUTS`].
#[inline(always)]
pub(super) fn discard<Y: Copy + Default, X, T>(
    y: &mut [Y],
    x: &[X],
    taps: &[T],
    decimation: usize,
    filter: impl Fn(&mut [Y], &[X], &[T]),
) {
    if taps.is_empty() {
        return filter(y, x, taps); // Without taps there need not be a sample for every output.
    }
    let mut all = [Y::default(); OUTPUTS];
    let outputs = OUTPUTS / decimation;
    for (block, y) in y.chunks_mut(outputs).enumerate() {
        let x = &x[block * outputs * decimation..];
        // Whole vectors, if there are samples for those behind the last output, too.
        let all = &mut all[..(y.len() * decimation).min(x.len() + 1 - taps.len())];
        filter(all, x, taps);
        match decimation {
            2 => _ = take_every::<2, _>(y, all, outputs),
            3 => _ = take_every::<3, _>(y, all, outputs),
            4 => _ = take_every::<4, _>(y, all, outputs),
            _ => y.iter_mut().zip(all.iter().step_by(decimation)).for_each(|(y, kept)| *y = *kept),
        }
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
    let (mut some_x, mut some_taps) = ([X::default(); SAMPLES], [T::default(); TAPS]);
    let mut sums = [Y::default(); OUTPUTS];
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
