//! The definition of sums over windows.
//!
//! ```text
//! for n in 0..len { y[n] = scale · (x[n] + x[n + 1] + … + x[n + count − 1]) }
//! ```
//!
//! 1. Sums of two, of four, … each are two of the kind before.
//! 2. Those of the powers of two in `count` make the window, the least one first, from its oldest item on.
//! 3. A piece of the slice at a time, so that all of them stay in the level-1 cache.

use super::LONGEST;
use crate::{C32, floats, floats_mut};

/// Floats out of a piece.
const PIECE: usize = 1024;

/// Floats into one.
const INTO: usize = PIECE + 2 * LONGEST;

#[inline(always)]
fn piece<const PARTS: usize>(y: &mut [f32], x: &[f32], count: usize, scale: f32) {
    let (mut powers, mut twice, mut sums) = ([0.0; INTO], [0.0; INTO], [0.0; PIECE]);
    powers[..x.len()].copy_from_slice(x);
    let sums = &mut sums[..y.len()];
    // Of `powers` there are so many, each the sum of `1 << level` items; `sums` have the items that lie before them.
    let (mut there, mut before) = (x.len(), 0);
    for level in 0..=count.ilog2() {
        let step = PARTS << level;
        if count >> level & 1 == 1 {
            let powers = &powers[before..before + sums.len()];
            if before == 0 {
                sums.copy_from_slice(powers);
            } else {
                sums.iter_mut().zip(powers).for_each(|(sum, power)| *sum += power);
            }
            before += step;
        }
        if level < count.ilog2() {
            there -= step;
            let (early, late) = (&powers[..there], &powers[step..step + there]);
            for ((twice, early), late) in twice[..there].iter_mut().zip(early).zip(late) {
                *twice = early + late;
            }
            std::mem::swap(&mut powers, &mut twice);
        }
    }
    y.iter_mut().zip(sums).for_each(|(y, sum)| *y = scale * *sum);
}

#[inline(always)]
pub(super) fn window_sum<const PARTS: usize>(y: &mut [f32], x: &[f32], count: usize, scale: f32) {
    for (place, y) in y.chunks_mut(PIECE).enumerate() {
        let x = &x[place * PIECE..][..y.len() + PARTS * (count - 1)];
        piece::<PARTS>(y, x, count, scale);
    }
}

#[inline(always)]
pub(super) fn window_sum_f32(y: &mut [f32], x: &[f32], count: usize, scale: f32) {
    window_sum::<1>(y, x, count, scale);
}

#[inline(always)]
pub(super) fn window_sum_c32(y: &mut [C32], x: &[C32], count: usize, scale: f32) {
    window_sum::<2>(floats_mut(y), floats(x), count, scale);
}
