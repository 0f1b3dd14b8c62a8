//! The items of each block in another order.

use std::marker::PhantomData;

use superhet_runtime::catalog::{Entry, Kind, input, optional, output, required};
use superhet_runtime::{Item, Pure, Ratio};

use crate::error::{Error, check_to_one};
use crate::item::{ANY_ITEM, block_of_item, counts_of};

/// The items of each block in another order: `y[k · len + i] = x[k · len + indices[i]]`, or back again.
///
/// | port | item | unit | per step |
/// |---|---|---|---|
/// | in `in` | any | any | a block |
/// | out `out` | the same | that of `in` | a block |
///
/// | parameter | range |
/// |---|---|
/// | `indices` | each number from 0 to their count − 1 once; at most 2²⁴ |
/// | `reverse` | whether this order is undone: `y[k · len + indices[i]] = x[k · len + i]` |
///
/// ```
/// use superhet_blocks::vectors::BlockInterleaver;
/// use superhet_runtime::harness;
///
/// let block = BlockInterleaver::<u8>::new(&[2, 0, 1], false)?;
/// assert_eq!(harness::run::<u8, u8, _, _>(block, &[10, 11, 12, 20, 21, 22]), [12, 10, 11, 22, 20, 21]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct BlockInterleaver<T> {
    /// Which item of a block comes at each place.
    order: Vec<usize>,
    item: PhantomData<fn() -> T>,
}

impl<T: Item> BlockInterleaver<T> {
    /// Puts the items of a block in the order of `indices`, or undoes that.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where there are none or too many, [`Error::Element`] where one is too great or comes twice.
    pub fn new(indices: &[usize], reverse: bool) -> Result<Self, Error> {
        check_to_one("indices", indices.len())?;
        let mut back = vec![usize::MAX; indices.len()];
        for (place, &index) in indices.iter().enumerate() {
            let free = back.get_mut(index).filter(|back| **back == usize::MAX);
            let (parameter, wanted) = ("indices", "each number from 0 to their count − 1 once");
            *free.ok_or_else(|| Error::Element { parameter, place, wanted, got: index.to_string() })? = place;
        }
        Ok(BlockInterleaver { order: if reverse { back } else { indices.to_vec() }, item: PhantomData })
    }
}

impl<T: Item> Pure for BlockInterleaver<T> {
    type In = T;
    type Out = T;

    fn ratio(&self) -> Ratio {
        Ratio { interpolation: self.order.len(), decimation: self.order.len() }
    }
    fn map(&self, x: &[T], y: &mut [T]) {
        let len = self.order.len();
        for (y, x) in y.chunks_exact_mut(len).zip(x.chunks_exact(len)) {
            y.iter_mut().zip(&self.order).for_each(|(y, &index)| *y = x[index]);
        }
    }
}

/// How files and the command line find [`BlockInterleaver`].
pub const ENTRY: Entry = Entry {
    name: "block_interleaver",
    category: "vectors",
    summary: "The items of each block in another order.",
    params: &[
        ANY_ITEM,
        required("indices", Kind::Numbers, "", "Which item of a block comes at each place, from 0."),
        optional("reverse", Kind::Bool, "", "false", "Whether this order is undone."),
    ],
    ports: &[input("in", "item", "x"), output("out", "item", "x in another order")],
    make: |params| {
        let indices = counts_of("indices", &params.numbers("indices"))?;
        let reverse = params.flag("reverse");
        Ok(block_of_item!(params, T => BlockInterleaver::<T>::new(&indices, reverse)?))
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use superhet_runtime::harness;

    #[test]
    fn an_order_is_undone_wherever_the_stream_is_cut() {
        let x: Vec<i32> = (0..1000).collect();
        let indices: Vec<usize> = (0..40).map(|n| n * 7 % 40).collect();
        let there: Vec<i32> = harness::run(BlockInterleaver::<i32>::new(&indices, false).unwrap(), &x);
        assert_eq!(there[..3], [0, 7, 14]);
        let back: Vec<i32> = harness::run(BlockInterleaver::<i32>::new(&indices, true).unwrap(), &there);
        assert_eq!(back, x);
        harness::assert_cut_invariant(|| BlockInterleaver::<i32>::new(&indices, false).unwrap(), &x);
    }

    #[test]
    fn what_is_no_order_is_refused() {
        let error = BlockInterleaver::<u8>::new(&[0, 0], false).unwrap_err().to_string();
        assert_eq!(error, "indices[1] = 0: expected each number from 0 to their count − 1 once");
        assert!(BlockInterleaver::<u8>::new(&[2, 0], false).is_err());
        assert!(BlockInterleaver::<u8>::new(&[], false).is_err());
    }
}
