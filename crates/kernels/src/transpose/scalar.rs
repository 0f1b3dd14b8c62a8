//! The definition of rows side by side.

pub(super) fn transpose_f32(
    y: &mut [f32],
    x: &[f32],
    lines: usize,
    columns: usize,
    y_stride: usize,
    x_stride: usize,
    parts: usize,
) {
    for line in 0..lines {
        part(y, x, line, 0..columns, [y_stride, x_stride], parts);
    }
}

/// Some columns of a line.
#[inline(always)]
pub(super) fn part(
    y: &mut [f32],
    x: &[f32],
    line: usize,
    columns: std::ops::Range<usize>,
    [y_stride, x_stride]: [usize; 2],
    parts: usize,
) {
    for column in columns {
        let (to, from) = (line * y_stride + column * parts, column * x_stride + line * parts);
        y[to] = x[from];
        if parts == 2 {
            y[to + 1] = x[from + 1];
        }
    }
}
