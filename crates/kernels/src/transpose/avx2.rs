//! Rows side by side for AVX2: eight floats of eight rows at a time, or four pairs of four rows, in registers.
//!
//! One by one an item takes a load and a store; here what bounds it are 24 permutations for 64 floats.

use core::arch::x86_64::*;

use super::scalar;
use crate::x86::{at, load8, store8};

/// Eight rows of floats.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn floats(rows: [__m256; 8]) -> [__m256; 8] {
    let [a, b, c, d, e, f, g, h] = rows;
    let low = [
        _mm256_unpacklo_ps(a, b),
        _mm256_unpacklo_ps(c, d),
        _mm256_unpacklo_ps(e, f),
        _mm256_unpacklo_ps(g, h),
    ];
    let high = [
        _mm256_unpackhi_ps(a, b),
        _mm256_unpackhi_ps(c, d),
        _mm256_unpackhi_ps(e, f),
        _mm256_unpackhi_ps(g, h),
    ];
    // Lines 0 and 4, 1 and 5, …: their first halves, then their second ones.
    let four = |a: __m256, b: __m256| [_mm256_shuffle_ps::<0x44>(a, b), _mm256_shuffle_ps::<0xee>(a, b)];
    let ([p, q], [r, s]) = (four(low[0], low[1]), four(high[0], high[1]));
    let ([t, u], [v, w]) = (four(low[2], low[3]), four(high[2], high[3]));
    let first = |a: __m256, b: __m256| _mm256_permute2f128_ps::<0x20>(a, b);
    let second = |a: __m256, b: __m256| _mm256_permute2f128_ps::<0x31>(a, b);
    [
        first(p, t),
        first(q, u),
        first(r, v),
        first(s, w),
        second(p, t),
        second(q, u),
        second(r, v),
        second(s, w),
    ]
}

/// Four rows of pairs.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn pairs(rows: [__m256; 4]) -> [__m256; 4] {
    let [a, b, c, d] = rows.map(|row| _mm256_castps_pd(row));
    let (p, q) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
    let (r, s) = (_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d));
    let first = |a: __m256d, b: __m256d| _mm256_castpd_ps(_mm256_permute2f128_pd::<0x20>(a, b));
    let second = |a: __m256d, b: __m256d| _mm256_castpd_ps(_mm256_permute2f128_pd::<0x31>(a, b));
    [first(p, r), first(q, s), second(p, r), second(q, s)]
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn transpose_f32(
    y: &mut [f32],
    x: &[f32],
    lines: usize,
    columns: usize,
    y_stride: usize,
    x_stride: usize,
    parts: usize,
) {
    // Items of a vector.
    let side = 8 / parts;
    let (whole_lines, whole_columns) = (lines / side * side, columns / side * side);
    for line in (0..whole_lines).step_by(side) {
        for column in (0..whole_columns).step_by(side) {
            let (from, to) = (column * x_stride + line * parts, line * y_stride + column * parts);
            if parts == 1 {
                let mut rows = [_mm256_setzero_ps(); 8];
                for (n, row) in rows.iter_mut().enumerate() {
                    *row = load8(at(x, from + n * x_stride));
                }
                for (n, row) in floats(rows).into_iter().enumerate() {
                    let to = to + n * y_stride;
                    store8((&mut y[to..to + 8]).try_into().expect("eight floats"), row);
                }
            } else {
                let mut rows = [_mm256_setzero_ps(); 4];
                for (n, row) in rows.iter_mut().enumerate() {
                    *row = load8(at(x, from + n * x_stride));
                }
                for (n, row) in pairs(rows).into_iter().enumerate() {
                    let to = to + n * y_stride;
                    store8((&mut y[to..to + 8]).try_into().expect("eight floats"), row);
                }
            }
        }
        for line in line..line + side {
            scalar::part(y, x, line, whole_columns..columns, [y_stride, x_stride], parts);
        }
    }
    for line in whole_lines..lines {
        scalar::part(y, x, line, 0..columns, [y_stride, x_stride], parts);
    }
}
