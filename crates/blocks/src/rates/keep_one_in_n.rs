//! Every n-th item.

use std::marker::PhantomData;

use superhet_runtime::{Item, Pure, Ratio, Shape, declare};

use crate::error::{Error, check_to_one};
use crate::filters::fir_filter::TO_ONE;

/// Every n-th item, the last of each `n`: `y[k] = x[k · n + n − 1]`. No filter: see `low_pass_filter` for one.
///
/// | port | item | unit | per step |
/// |---|---|---|---|
/// | in `in` | any | any | `n` |
/// | out `out` | the same | that of `in` | 1 |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `n` | items | 1 to 2²⁴; so many are held in memory |
///
/// A tag on any of the `n` items moves to the one that is kept. Fewer than `n` items at the end give nothing.
///
/// ```
/// use superhet_blocks::rates::KeepOneInN;
/// use superhet_runtime::harness;
///
/// assert_eq!(harness::run(KeepOneInN::<u8>::new(3)?, &[0, 1, 2, 3, 4, 5, 6]), [2, 5]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct KeepOneInN<T> {
    n: usize,
    item: PhantomData<fn() -> T>,
}

#[declare(
    category = "rates",
    summary = "Every n-th item, the last of each n.",
    items(any),
    ports(input("in", "item", "x"), output("out", "item", "the last of each n items: ⌊N / n⌋ items for N"))
)]
impl<T: Item> KeepOneInN<T> {
    /// Keeps one item of `n`.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where `n` is 0 or beyond 2²⁴.
    pub fn new(
        /// One item of so many is kept.
        #[param(unit = "items", kind = TO_ONE)]
        n: usize,
    ) -> Result<Self, Error> {
        check_to_one("n", n)?;
        Ok(KeepOneInN { n, item: PhantomData })
    }
}

impl<T: Item> Pure for KeepOneInN<T> {
    type In = T;
    type Out = T;

    fn shape(&self) -> Shape {
        Shape { ratio: Ratio::decimate(self.n), ..Shape::default() }
    }

    fn map(&self, x: &[T], y: &mut [T]) {
        for (y, x) in y.iter_mut().zip(x.chunks_exact(self.n)) {
            *y = x[self.n - 1];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{noise, run_tags};
    use superhet_runtime::harness;

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        for n in [1, 2, 5, 64, 333] {
            harness::assert_cut_invariant(|| KeepOneInN::<f32>::new(n).unwrap(), &noise(1000));
        }
    }

    #[test]
    fn the_last_of_each_n_is_kept_and_a_rest_is_not() {
        let x: Vec<i32> = (0..1000).collect();
        let y: Vec<i32> = harness::run(KeepOneInN::<i32>::new(7).unwrap(), &x);
        assert_eq!(y, (0..142).map(|k| 7 * k + 6).collect::<Vec<_>>());
        assert_eq!(harness::run(KeepOneInN::<i32>::new(1001).unwrap(), &x), [0i32; 0]);
    }

    #[test]
    fn tags_move_to_the_item_that_is_kept() {
        let block = KeepOneInN::<u8>::new(10).unwrap();
        assert_eq!(run_tags::<u8, u8, _, _>(block, vec![0; 100], &[0, 9, 10, 99]), (vec![0, 0, 1, 9], 10));
    }

    #[test]
    fn one_of_no_items_is_refused() {
        let error = KeepOneInN::<u8>::new(0).unwrap_err().to_string();
        assert_eq!(error, "n = 0: expected a whole number from 1 to 16777216");
        assert!(KeepOneInN::<u8>::new(1 << 25).is_err(), "more than memory is to hold");
    }
}
