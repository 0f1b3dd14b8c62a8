//! Blocks of 4 by 4 complex numbers for AVX2, and of 8 by 8 real ones: a vector has as many, so that a block is transposed by 8 permutations,
//! or by 24.

use core::arch::x86_64::*;

use super::{begins, scalar};
use crate::x86::{at, at_mut, load8, store8};
use crate::{C32, floats, floats_mut};

/// Rows and columns of a block.
const SIDE: usize = 4;

#[target_feature(enable = "avx2,fma")]
pub(super) fn transpose_c32(
    y: &mut [C32],
    x: &[C32],
    rows: usize,
    columns: usize,
    y_stride: usize,
    x_stride: usize,
) {
    if rows < SIDE || columns < SIDE {
        return scalar::transpose_c32(y, x, rows, columns, y_stride, x_stride);
    }
    for row in begins(rows, SIDE) {
        for column in begins(columns, SIDE) {
            block(&mut y[column * y_stride + row..], &x[row * x_stride + column..], y_stride, x_stride);
        }
    }
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn block(y: &mut [C32], x: &[C32], y_stride: usize, x_stride: usize) {
    let (y, x) = (floats_mut(y), floats(x));
    let mut rows = [_mm256_setzero_pd(); SIDE];
    for (row, from) in rows.iter_mut().enumerate() {
        *from = _mm256_castps_pd(load8(at(x, 2 * row * x_stride)));
    }
    let mut columns = rows;
    for half in 0..2 {
        // The columns 0 and 2, or 1 and 3, of the rows 0 and 1, and of 2 and 3.
        let pick = |a, b| if half == 0 { _mm256_unpacklo_pd(a, b) } else { _mm256_unpackhi_pd(a, b) };
        let (upper, lower) = (pick(rows[0], rows[1]), pick(rows[2], rows[3]));
        columns[half] = _mm256_permute2f128_pd::<0x20>(upper, lower);
        columns[half + 2] = _mm256_permute2f128_pd::<0x31>(upper, lower);
    }
    for (column, to) in columns.into_iter().enumerate() {
        store8(at_mut(y, 2 * column * y_stride), _mm256_castpd_ps(to));
    }
}

/// Rows and columns of a block of real numbers.
const REAL_SIDE: usize = 8;

#[target_feature(enable = "avx2,fma")]
pub(super) fn transpose_f32(
    y: &mut [f32],
    x: &[f32],
    rows: usize,
    columns: usize,
    y_stride: usize,
    x_stride: usize,
) {
    if rows < REAL_SIDE || columns < REAL_SIDE {
        return scalar::transpose_f32(y, x, rows, columns, y_stride, x_stride);
    }
    for row in begins(rows, REAL_SIDE) {
        for column in begins(columns, REAL_SIDE) {
            real_block(&mut y[column * y_stride + row..], &x[row * x_stride + column..], y_stride, x_stride);
        }
    }
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn real_block(y: &mut [f32], x: &[f32], y_stride: usize, x_stride: usize) {
    let mut rows = [_mm256_setzero_ps(); REAL_SIDE];
    for (row, from) in rows.iter_mut().enumerate() {
        *from = load8(at(x, row * x_stride));
    }
    let mut columns = rows;
    for high in 0..2 {
        // The columns 0, 1, 4 and 5 of two rows each, or 2, 3, 6 and 7.
        let mut pairs = [_mm256_setzero_pd(); 4];
        for (pair, rows) in pairs.iter_mut().zip(rows.as_chunks::<2>().0) {
            let [a, b] = *rows;
            let both = if high == 0 { _mm256_unpacklo_ps(a, b) } else { _mm256_unpackhi_ps(a, b) };
            *pair = _mm256_castps_pd(both);
        }
        for odd in 0..2 {
            let pick = |a, b| if odd == 0 { _mm256_unpacklo_pd(a, b) } else { _mm256_unpackhi_pd(a, b) };
            let (upper, lower) = (pick(pairs[0], pairs[1]), pick(pairs[2], pairs[3]));
            let column = 2 * high + odd;
            columns[column] = _mm256_castpd_ps(_mm256_permute2f128_pd::<0x20>(upper, lower));
            columns[column + 4] = _mm256_castpd_ps(_mm256_permute2f128_pd::<0x31>(upper, lower));
        }
    }
    for (column, to) in columns.into_iter().enumerate() {
        store8(at_mut(y, column * y_stride), to);
    }
}
