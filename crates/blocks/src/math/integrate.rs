//! Sums of consecutive items.

use std::marker::PhantomData;

use superhet_kernels as kernels;
use superhet_runtime::{C32, Item, Pure, Ratio, Shape, declare};

use crate::error::{Error, MOST_TO_ONE, check, check_to_one};
use crate::filters::fir_filter::TO_ONE;

/// Sums of consecutive items or vectors: `y[k] = x[k · count] + … + x[k · count + count − 1]`.
///
/// Whole numbers wrap. Fewer than `count` at the end give nothing.
///
/// | port | item | unit | per step |
/// |---|---|---|---|
/// | in `in` | `C32`, `f32`, `i32` or `i16` | any | `count · length` |
/// | out `out` | the same | that of `in` | `length` |
///
/// ```
/// use superhet_blocks::math::Integrate;
/// use superhet_runtime::harness;
///
/// assert_eq!(harness::run(Integrate::<i32>::new(3, 1)?, &[1, 2, 3, 4, 5, 6, 7]), [6, 15]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Integrate<T> {
    count: usize,
    length: usize,
    item: PhantomData<fn() -> T>,
}

#[declare(
    category = "math",
    summary = "Sums of consecutive items or vectors.",
    items(C32, f32, i32, i16),
    ports(
        input("in", "item", "x"),
        output("out", "item", "the sums: ⌊n / (count · length)⌋ · length items for n")
    )
)]
impl<T: Item> Integrate<T> {
    /// Sums of `count` vectors of `length` items.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where a parameter is.
    pub fn new(
        /// How many items or vectors give one.
        #[param(kind = TO_ONE)]
        count: usize,
        /// The length of a vector.
        #[param(kind = TO_ONE, unit = "items", default = 1)]
        length: usize,
    ) -> Result<Self, Error> {
        check_to_one("count", count)?;
        let fits = length >= 1 && count.saturating_mul(length) <= MOST_TO_ONE;
        check(fits, "length", "at least 1, and count · length at most 16777216", length as f64)?;
        Ok(Integrate { count, length, item: PhantomData })
    }
}

/// So many items are too many to be added one after the other.
const FEW: usize = 24;

macro_rules! integrate {
    ($($item:ty => $sum:expr, $add:expr);+) => {$(
        impl Pure for Integrate<$item> {
            type In = $item;
            type Out = $item;
            fn shape(&self) -> Shape {
                let ratio = Ratio { interpolation: self.length, decimation: self.count * self.length };
                Shape { ratio, ..Shape::default() }
            }

            fn map(&self, x: &[$item], y: &mut [$item]) {
                if self.length == 1 && self.count < FEW {
                    // A call of a kernel would take longer than the sum; sums of different items do not wait for each other.
                    for (y, x) in y.iter_mut().zip(x.chunks_exact(self.count)) {
                        *y = x[1..].iter().fold(x[0], |sum, &x| $add(sum, x));
                    }
                    return;
                }
                if self.length == 1 {
                    for (y, x) in y.iter_mut().zip(x.chunks_exact(self.count)) {
                        *y = $sum(x);
                    }
                    return;
                }
                let turns = y.chunks_exact_mut(self.length).zip(x.chunks_exact(self.count * self.length));
                for (y, x) in turns {
                    y.copy_from_slice(&x[..self.length]);
                    for x in x.chunks_exact(self.length).skip(1) {
                        y.iter_mut().zip(x).for_each(|(y, &x)| *y = $add(*y, x));
                    }
                }
            }
        }
    )+};
}

integrate! {
    C32 => kernels::sum_c32, |y: C32, x| y + x;
    f32 => kernels::sum_f32, |y: f32, x| y + x;
    i32 => |x: &[i32]| x.iter().fold(0i32, |sum, &x| sum.wrapping_add(x)), i32::wrapping_add;
    i16 => |x: &[i16]| x.iter().fold(0i16, |sum, &x| sum.wrapping_add(x)), i16::wrapping_add
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{complex_noise, noise};
    use superhet_runtime::harness;

    #[test]
    fn values_are_right() {
        let x: Vec<i16> = (0..1000).map(|n| n * 31).collect();
        let wanted: Vec<i16> =
            x.chunks_exact(7).map(|x| x.iter().fold(0, |sum, x| x.wrapping_add(sum))).collect();
        assert_eq!(harness::run(Integrate::<i16>::new(7, 1).unwrap(), &x), wanted);
        let y: Vec<f32> =
            harness::run(Integrate::<f32>::new(2, 2).unwrap(), &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
        assert_eq!(y, [4.0, 6.0, 12.0, 14.0]);
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        harness::assert_cut_invariant(|| Integrate::<f32>::new(33, 1).unwrap(), &noise(1000));
        harness::assert_cut_invariant(|| Integrate::<C32>::new(10, 1).unwrap(), &complex_noise(1000));
        harness::assert_cut_invariant(|| Integrate::<C32>::new(3, 5).unwrap(), &complex_noise(1000));
    }

    #[test]
    fn what_memory_cannot_hold_is_refused() {
        assert!(Integrate::<f32>::new(0, 1).is_err() && Integrate::<f32>::new(1, 0).is_err());
        assert!(Integrate::<f32>::new(1 << 20, 1 << 10).is_err());
    }
}
