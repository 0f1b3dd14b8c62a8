//! Sums over windows for AVX-512, in one pass: each vector of items is loaded once, and its sums are stored once.
//!
//! Sums of up to 16 floats are those of a vector and the one before it, moved by one item, by two, by four and by eight: they stay in
//! registers. Sums of more lie in a place of their own until the vector comes that they are added to: so many sums of `2ⁿ` vectors
//! are kept for each `n` that there is, those of the vectors before, in turn. What bounds it are permutations and additions: one each for
//! a sum of 2, 4, 8 and 16 floats, and an addition, a load and a store for each `n` and for each that the window has.

use core::arch::x86_64::*;

use crate::x86::{load16, store16};
use crate::{C32, floats, floats_mut};

/// Floats of a vector.
const LANES: usize = 16;

/// Sums of vectors before: those of `2ⁿ` of them lie from place `2ⁿ` on.
type Places<const PLACES: usize> = [Line; PLACES];

/// A vector in a line of the level-1 cache: it lies across two where it is not aligned.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line([f32; LANES]);

/// What the sums that end in a vector take from the one before it.
struct Before {
    /// Sums of 1, 2, 4 and 8 items of one float, or of 1, 2 and 4 of two.
    powers: [__m512; 4],
    /// Sums of those of `count` that are less.
    few: [__m512; 4],
}

/// What ends `1 << level` items before the end of the second vector, whose items have `PARTS` floats.
#[inline]
#[target_feature(enable = "avx512f")]
fn earlier<const PARTS: usize>(first: __m512, second: __m512, level: usize) -> __m512 {
    // Not by `map` of an array: where that is compiled for any processor, it stays a call, and vectors go through memory.
    let (first, second) = (_mm512_castps_si512(first), _mm512_castps_si512(second));
    _mm512_castsi512_ps(match PARTS << level {
        1 => _mm512_alignr_epi32::<15>(second, first),
        2 => _mm512_alignr_epi32::<14>(second, first),
        4 => _mm512_alignr_epi32::<12>(second, first),
        _ => _mm512_alignr_epi32::<8>(second, first),
    })
}

/// The sums of a vector's worth of items that end at each of `x`, and those of `FEW` items.
#[inline]
#[target_feature(enable = "avx512f")]
fn of_vector<const PARTS: usize, const FEW: usize>(x: __m512, before: &mut Before) -> [__m512; 2] {
    let (mut power, mut sum) = (x, _mm512_setzero_ps());
    let depth = if PARTS == 1 { 4 } else { 3 };
    for level in 0..depth {
        let (powers, sums) = (&mut before.powers[level], &mut before.few[level]);
        let twice = _mm512_add_ps(power, earlier::<PARTS>(*powers, power, level));
        let now = if FEW >> level & 1 == 0 {
            sum
        } else if FEW & ((1 << level) - 1) == 0 {
            power
        } else {
            _mm512_add_ps(power, earlier::<PARTS>(*sums, sum, level))
        };
        (*powers, *sums) = (power, sum);
        (power, sum) = (twice, now);
    }
    [power, sum]
}

/// What lies at a place, which `now` takes.
#[inline]
#[target_feature(enable = "avx512f")]
fn exchange<const PLACES: usize>(
    places: &mut Places<PLACES>,
    level: u32,
    turn: usize,
    now: __m512,
) -> __m512 {
    let place = &mut places[((1 << level) + (turn & ((1 << level) - 1))) % PLACES];
    let then = load16(&place.0);
    store16(&mut place.0, now);
    then
}

