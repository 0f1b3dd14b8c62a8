//! Sums of four phases over rows for AVX2: 16 lanes at a time, which are two vectors, since there are 16 registers.

use core::arch::x86_64::*;

use super::{LANES, scalar};
use crate::x86::{at, at_mut, load8, store8};

#[target_feature(enable = "avx2,fma")]
pub(super) fn periods_f32(
    y: &mut [f32],
    rows: &[f32],
    taps: &[f32],
    first: usize,
    height: usize,
    stride: usize,
    shift: usize,
) {
    if y.len() != 4 * LANES {
        return scalar::periods_f32(y, rows, taps, first, height, stride, shift);
    }
    for half in [0, LANES / 2] {
        let mut sums = [[_mm256_setzero_ps(); 2]; 4];
        let (mut line, mut lead) = (first % height, first / height * shift + half);
        let (mut rest, _) = taps.as_chunks::<4>();
        while !rest.is_empty() {
            let (now, later) = rest.split_at(rest.len().min(height - line));
            let mut from = line * stride + lead;
            for taps in now {
                let row: &[f32; LANES / 2] = at(rows, from);
                let row = [load8(at(row, 0)), load8(at(row, 8))];
                for (sums, tap) in sums.iter_mut().zip(taps) {
                    let tap = _mm256_set1_ps(*tap);
                    sums[0] = _mm256_fmadd_ps(row[0], tap, sums[0]);
                    sums[1] = _mm256_fmadd_ps(row[1], tap, sums[1]);
                }
                from += stride;
            }
            (rest, line, lead) = (later, 0, lead + shift);
        }
        for (phase, sums) in sums.iter().enumerate() {
            store8(at_mut(y, phase * LANES + half), sums[0]);
            store8(at_mut(y, phase * LANES + half + 8), sums[1]);
        }
    }
}
