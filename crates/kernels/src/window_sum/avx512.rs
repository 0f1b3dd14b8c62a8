//! Sums of groups for AVX-512: a group is a vector.
//!
//! From the last group to the first each is added to itself and the one behind it, moved by one item, by two, by four and by eight:
//! sums stay in registers, and nothing is loaded twice. What bounds it are these permutations and the two stores.

use core::arch::x86_64::*;

use super::{GROUP, scalar};
use crate::x86::{load16, store16};

/// Sums of 1, 2, 4, 8 and 16 items of one float, or of 1, 2, 4, 8 of two.
type Sums = [__m512; 5];

/// What lies `N` floats behind the first of two vectors.
#[inline]
#[target_feature(enable = "avx512f")]
fn behind<const N: i32>(first: __m512, second: __m512) -> __m512 {
    let both = [second, first].map(|of| _mm512_castps_si512(of));
    _mm512_castsi512_ps(_mm512_alignr_epi32::<N>(both[0], both[1]))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn sums<const PARTS: usize>(x: __m512, next: &Sums) -> Sums {
    let mut sums = [x; 5];
    let mut level = 0;
    if PARTS == 1 {
        sums[1] = _mm512_add_ps(x, behind::<1>(x, next[0]));
        level = 1;
    }
    sums[level + 1] = _mm512_add_ps(sums[level], behind::<2>(sums[level], next[level]));
    sums[level + 2] = _mm512_add_ps(sums[level + 1], behind::<4>(sums[level + 1], next[level + 1]));
    sums[level + 3] = _mm512_add_ps(sums[level + 2], behind::<8>(sums[level + 2], next[level + 2]));
    sums
}

#[inline]
#[target_feature(enable = "avx512f")]
fn group_sums<const PARTS: usize, const ANY: bool>(
    all: &mut [[f32; GROUP]],
    few: &mut [[f32; GROUP]],
    x: &[[f32; GROUP]],
    mut next: Sums,
    count: usize,
) {
    let depth = if PARTS == 1 { 4 } else { 3 };
    let lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    // Where the sums of a power of two begin, behind those of the greater ones.
    let (mut from, mut first) = ([lanes; 4], 0);
    for level in (0..depth).rev().filter(|level| count >> level & 1 == 1) {
        from[level] = _mm512_add_epi32(lanes, _mm512_set1_epi32(first));
        first += (PARTS << level) as i32;
    }
    for ((x, all), few) in x.iter().zip(all).zip(few).rev() {
        let now = sums::<PARTS>(load16(x), &next);
        let mut sum = _mm512_setzero_ps();
        if ANY {
            for level in (0..depth).rev() {
                if count >> level & 1 == 1 {
                    let there = _mm512_permutex2var_ps(now[level], from[level], next[level]);
                    sum = _mm512_add_ps(sum, there);
                }
            }
        }
        store16(few, sum);
        store16(all, now[depth]);
        next = now;
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) fn group_sums_f32(all: &mut [f32], few: &mut [f32], x: &[f32], parts: usize, count: usize) {
    let (all, all_rest) = all.as_chunks_mut::<GROUP>();
    let (few, few_rest) = few.as_chunks_mut::<GROUP>();
    let (x, x_rest) = x.split_at(all.len() * GROUP);
    scalar::group_sums_f32(all_rest, few_rest, x_rest, parts, count);
    let x = x.as_chunks::<GROUP>().0;
    // Behind the last whole group there are as many as its own sums ask for.
    let mut behind = [0.0; GROUP];
    let there = x_rest.len().min(GROUP);
    behind[..there].copy_from_slice(&x_rest[..there]);
    let (next, zeros) = (load16(&behind), [_mm512_setzero_ps(); 5]);
    match (parts, count) {
        (1, 0) => group_sums::<1, false>(all, few, x, sums::<1>(next, &zeros), 0),
        (1, _) => group_sums::<1, true>(all, few, x, sums::<1>(next, &zeros), count),
        (_, 0) => group_sums::<2, false>(all, few, x, sums::<2>(next, &zeros), 0),
        _ => group_sums::<2, true>(all, few, x, sums::<2>(next, &zeros), count),
    }
}
