//! Whole vectors only.

use std::marker::PhantomData;

use superhet_runtime::{Item, Pure, Ratio, Shape, declare};

use crate::error::{Error, check_to_one};
use crate::filters::fir_filter::TO_ONE;

/// Passes whole vectors of `length` items on; fewer at the end are lost.
///
/// | port | item | unit | per step |
/// |---|---|---|---|
/// | in `in` | any | any | `length` |
/// | out `out` | the same | that of `in` | `length` |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `length` | items | 1 to 2²⁴ |
///
/// ```
/// use superhet_blocks::vectors::StreamToVector;
/// use superhet_runtime::harness;
///
/// assert_eq!(harness::run(StreamToVector::<u8>::new(2)?, &[1, 2, 3, 4, 5]), [1, 2, 3, 4]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct StreamToVector<T> {
    length: usize,
    item: PhantomData<fn() -> T>,
}

#[declare(
    category = "vectors",
    summary = "Passes whole vectors on.",
    items(any),
    ports(
        input("in", "item", "x"),
        output("out", "item", "whole vectors of x: ⌊n / length⌋ · length items for n")
    )
)]
impl<T: Item> StreamToVector<T> {
    /// Vectors of so many items.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless `length` is from 1 to 2²⁴.
    pub fn new(
        /// The length of a vector.
        #[param(unit = "items", kind = TO_ONE)]
        length: usize,
    ) -> Result<Self, Error> {
        check_to_one("length", length)?;
        Ok(StreamToVector { length, item: PhantomData })
    }
}

impl<T: Item> Pure for StreamToVector<T> {
    type In = T;
    type Out = T;

    fn shape(&self) -> Shape {
        Shape { ratio: Ratio { interpolation: self.length, decimation: self.length }, ..Shape::default() }
    }

    fn map(&self, x: &[T], y: &mut [T]) {
        y.copy_from_slice(x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{noise, run_tags};
    use superhet_runtime::harness;

    #[test]
    fn whole_vectors_and_their_tags_pass_wherever_the_stream_is_cut() {
        harness::assert_cut_invariant(|| StreamToVector::<f32>::new(7).unwrap(), &noise(1000));
        let block = StreamToVector::<u8>::new(10).unwrap();
        assert_eq!(run_tags::<u8, u8, _, _>(block, vec![0; 35], &[0, 9, 29]), (vec![0, 9, 29], 30));
    }
}