/// Of windows of a vector and more: whole vectors, and `FEW` items before them. `PLACES` is twice the greatest power of two in the number of
/// vectors.
#[inline]
#[target_feature(enable = "avx512f")]
fn window_sum<const PARTS: usize, const FEW: usize, const PLACES: usize>(
    y: &mut [f32],
    x: &[f32],
    count: usize,
    scale: f32,
) {
    let (vectors, top) = (count * PARTS / LANES, const { PLACES.ilog2() - 1 });
    let (scale, zeros) = (_mm512_set1_ps(scale), [_mm512_setzero_ps(); 4]);
    // Not in one place with the others: what `before` has stays in registers.
    let mut before = Before { powers: zeros, few: zeros };
    let (mut powers, mut sums) = ([Line([0.0; LANES]); PLACES], [Line([0.0; LANES]); PLACES]);
    // A vector ends where the first sum does; the last one may lack items.
    let (begun, x) = x.split_at(PARTS * (count - 1) % LANES);
    let (mut first, mut last) = ([0.0; LANES], [0.0; LANES]);
    first[LANES - begun.len()..].copy_from_slice(begun);
    let past = 1 + (x.len() - y.len()) / LANES;
    let (x, x_rest) = x.as_chunks::<LANES>();
    last[..x_rest.len()].copy_from_slice(x_rest);
    let (y, y_rest) = y.as_chunks_mut::<LANES>();
    let mut y_last = [0.0; LANES];
    for turn in 0..past + y.len() + usize::from(!y_rest.is_empty()) {
        let now = if turn == 0 { &first } else { x.get(turn - 1).unwrap_or(&last) };
        let [mut power, mut sum] = of_vector::<PARTS, FEW>(load16(now), &mut before);
        for level in 0..=top {
            if vectors >> level & 1 == 1 {
                let is_first = FEW == 0 && vectors & ((1 << level) - 1) == 0;
                sum = if is_first {
                    power
                } else {
                    _mm512_add_ps(power, exchange(&mut sums, level, turn, sum))
                };
            }
            if level < top {
                power = _mm512_add_ps(power, exchange(&mut powers, level, turn, power));
            }
        }
        // What comes before the first sums is written over.
        let place = y.get_mut(turn.saturating_sub(past)).unwrap_or(&mut y_last);
        store16(place, _mm512_mul_ps(scale, sum));
    }
    y_rest.copy_from_slice(&y_last[..y_rest.len()]);
}

#[inline]
#[target_feature(enable = "avx512f")]
fn for_vectors<const PARTS: usize, const FEW: usize>(y: &mut [f32], x: &[f32], count: usize, scale: f32) {
    match count * PARTS / LANES {
        ..2 => window_sum::<PARTS, FEW, 2>(y, x, count, scale),
        2..4 => window_sum::<PARTS, FEW, 4>(y, x, count, scale),
        4..8 => window_sum::<PARTS, FEW, 8>(y, x, count, scale),
        8..16 => window_sum::<PARTS, FEW, 16>(y, x, count, scale),
        16..32 => window_sum::<PARTS, FEW, 32>(y, x, count, scale),
        _ => window_sum::<PARTS, FEW, 64>(y, x, count, scale),
    }
}

/// The items before the vectors are known where the loop is compiled: it takes half as long as with branches that ask for them.
#[inline]
#[target_feature(enable = "avx512f")]
fn for_few<const PARTS: usize>(y: &mut [f32], x: &[f32], count: usize, scale: f32) {
    if count * PARTS < LANES {
        return super::scalar::window_sum::<PARTS>(y, x, count, scale);
    }
    match count % (LANES / PARTS) {
        1 => for_vectors::<PARTS, 1>(y, x, count, scale),
        2 => for_vectors::<PARTS, 2>(y, x, count, scale),
        3 => for_vectors::<PARTS, 3>(y, x, count, scale),
        4 => for_vectors::<PARTS, 4>(y, x, count, scale),
        5 => for_vectors::<PARTS, 5>(y, x, count, scale),
        6 => for_vectors::<PARTS, 6>(y, x, count, scale),
        7 => for_vectors::<PARTS, 7>(y, x, count, scale),
        8 if PARTS == 1 => for_vectors::<1, 8>(y, x, count, scale),
        9 if PARTS == 1 => for_vectors::<1, 9>(y, x, count, scale),
        10 if PARTS == 1 => for_vectors::<1, 10>(y, x, count, scale),
        11 if PARTS == 1 => for_vectors::<1, 11>(y, x, count, scale),
        12 if PARTS == 1 => for_vectors::<1, 12>(y, x, count, scale),
        13 if PARTS == 1 => for_vectors::<1, 13>(y, x, count, scale),
        14 if PARTS == 1 => for_vectors::<1, 14>(y, x, count, scale),
        15 if PARTS == 1 => for_vectors::<1, 15>(y, x, count, scale),
        _ => for_vectors::<PARTS, 0>(y, x, count, scale),
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) fn window_sum_f32(y: &mut [f32], x: &[f32], count: usize, scale: f32) {
    for_few::<1>(y, x, count, scale);
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) fn window_sum_c32(y: &mut [C32], x: &[C32], count: usize, scale: f32) {
    for_few::<2>(floats_mut(y), floats(x), count, scale);
}
