//! Linear recursions for AVX-512: a group is a vector.
//!
//! 1. Products and sums are rounded one by one, as in `scalar`: the bits are the same.
//! 2. The last items of a group are computed once more, as numbers: only that is what the next group waits for, an addition
//!    and a multiplication for an order of 1, two additions and one multiplication for 2. All else runs beside it.
//!
//! Gain over AVX2: 2.6 instead of 1.5 Gitems/s for order 2
//! (`superhet bench kernels --variants --kernel recursion_f64 --length 1024`, Zen 5).

use super::{GROUP, scalar};
use crate::x86::{load_f64x8, store_f64x8};
use core::arch::x86_64::*;

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) fn recursion_f64(y: &mut [f64], x: &[f64], matrix: &[[f64; GROUP]], order: usize) {
    let (of_x, of_y) = matrix.split_at(matrix.len() - order);
    match (order, of_x.len()) {
        (1, 8) => run::<1, 8>(y, x, of_x, of_y),
        (1, 9) => run::<1, 9>(y, x, of_x, of_y),
        (2, 8) => run::<2, 8>(y, x, of_x, of_y),
        (2, 10) => run::<2, 10>(y, x, of_x, of_y),
        (3, 11) => run::<3, 11>(y, x, of_x, of_y),
        (4, 12) => run::<4, 12>(y, x, of_x, of_y),
        _ => scalar::recursion_f64(y, x, matrix, order),
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn run<const ORDER: usize, const COLUMNS: usize>(
    y: &mut [f64],
    x: &[f64],
    of_x: &[[f64; GROUP]],
    of_y: &[[f64; GROUP]],
) {
    let mut past: [f64; ORDER] = std::array::from_fn(|k| y[ORDER - 1 - k]);
    let whole = (y.len() - ORDER) / GROUP * GROUP;
    let mut columns = [_mm512_setzero_pd(); COLUMNS];
    columns.iter_mut().zip(of_x).for_each(|(column, of_x)| *column = load_f64x8(of_x));
    let mut feedback = [_mm512_setzero_pd(); ORDER];
    feedback.iter_mut().zip(of_y).for_each(|(column, of_y)| *column = load_f64x8(of_y));
    // What the last items of a group have of those before it: the same products as in the vectors.
    let last: [[f64; ORDER]; ORDER] =
        std::array::from_fn(|k| std::array::from_fn(|past| of_y[past][GROUP - 1 - k]));
    let (groups, _) = y[ORDER..].as_chunks_mut::<GROUP>();
    let mut at = 0;
    for y in groups {
        let x: &[f64; COLUMNS] = x[at..].first_chunk().expect("as many items as columns");
        at += GROUP;
        let mut sums = _mm512_setzero_pd();
        for (column, x) in columns.iter().zip(x) {
            sums = _mm512_add_pd(sums, _mm512_mul_pd(*column, _mm512_set1_pd(*x)));
        }
        let mut of_x = [0.0; GROUP];
        store_f64x8(&mut of_x, sums);
        for (column, past) in feedback.iter().zip(past).rev() {
            sums = _mm512_add_pd(sums, _mm512_mul_pd(*column, _mm512_set1_pd(past)));
        }
        store_f64x8(y, _mm512_add_pd(sums, _mm512_setzero_pd()));
        past = std::array::from_fn(|k| {
            let terms = last[k].iter().zip(&past).rev();
            terms.fold(of_x[GROUP - 1 - k], |sum, (column, past)| sum + column * past)
        });
    }
    // The rest goes on from the last items of the groups.
    scalar::run::<ORDER>(&mut y[whole..], &x[whole..], of_x, of_y);
}
