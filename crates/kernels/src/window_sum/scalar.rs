//! The definition of sums of groups.
//!
//! ```text
//! for n in 0..len { all[n] = x[n] + x[n + parts] + …; few[n] = … }
//! ```
//!
//! 1. Sums of two, of four, … each are two of the kind before: a piece of the slice at a time, so that they stay in the level-1 cache.
//! 2. The sums of `count` are those of the powers of two in it, the greatest one first.

use super::GROUP;

/// Sums of a piece.
const PIECE: usize = 240;

/// A piece, and what lies behind it.
type Sums = [f32; PIECE + GROUP];

/// `y[n] = x[n] + x[n + step]`, where both are there.
#[inline(always)]
fn twice(x: &Sums, step: usize) -> Sums {
    let mut y = [0.0; PIECE + GROUP];
    for (n, y) in y[..PIECE + GROUP - step].iter_mut().enumerate() {
        *y = x[n] + x[n + step];
    }
    y
}

#[inline(always)]
fn piece(all: &mut [f32], few: &mut [f32], x: &[f32], parts: usize, count: usize) {
    let mut sums = [0.0; PIECE + GROUP];
    sums[..x.len()].copy_from_slice(x);
    let mut levels = [sums; 4];
    let depth = if parts == 1 { 4 } else { 3 };
    for level in 0..depth {
        levels[level] = sums;
        sums = twice(&sums, parts << level);
    }
    all.copy_from_slice(&sums[..all.len()]);
    few.fill(0.0);
    let mut from = 0;
    for level in (0..depth).rev().filter(|level| count >> level & 1 == 1) {
        few.iter_mut().zip(&levels[level][from..]).for_each(|(few, sum)| *few += sum);
        from += parts << level;
    }
}

#[inline(always)]
pub(super) fn group_sums_f32(all: &mut [f32], few: &mut [f32], x: &[f32], parts: usize, count: usize) {
    for (place, (all, few)) in all.chunks_mut(PIECE).zip(few.chunks_mut(PIECE)).enumerate() {
        let x = &x[place * PIECE..][..all.len() + GROUP - parts];
        piece(all, few, x, parts, count);
    }
}
