//! Recursive filters in double precision, eight items at a time.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use crate::dispatch::kernel;

/// Items of a group.
const GROUP: usize = 8;

/// The greatest order of feedback.
const MOST: usize = 8;

kernel! {
    /// A linear recursion: each group of 8 items of `y` is the sum of the columns of a matrix, each times an item of `x` or an
    /// item of `y` before the group.
    ///
    /// | argument | items | |
    /// |---|---|---|
    /// | `y` | `order + n` | the last items before the first one, the oldest first, then room for new ones |
    /// | `x` | `p + n` | as many items before the first one as the matrix asks for, `p = matrix.len() − 8 − order`, then `n` |
    /// | `matrix` | columns of 8 | what a 1 among the items of `x`, from `p` before the group to its last one, makes of the group; then what a 1 among the items of `y` before it does, the newest first |
    ///
    /// With the columns of a recursive filter that is the filter: its recursion waits for itself once in 8 items, not for each.
    /// The last group may be a part of one; the items that it lacks count as zeros, so what comes out of the others is the
    /// same. No item is −0.
    ///
    /// **Accuracy**: `|error| ≤ 2⁻⁵³ · (matrix.len() + 1) · Σ |column| · |item|` in each group; all variants give the same
    /// bits (NaNs count as the same).
    ///
    /// # Panics
    ///
    /// Unless `order` is 1 to 8, `matrix.len() ≥ 8 + order`, and `y` and `x` have as many items as the table says.
    ///
    /// ```
    /// use superhet_kernels::recursion_f64;
    /// // y[n] = x[n] + 0.5 · y[n − 1]
    /// let power = |n: usize| 0.5f64.powi(n as i32);
    /// let mut matrix = [[0.0; 8]; 9];
    /// for (from, column) in matrix[..8].iter_mut().enumerate() {
    ///     (from..8).for_each(|to| column[to] = power(to - from));
    /// }
    /// (0..8).for_each(|to| matrix[8][to] = power(to + 1));
    /// let mut y = [2.0, 0.0, 0.0, 0.0];
    /// recursion_f64(&mut y, &[1.0, 0.0, 1.0], &matrix, 1);
    /// assert_eq!(y, [2.0, 2.0, 1.0, 1.5]);
    /// ```
    pub fn recursion_f64(y: &mut [f64], x: &[f64], matrix: &[[f64; 8]], order: usize);
    check fits(y.len(), x.len(), matrix.len(), order);
    work |n| { y: n + 2, x: n + 2, matrix: 12, order: 2 }
    kind Reduction;
    table RECURSION_F64 { x86_64: avx512, avx2; }
}

fn fits(y: usize, x: usize, matrix: usize, order: usize) {
    let fits = (1..=MOST).contains(&order)
        && matrix >= GROUP + order
        && y >= order
        && x + order == y + (matrix - GROUP - order);
    assert!(
        fits,
        "recursion_f64 needs an order of 1 to 8, 8 + order columns or more, and as many items of y as of x beside those before \
         them, got y.len() = {y}, x.len() = {x}, matrix.len() = {matrix}, order = {order}"
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Guarded, Item, Noise};

    /// The columns of `y[n] = Σ b[k] · x[n − k] + Σ a[k] · y[n − 1 − k]`.
    fn columns(b: &[f64], a: &[f64]) -> Vec<[f64; 8]> {
        let (before, order) = (b.len() - 1, a.len());
        let column = |unit: usize| {
            let mut x = vec![0.0; before + GROUP];
            let mut y = vec![0.0; order + GROUP];
            match unit.checked_sub(x.len()) {
                None => x[unit] = 1.0,
                Some(past) => y[order - 1 - past] = 1.0,
            }
            for n in 0..GROUP {
                let of_x: f64 = (0..b.len()).map(|k| b[k] * x[before + n - k]).sum();
                y[order + n] = of_x + (0..order).map(|k| a[k] * y[order + n - 1 - k]).sum::<f64>();
            }
            std::array::from_fn(|n| y[order + n])
        };
        (0..before + GROUP + order).map(column).collect()
    }

    #[test]
    fn every_variant_is_the_filter_of_its_columns() {
        for (before, order) in [(0, 1), (1, 1), (2, 2), (3, 5), (8, 8), (20, 2)] {
            let b: Vec<f64> = (0..=before).map(|k| 0.5 / (k + 1) as f64).collect();
            let a: Vec<f64> = (0..order).map(|k| 0.6 / ((k + 2) * (k + 1)) as f64).collect();
            let matrix = columns(&b, &a);
            for n in [0, 1, 7, 8, 9, 16, 100] {
                let x: Vec<f64> = Noise::new(3).signal(before + n);
                let past: Vec<f64> = Noise::new(4).signal(order);
                let mut want = past.clone();
                for n in 0..n {
                    let of_x: f64 = (0..=before).map(|k| b[k] * x[before + n - k]).sum();
                    want.push(of_x + (0..order).map(|k| a[k] * want[order + n - 1 - k]).sum::<f64>());
                }
                let mut first = None;
                for (name, run) in RECURSION_F64.variants() {
                    let mut y = Guarded::junk(order + n, n % 18);
                    y.items_mut()[..order].copy_from_slice(&past);
                    run(y.items_mut(), &x, &matrix, order);
                    y.check_guards(name);
                    for (y, want) in y.items().iter().zip(&want) {
                        assert!(
                            (y - want).abs() < 1e-13,
                            "{name}, {before}, {order}, {n}: {y}, wanted {want}"
                        );
                    }
                    let first = first.get_or_insert_with(|| y.items().to_vec());
                    assert!(y.items().iter().zip(&*first).all(|(a, b)| a.same(*b)), "{name}");
                }
            }
        }
    }

    #[test]
    fn the_items_of_a_group_do_not_depend_on_those_behind_them() {
        let matrix = columns(&[0.3, -0.2], &[0.9, -0.5]);
        for (name, run) in RECURSION_F64.variants() {
            let x = [0.0, -0.0, -1.0, 3.0, -7.0, 2.0, -0.0, 1e300, -5.0];
            let mut whole = [0.0; 10];
            run(&mut whole, &x, &matrix, 2);
            for n in 1..8 {
                let mut part = vec![0.0; 2 + n];
                run(&mut part, &x[..1 + n], &matrix, 2);
                let same = part.iter().zip(whole).all(|(a, b)| a.to_bits() == b.to_bits());
                assert!(same, "{name}, {n}: {part:?}, {whole:?}");
            }
        }
    }

    #[test]
    #[should_panic(expected = "got y.len() = 2, x.len() = 3, matrix.len() = 9, order = 1")]
    fn lengths_that_do_not_fit_panic() {
        recursion_f64(&mut [0.0; 2], &[0.0; 3], &[[0.0; 8]; 9], 1);
    }
}
