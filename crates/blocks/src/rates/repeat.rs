//! Each item several times.

use std::marker::PhantomData;

use superhet_runtime::{Item, Pure, Ratio, Shape, declare};

use crate::error::{Error, MOST_TO_ONE, check};
use crate::filters::fir_filter::TO_ONE;

/// Each item, or vector, `count` times: `y[k · count + i] = x[k]`.
///
/// | port | item | unit | per step |
/// |---|---|---|---|
/// | in `in` | any | any | `length` |
/// | out `out` | the same | that of `in` | `count · length` |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `count` | | ≥ 1 |
/// | `length` | items | ≥ 1, the length of a vector; `count · length` ≤ 2²⁴ |
///
/// ```
/// use superhet_blocks::rates::Repeat;
/// use superhet_runtime::harness;
///
/// assert_eq!(harness::run(Repeat::<u8>::new(3, 1)?, &[1, 2]), [1, 1, 1, 2, 2, 2]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Repeat<T> {
    count: usize,
    length: usize,
    item: PhantomData<fn() -> T>,
}

#[declare(
    category = "rates",
    summary = "Each item or vector several times.",
    items(any),
    ports(
        input("in", "item", "x"),
        output("out", "item", "x, each several times: ⌊n / length⌋ · length · count items for n")
    )
)]
impl<T: Item> Repeat<T> {
    /// Each vector of `length` items `count` times.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where a parameter is.
    pub fn new(
        /// How many times.
        #[param(kind = TO_ONE)]
        count: usize,
        /// The length of a vector.
        #[param(unit = "items", kind = TO_ONE, default = 1)]
        length: usize,
    ) -> Result<Self, Error> {
        let wanted = "at least 1, and count · length at most 16777216";
        check(count >= 1 && count.saturating_mul(length) <= MOST_TO_ONE, "count", wanted, count as f64)?;
        check(length >= 1, "length", wanted, length as f64)?;
        Ok(Repeat { count, length, item: PhantomData })
    }
}

impl<T: Item> Pure for Repeat<T> {
    type In = T;
    type Out = T;

    fn shape(&self) -> Shape {
        Shape {
            ratio: Ratio { interpolation: self.count * self.length, decimation: self.length },
            ..Shape::default()
        }
    }

    fn map(&self, x: &[T], y: &mut [T]) {
        let turns = y.chunks_exact_mut(self.count * self.length).zip(x.chunks_exact(self.length));
        match self.length {
            1 => turns.for_each(|(y, x)| y.fill(x[0])),
            length => turns.for_each(|(y, x)| y.chunks_exact_mut(length).for_each(|y| y.copy_from_slice(x))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{noise, run_tags};
    use superhet_runtime::harness;

    #[test]
    fn items_and_vectors_are_repeated_wherever_the_stream_is_cut() {
        let y: Vec<u8> = harness::run(Repeat::<u8>::new(2, 3).unwrap(), &[1u8, 2, 3, 4, 5, 6, 7]);
        assert_eq!(y, [1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6]);
        harness::assert_cut_invariant(|| Repeat::<f32>::new(5, 1).unwrap(), &noise(500));
        let repeat = Repeat::<u8>::new(3, 1).unwrap();
        assert_eq!(run_tags::<u8, u8, _, _>(repeat, vec![0; 10], &[0, 1, 9]), (vec![0, 3, 27], 30));
        assert!(Repeat::<u8>::new(0, 1).is_err() && Repeat::<u8>::new(1 << 20, 1 << 5).is_err());
    }
}
