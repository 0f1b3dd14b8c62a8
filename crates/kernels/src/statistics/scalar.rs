//! The definition of mean and variance.
//!
//! ```text
//! for x in items { mean += x / len }
//! for x in items { variance += (x - mean)² / len }
//! ```
//!
//! 1. Both passes run over a chunk of 1024 items, which then lies in the level-1 cache for the second.
//! 2. The second pass subtracts the mean of the chunk, so that a large mean does not drown a small variance.
//! 3. The chunks are combined in f64, by the distances of their means from the first one: a large mean drowns nothing there
//!    either, and nothing waits for a division.

use super::Moments;
use crate::sum::scalar::chunk_sums;

/// Items that are summed in f32.
const CHUNK: usize = 1024;

#[inline(always)]
pub(super) fn moments_f32(x: &[f32]) -> Moments {
    moments(x, |x| chunk_sums(x, |x| x), squared_deviations)
}

/// `Σ (x[n] − middle)²`, of the even and of the odd items.
#[inline(always)]
pub(super) fn squared_deviations(x: &[f32], middle: f32) -> [f32; 2] {
    chunk_sums(x, |x| (x - middle) * (x - middle))
}

/// The moments by the sums of chunks.
#[inline(always)]
pub(super) fn moments(
    x: &[f32],
    sums: impl Fn(&[f32]) -> [f32; 2],
    squared_deviations: impl Fn(&[f32], f32) -> [f32; 2],
) -> Moments {
    // Sums over chunks of their squares, of their distances from the first one, and of the squares of those.
    let (mut first, mut squares, mut distances, mut distances_squared) = (None, 0.0, 0.0, 0.0);
    for x in x.chunks(CHUNK) {
        let count = x.len() as f64;
        // Exact, and no division, but for the last chunk.
        let per_item = if x.len() == CHUNK { 1.0 / CHUNK as f64 } else { 1.0 / count };
        let [even, odd] = sums(x);
        let middle = (f64::from(even) + f64::from(odd)) * per_item;
        // Rounded, the middle is off by a little: the deviations from it have a mean of their own.
        let rounded = middle as f32;
        let [even, odd] = squared_deviations(x, rounded);
        let slip = middle - f64::from(rounded);
        squares += (f64::from(even) + f64::from(odd) - count * slip * slip).max(0.0);

        let distance = middle - *first.get_or_insert(middle);
        distances += count * distance;
        distances_squared += count * distance * distance;
    }
    let count = x.len() as f64;
    let shift = distances / count;
    let variance = (squares + (distances_squared - distances * shift).max(0.0)) / count;
    // 0 / 0 of an empty slice is the NaN that the contract promises.
    Moments { mean: (first.unwrap_or(0.0) + shift) as f32, variance: variance as f32 }
}
