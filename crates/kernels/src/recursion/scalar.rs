//! The definition of linear recursions.
//!
//! ```text
//! for group in y { group = Σ columns · x + Σ columns · (items of y before the group) }
//! ```
//!
//! The terms of the items of `y` come last, that of the newest at the very end: all others are there when it comes, so a
//! group waits for the one before it for a product and a sum.

use super::GROUP;

#[inline(always)]
pub(super) fn recursion_f64(y: &mut [f64], x: &[f64], matrix: &[[f64; GROUP]], order: usize) {
    let (of_x, of_y) = matrix.split_at(matrix.len() - order);
    // The columns of the usual filters stay in registers.
    match (order, of_x.len()) {
        (1, 8) => of_columns::<1, 8>(y, x, of_x, of_y),
        (1, 9) => of_columns::<1, 9>(y, x, of_x, of_y),
        (2, 8) => of_columns::<2, 8>(y, x, of_x, of_y),
        (2, 10) => of_columns::<2, 10>(y, x, of_x, of_y),
        (3, 11) => of_columns::<3, 11>(y, x, of_x, of_y),
        (4, 12) => of_columns::<4, 12>(y, x, of_x, of_y),
        (1, _) => run::<1>(y, x, of_x, of_y),
        (2, _) => run::<2>(y, x, of_x, of_y),
        (3, _) => run::<3>(y, x, of_x, of_y),
        (4, _) => run::<4>(y, x, of_x, of_y),
        (5, _) => run::<5>(y, x, of_x, of_y),
        (6, _) => run::<6>(y, x, of_x, of_y),
        (7, _) => run::<7>(y, x, of_x, of_y),
        _ => run::<8>(y, x, of_x, of_y),
    }
}

#[inline(always)]
fn of_columns<const ORDER: usize, const COLUMNS: usize>(
    y: &mut [f64],
    x: &[f64],
    of_x: &[[f64; GROUP]],
    of_y: &[[f64; GROUP]],
) {
    let of_x: &[[f64; GROUP]; COLUMNS] = of_x.first_chunk().expect("as many columns as were asked for");
    run::<ORDER>(y, x, of_x, of_y);
}

#[inline(always)]
pub(super) fn run<const ORDER: usize>(
    y: &mut [f64],
    x: &[f64],
    of_x: &[[f64; GROUP]],
    of_y: &[[f64; GROUP]],
) {
    let of_y: &[[f64; GROUP]; ORDER] = of_y.first_chunk().expect("as many columns as the order");
    let mut past: [f64; ORDER] = std::array::from_fn(|k| y[ORDER - 1 - k]);
    let (groups, rest) = y[ORDER..].as_chunks_mut::<GROUP>();
    let whole = groups.len() * GROUP;
    for (y, x) in groups.iter_mut().zip(x.windows(of_x.len()).step_by(GROUP)) {
        let sums = group(x, of_x, of_y, &past);
        past = std::array::from_fn(|k| sums[GROUP - 1 - k]);
        // −0 becomes 0: which of the two it is could depend on items behind it.
        *y = sums.map(|sum| sum + 0.0);
    }
    if !rest.is_empty() {
        // The columns of items that are not there are left out: they would add zeros.
        let x = &x[whole..];
        let sums = group(x, &of_x[..x.len()], of_y, &past);
        rest.iter_mut().zip(sums).for_each(|(y, sum)| *y = sum + 0.0);
    }
}

#[inline(always)]
fn group<const ORDER: usize>(
    x: &[f64],
    of_x: &[[f64; GROUP]],
    of_y: &[[f64; GROUP]; ORDER],
    past: &[f64; ORDER],
) -> [f64; GROUP] {
    let mut sums = [0.0; GROUP];
    for (column, &x) in of_x.iter().zip(x) {
        for lane in 0..GROUP {
            sums[lane] += column[lane] * x;
        }
    }
    for k in (0..ORDER).rev() {
        for lane in 0..GROUP {
            sums[lane] += of_y[k][lane] * past[k];
        }
    }
    sums
}
