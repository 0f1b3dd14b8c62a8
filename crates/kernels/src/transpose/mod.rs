//! Rows become columns: items that lie a step apart side by side, and items side by side a step apart.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use crate::C32;
use crate::dispatch::kernel;

kernel! {
    /// As [`transpose_c32`](fn@transpose_c32), of real numbers.
    ///
    /// # Panics
    ///
    /// Unless each of these items is there.
    ///
    /// ```
    /// let mut y = [0.0; 6];
    /// superhet_kernels::transpose_f32(&mut y, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 2, 3, 2, 3);
    /// assert_eq!(y, [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    /// ```
    pub fn transpose_f32(
        y: &mut [f32],
        x: &[f32],
        rows: usize,
        columns: usize,
        y_stride: usize,
        x_stride: usize
    );
    check items_are_there("transpose_f32", [y.len(), x.len()], [rows, columns], [y_stride, x_stride]);
    work |n| { rows: n.min(8), columns: n / 8, y_stride: 8, x_stride: n / 8 }
    kind Reduction;
    table TRANSPOSE_F32 { x86_64: avx2; }
}

kernel! {
    /// Transposes a matrix: `y[c · y_stride + r] = x[r · x_stride + c]` for each row `r` and column `c`; other items of `y` stay as they are.
    ///
    /// # Panics
    ///
    /// Unless each of these items is there.
    ///
    /// ```
    /// use superhet_kernels::{C32, transpose_c32};
    /// let x = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0].map(|x| C32::new(x, -x));
    /// let mut y = [C32::ZERO; 6];
    /// transpose_c32(&mut y, &x, 2, 3, 2, 3);
    /// assert_eq!(y.map(|y| y.re), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    /// ```
    pub fn transpose_c32(
        y: &mut [C32],
        x: &[C32],
        rows: usize,
        columns: usize,
        y_stride: usize,
        x_stride: usize
    );
    check items_are_there("transpose_c32", [y.len(), x.len()], [rows, columns], [y_stride, x_stride]);
    work |n| { rows: n.min(8), columns: n / 8, y_stride: 8, x_stride: n / 8 }
    kind Reduction;
    table TRANSPOSE_C32 { x86_64: avx512, avx2; }
}

fn items_are_there(
    name: &str,
    [y, x]: [usize; 2],
    [rows, columns]: [usize; 2],
    [y_stride, x_stride]: [usize; 2],
) {
    // Of the last row or column, by numbers that may be larger than any slice.
    let end = |count: usize, stride: usize, width: usize| match (count, width) {
        (0, _) | (_, 0) => Some(0),
        _ => (count - 1).checked_mul(stride)?.checked_add(width),
    };
    let fits = |end: Option<usize>, len: usize| end.is_some_and(|end| end <= len);
    assert!(
        fits(end(columns, y_stride, rows), y) && fits(end(rows, x_stride, columns), x),
        "{name} needs y.len() of (columns − 1) · y_stride + rows and x.len() of (rows − 1) · x_stride + columns or more, got \
         y.len() = {y}, x.len() = {x}, rows = {rows}, columns = {columns}, y_stride = {y_stride} and x_stride = {x_stride}"
    );
}

/// Where blocks of `size` begin in `count`: the last one lies over the one before it, where they would not fill it.
#[cfg(target_arch = "x86_64")]
fn begins(count: usize, size: usize) -> impl Iterator<Item = usize> {
    (0..count).step_by(size).map(move |begin| begin.min(count - size))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Guarded, Item, Noise};

    type Transpose<T> = fn(&mut [T], &[T], usize, usize, usize, usize);

    fn moves_each_item<T: Item + bytemuck::Pod>(op: &'static crate::dispatch::Op<Transpose<T>>) {
        let bytes = |items: &[T]| bytemuck::cast_slice::<T, u8>(items).to_vec();
        for rows in [0, 1, 3, 4, 5, 7, 8, 9, 16, 19] {
            for columns in [0, 1, 3, 4, 5, 8, 12, 16, 21] {
                for (more, less) in [(0, 0), (1, 3), (5, 0)] {
                    let (y_stride, x_stride) = (rows + more, columns + less);
                    let len = |count: usize, stride: usize, width: usize| {
                        if count * width == 0 { 0 } else { (count - 1) * stride + width }
                    };
                    let x = Noise::new(1).signal::<T>(len(rows, x_stride, columns));
                    let x = Guarded::copy(&x, rows % 18);
                    let mut wanted = vec![T::JUNK; len(columns, y_stride, rows)];
                    for row in 0..rows {
                        for column in 0..columns {
                            wanted[column * y_stride + row] = x.items()[row * x_stride + column];
                        }
                    }
                    for (name, run) in op.variants() {
                        let mut y = Guarded::junk(wanted.len(), columns % 18);
                        run(y.items_mut(), x.items(), rows, columns, y_stride, x_stride);
                        y.check_guards(name);
                        assert_eq!(bytes(y.items()), bytes(&wanted), "{name}, {rows} by {columns}");
                    }
                }
            }
        }
    }

    #[test]
    fn every_variant_moves_each_item_to_its_place_and_no_other() {
        moves_each_item(&TRANSPOSE_F32);
        moves_each_item(&TRANSPOSE_C32);
    }

    #[test]
    #[should_panic(expected = "got y.len() = 5, x.len() = 6, rows = 2, columns = 3")]
    fn a_place_that_is_not_there_panics() {
        transpose_c32(&mut [C32::ZERO; 5], &[C32::ZERO; 6], 2, 3, 2, 3);
    }
}
