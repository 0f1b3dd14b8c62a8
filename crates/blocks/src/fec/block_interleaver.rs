//! Items of each block in another order.

use superhet_runtime::catalog::{Entry, Kind, input, optional, output, required};
use superhet_runtime::{Item, Pure, Ratio};

use crate::error::{Error, check};
use crate::item::{block_of_item, from_numbers};

/// The items of each block in another order: `y[k] = x[indices[k]]`, or the way back, `y[indices[k]] = x[k]`.
///
/// | port | item | unit | per step |
/// |---|---|---|---|
/// | in `in` | any | any | as many as there are indices |
/// | out `out` | the same | that of `in` | the same |
///
/// | parameter | range |
/// |---|---|
/// | `indices` | each number from 0 below how many there are, once; at most 2²⁰ |
///
/// ```
/// use superhet_blocks::fec::BlockInterleaver;
/// use superhet_runtime::harness;
///
/// let interleave = BlockInterleaver::<u8>::new(vec![2, 0, 1], true)?;
/// assert_eq!(harness::run::<u8, u8, _, _>(interleave, &[1, 2, 3, 4, 5, 6]), [3, 1, 2, 6, 4, 5]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct BlockInterleaver<T> {
    /// Where each item of the output comes from.
    sources: Vec<usize>,
    item: std::marker::PhantomData<fn() -> T>,
}

impl<T: Item> BlockInterleaver<T> {
    /// Changes the order, or changes it back.
    ///
    /// # Errors
    /// [`Error::Element`] for an index that is too large or comes twice, [`Error::OutOfRange`] unless there are 1 to 2²⁰.
    pub fn new(indices: Vec<usize>, interleave: bool) -> Result<Self, Error> {
        let n = indices.len();
        check((1..=1 << 20).contains(&n), "indices", "1 to 1048576 of them", n as f64)?;
        let mut inverse = vec![usize::MAX; n];
        for (place, &index) in indices.iter().enumerate() {
            match inverse.get_mut(index) {
                Some(free) if *free == usize::MAX => *free = place,
                _ => {
                    let wanted = "each number below how many there are, once";
                    return Err(Error::Element {
                        parameter: "indices",
                        place,
                        wanted,
                        got: index.to_string(),
                    });
                }
            }
        }
        let sources = if interleave { indices } else { inverse };
        Ok(BlockInterleaver { sources, item: std::marker::PhantomData })
    }
}

impl<T: Item> Pure for BlockInterleaver<T> {
    type In = T;
    type Out = T;

    fn ratio(&self) -> Ratio {
        Ratio { interpolation: self.sources.len(), decimation: self.sources.len() }
    }
    fn map(&self, x: &[T], y: &mut [T]) {
        let n = self.sources.len();
        for (y, x) in y.chunks_exact_mut(n).zip(x.chunks_exact(n)) {
            y.iter_mut().zip(&self.sources).for_each(|(y, source)| *y = x[*source]);
        }
    }
}

/// How files and the command line find [`BlockInterleaver`].
pub const ENTRY: Entry = Entry {
    name: "block_interleaver",
    category: "fec",
    summary: "The items of each block in another order, or back in their own.",
    params: &[
        optional(
            "item",
            Kind::Choice(&["C32", "f32", "u8", "i16", "i32"]),
            "",
            "\"u8\"",
            "The type of the items.",
        ),
        required("indices", Kind::Numbers, "", "Where each item of a block comes from."),
        optional("interleave", Kind::Bool, "", "true", "Whether to change the order; false changes it back."),
    ],
    ports: &[input("in", "item", "x"), output("out", "item", "x in another order")],
    make: |params| {
        let indices: Vec<i32> = from_numbers("indices", &params.numbers("indices"))?;
        let indices: Vec<usize> =
            indices.iter().map(|index| usize::try_from(*index).unwrap_or(usize::MAX)).collect();
        let interleave = params.flag("interleave");
        Ok(block_of_item!(params, T => BlockInterleaver::<T>::new(indices, interleave)?;
            "C32" = superhet_runtime::C32, "f32" = f32, "u8" = u8, "i16" = i16, "i32" = i32))
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use superhet_runtime::harness;

    #[test]
    fn the_way_back_restores_the_order_wherever_the_stream_is_cut() {
        let x: Vec<i32> = (0..700).collect();
        let indices: Vec<usize> = (0..7).map(|n| n * 3 % 7).collect();
        let make = |interleave| BlockInterleaver::<i32>::new(indices.clone(), interleave).unwrap();
        let y: Vec<i32> = harness::run(make(true), &x);
        assert_ne!(y, x);
        assert_eq!(harness::run::<i32, i32, _, _>(make(false), &y), x);
        harness::assert_cut_invariant(|| make(true), &x);
    }

    #[test]
    fn indices_that_are_no_order_are_refused() {
        for wrong in [vec![], vec![0, 0], vec![1, 2], vec![0, usize::MAX]] {
            assert!(BlockInterleaver::<u8>::new(wrong, true).is_err());
        }
    }
}
