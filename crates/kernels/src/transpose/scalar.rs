//! The definition of a transposed matrix.
//!
//! ```text
//! for r in rows { for c in columns { y[c · y_stride + r] = x[r · x_stride + c] } }
//! ```

use crate::C32;

#[inline(always)]
fn transpose<T: Copy>(y: &mut [T], x: &[T], [rows, columns]: [usize; 2], [y_stride, x_stride]: [usize; 2]) {
    // What is written side by side is read a step apart.
    for column in 0..columns {
        for row in 0..rows {
            y[column * y_stride + row] = x[row * x_stride + column];
        }
    }
}

#[inline(always)]
pub(super) fn transpose_f32(
    y: &mut [f32],
    x: &[f32],
    rows: usize,
    columns: usize,
    y_stride: usize,
    x_stride: usize,
) {
    transpose(y, x, [rows, columns], [y_stride, x_stride]);
}

#[inline(always)]
pub(super) fn transpose_c32(
    y: &mut [C32],
    x: &[C32],
    rows: usize,
    columns: usize,
    y_stride: usize,
    x_stride: usize,
) {
    transpose(y, x, [rows, columns], [y_stride, x_stride]);
}
