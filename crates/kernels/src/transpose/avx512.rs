//! Blocks of 8 by 8 complex numbers for AVX-512: a vector has eight, so that a block is transposed by 24 permutations. These are what bounds
//! it, one a cycle.

use core::arch::x86_64::*;

use super::{avx2, begins};
use crate::x86::{at, at_mut, load16, store16};
use crate::{C32, floats, floats_mut};

/// Rows and columns of a block.
const SIDE: usize = 8;

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) fn transpose_c32(
    y: &mut [C32],
    x: &[C32],
    rows: usize,
    columns: usize,
    y_stride: usize,
    x_stride: usize,
) {
    if rows < SIDE || columns < SIDE {
        return avx2::transpose_c32(y, x, rows, columns, y_stride, x_stride);
    }
    for row in begins(rows, SIDE) {
        for column in begins(columns, SIDE) {
            block(&mut y[column * y_stride + row..], &x[row * x_stride + column..], y_stride, x_stride);
        }
    }
}

/// The first and third of the quarters of two vectors, or the second and fourth.
#[inline]
#[target_feature(enable = "avx512f")]
fn quarters(a: __m512d, b: __m512d) -> [__m512d; 2] {
    [_mm512_shuffle_f64x2::<0b10_00_10_00>(a, b), _mm512_shuffle_f64x2::<0b11_01_11_01>(a, b)]
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
fn block(y: &mut [C32], x: &[C32], y_stride: usize, x_stride: usize) {
    let (y, x) = (floats_mut(y), floats(x));
    let mut rows = [_mm512_setzero_pd(); SIDE];
    for (row, from) in rows.iter_mut().enumerate() {
        *from = _mm512_castps_pd(load16(at(x, 2 * row * x_stride)));
    }
    let mut columns = rows;
    for odd in 0..2 {
        // The even columns, or the odd ones: a quarter has one of two rows, then of four, then of all.
        let mut pairs = [_mm512_setzero_pd(); 4];
        for (pair, rows) in pairs.iter_mut().zip(rows.as_chunks::<2>().0) {
            let [a, b] = *rows;
            *pair = if odd == 0 { _mm512_unpacklo_pd(a, b) } else { _mm512_unpackhi_pd(a, b) };
        }
        let (upper, lower) = (quarters(pairs[0], pairs[1]), quarters(pairs[2], pairs[3]));
        [columns[odd], columns[odd + 4]] = quarters(upper[0], lower[0]);
        [columns[odd + 2], columns[odd + 6]] = quarters(upper[1], lower[1]);
    }
    for (column, to) in columns.into_iter().enumerate() {
        store16(at_mut(y, 2 * column * y_stride), _mm512_castpd_ps(to));
    }
}
