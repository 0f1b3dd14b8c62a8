//! Sums of four phases over rows for AVX-512: 32 lanes are two vectors, so a row is loaded once for eight fused multiply-adds.
//!
//! That is what bounds it: 59 products/ns for 37 and for 187 rows (Zen 4, in a loop of its own), one vector a cycle.

use core::arch::x86_64::*;

use super::{LANES, scalar};
use crate::x86::{at, load16, store16};

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
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
    let mut sums = [[_mm512_setzero_ps(); 2]; 4];
    let (mut line, mut lead) = (first % height, first / height * shift);
    let (mut rest, _) = taps.as_chunks::<4>();
    while !rest.is_empty() {
        let (now, later) = rest.split_at(rest.len().min(height - line));
        let mut from = line * stride + lead;
        for taps in now {
            let row: &[f32; LANES] = at(rows, from);
            let row = [load16(at(row, 0)), load16(at(row, 16))];
            for (sums, tap) in sums.iter_mut().zip(taps) {
                let tap = _mm512_set1_ps(*tap);
                sums[0] = _mm512_fmadd_ps(row[0], tap, sums[0]);
                sums[1] = _mm512_fmadd_ps(row[1], tap, sums[1]);
            }
            from += stride;
        }
        (rest, line, lead) = (later, 0, lead + shift);
    }
    for (y, sum) in y.as_chunks_mut().0.iter_mut().zip(sums.as_flattened()) {
        store16(y, *sum);
    }
}
