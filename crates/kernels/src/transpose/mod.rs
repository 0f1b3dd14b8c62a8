//! Rows that become columns.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod scalar;

use crate::dispatch::kernel;

kernel! {
    /// Puts rows side by side: item `l` of row `c` of `x` becomes item `c` of line `l` of `y`, of items of `parts` floats, as many
    /// `columns` as rows. Line `l` begins at float `l · y_stride` of `y`, row `c` at float `c · x_stride` of `x`; what lies between
    /// is not touched.
    ///
    /// # Panics
    ///
    /// Unless `parts` is 1 or 2, a line is at most as long as `y_stride`, and each line and each row is there.
    ///
    /// ```
    /// let mut y = [0.0; 6];
    /// superhet_kernels::transpose_f32(&mut y, &[1.0, 2.0, 3.0, 4.0], 2, 2, 3, 2, 1);
    /// assert_eq!(y, [1.0, 3.0, 0.0, 2.0, 4.0, 0.0]);
    /// ```
    pub fn transpose_f32(
        y: &mut [f32],
        x: &[f32],
        lines: usize,
        columns: usize,
        y_stride: usize,
        x_stride: usize,
        parts: usize
    );
    check fits(y.len(), x.len(), [lines, columns], [y_stride, x_stride], parts);
    work |n| { lines: 1, columns: n, y_stride: n, x_stride: 1, parts: 1 }
    table TRANSPOSE_F32 { x86_64: avx2; }
}

fn fits(y: usize, x: usize, [lines, columns]: [usize; 2], strides: [usize; 2], parts: usize) {
    let [y_stride, x_stride] = strides;
    let there = || {
        columns * parts <= y_stride
            && (lines - 1) * y_stride + columns * parts <= y
            && (columns - 1) * x_stride + lines * parts <= x
    };
    assert!(
        matches!(parts, 1 | 2) && (lines == 0 || columns == 0 || there()),
        "transpose_f32 needs parts of 1 or 2, lines within y_stride and all of them in y and x, got y.len() = {y}, x.len() = {x}, \
         lines = {lines}, columns = {columns}, y_stride = {y_stride}, x_stride = {x_stride}, parts = {parts}"
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Guarded, Noise};

    #[test]
    fn every_variant_puts_rows_side_by_side_and_leaves_the_rest() {
        for (lines, columns) in
            [(0, 3), (3, 0), (1, 1), (8, 8), (7, 9), (16, 24), (125, 35), (33, 4), (4, 19)]
        {
            for parts in [1, 2] {
                let (y_stride, x_stride) = (columns * parts + 3, lines * parts + 5);
                let x = Guarded::copy(&Noise::new(1).signal::<f32>(columns * x_stride), lines % 18);
                for (name, run) in TRANSPOSE_F32.variants() {
                    let mut y = Guarded::copy(&vec![7.0; lines * y_stride], columns % 18);
                    run(y.items_mut(), x.items(), lines, columns, y_stride, x_stride, parts);
                    y.check_guards(name);
                    for (at, y) in y.items().iter().enumerate() {
                        let (line, column, part) =
                            (at / y_stride, at % y_stride / parts, at % y_stride % parts);
                        let is_there = column < columns;
                        let want =
                            if is_there { x.items()[column * x_stride + line * parts + part] } else { 7.0 };
                        assert_eq!(*y, want, "{name}, {lines} x {columns} of {parts}, {at}");
                    }
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "got y.len() = 4, x.len() = 3, lines = 2, columns = 2")]
    fn a_row_that_is_not_there_panics() {
        transpose_f32(&mut [0.0; 4], &[0.0; 3], 2, 2, 2, 2, 1);
    }
}
