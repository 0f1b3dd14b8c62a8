//! The definition of mean and variance.
//!
//! ```text
//! for x in items { mean += x / len }
//! for x in items { variance += (x - mean)² / len }
//! ```
//!
//! 1. Both passes run over a chunk of 1024 items, which then lies in the level-1 cache for the second.
//! 2. The second pass subtracts the mean of the chunk, so that a large mean does not drown a small variance.
//! 3. The chunks are combined in f64 (T. F. Chan, G. H. Golub, R. J. LeVeque, "Updating formulae and a pairwise
//!    algorithm for computing sample variances", 1979, equation 2.1).

use super::Moments;
use crate::sum::scalar::chunk_sums;

/// Items that are summed in f32.
const CHUNK: usize = 1024;

#[inline(always)]
pub(super) fn moments_f32(x: &[f32]) -> Moments {
    let (mut count, mut mean, mut squares) = (0.0, 0.0, 0.0);
    for x in x.chunks(CHUNK) {
        let more = x.len() as f64;
        let [even, odd] = chunk_sums(x, |x| x);
        let middle = (f64::from(even) + f64::from(odd)) / more;
        // Rounded, the middle is off by a little: the deviations from it have a mean of their own.
        let rounded = middle as f32;
        let [even, odd] = chunk_sums(x, |x| (x - rounded) * (x - rounded));
        let slip = middle - f64::from(rounded);
        let squares_here = (f64::from(even) + f64::from(odd) - more * slip * slip).max(0.0);

        let distance = middle - mean;
        let total = count + more;
        squares += squares_here + distance * distance * count * more / total;
        mean += distance * more / total;
        count = total;
    }
    // 0 / 0 of an empty slice is the NaN that the contract promises.
    if x.is_empty() {
        mean = f64::NAN
    }
    Moments { mean: mean as f32, variance: (squares / count) as f32 }
}
