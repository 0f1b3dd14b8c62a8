//! The items of each block in another order.

use std::any::TypeId;
use std::marker::PhantomData;

use superhet_runtime::{AnyBlock, BlockError, Item, Pure, Ratio, Shape, declare};

use crate::error::{Error, check, check_to_one};

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
/// assert_eq!(harness::run(block, &[10, 11, 12, 20, 21, 22]), [12, 10, 11, 22, 20, 21]);
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

    fn shape(&self) -> Shape {
        Shape {
            ratio: Ratio { interpolation: self.order.len(), decimation: self.order.len() },
            ..Shape::default()
        }
    }

    fn map(&self, x: &[T], y: &mut [T]) {
        let len = self.order.len();
        for (y, x) in y.chunks_exact_mut(len).zip(x.chunks_exact(len)) {
            y.iter_mut().zip(&self.order).for_each(|(y, &index)| *y = x[index]);
        }
    }
}

/// The bits of each block of bytes in another order, as [`BlockInterleaver`] has it for items: bit 0 is the highest of the first
/// byte.
///
/// | port | item | unit | per step |
/// |---|---|---|---|
/// | in `in` | `u8` | eight bits | a block |
/// | out `out` | `u8` | eight bits | a block |
///
/// ```
/// use superhet_blocks::vectors::BitInterleaver;
/// use superhet_runtime::harness;
///
/// let turned = BitInterleaver::new(&[7, 6, 5, 4, 3, 2, 1, 0], false)?;
/// assert_eq!(harness::run(turned, &[0b1011_0001, 0x0f]), [0b1000_1101, 0xf0]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct BitInterleaver(BlockInterleaver<u8>);

impl BitInterleaver {
    /// Puts the bits of a block in the order of `indices`, or undoes that.
    ///
    /// # Errors
    /// As for [`BlockInterleaver::new`], and [`Error::OutOfRange`] unless there are whole bytes of indices.
    pub fn new(indices: &[usize], reverse: bool) -> Result<Self, Error> {
        let (count, wanted) = (indices.len(), "whole multiples of 8 of them, where the bits are packed");
        check(count.is_multiple_of(8), "indices", wanted, count as f64)?;
        Ok(BitInterleaver(BlockInterleaver::new(indices, reverse)?))
    }
}

impl Pure for BitInterleaver {
    type In = u8;
    type Out = u8;

    fn shape(&self) -> Shape {
        Shape {
            ratio: {
                let bytes = self.0.order.len() / 8;
                Ratio { interpolation: bytes, decimation: bytes }
            },
            ..Shape::default()
        }
    }

    fn map(&self, x: &[u8], y: &mut [u8]) {
        let bytes = self.0.order.len() / 8;
        for (y, x) in y.chunks_exact_mut(bytes).zip(x.chunks_exact(bytes)) {
            let bit = |index: usize| x[index / 8] >> (7 - index % 8) & 1;
            for (y, order) in y.iter_mut().zip(self.0.order.chunks_exact(8)) {
                *y = order.iter().fold(0, |byte, &index| byte << 1 | bit(index));
            }
        }
    }
}

#[declare(
    category = "vectors",
    summary = "The items of each block in another order.",
    items(any),
    ports(
        input("in", "item", "x"),
        output("out", "item", "x in another order: ⌊n / L⌋ · L items for n, with L indices")
    )
)]
fn block_interleaver<T: Item>(
    /// Which item of a block comes at each place, from 0.
    indices: &[usize],
    /// Whether this order is undone.
    #[param(default = false)]
    reverse: bool,
    /// Whether it is the bits of bytes that get another order, the highest first; u8 only.
    #[param(default = false)]
    packed: bool,
) -> Result<AnyBlock, BlockError> {
    match (packed, TypeId::of::<T>() == TypeId::of::<u8>()) {
        (true, true) => Ok(AnyBlock::new(BitInterleaver::new(indices, reverse)?)),
        (true, false) => Err(format!("packed: expected items u8, got {}", std::any::type_name::<T>()).into()),
        (false, _) => Ok(AnyBlock::new(BlockInterleaver::<T>::new(indices, reverse)?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::run_any;
    use superhet_runtime::{Value, harness};

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

    #[test]
    fn packed_bits_are_those_of_gnu_radio_and_an_order_is_undone() {
        let build = |indices: &[i64], reverse: bool| {
            let given = [
                ("item", "u8".into()),
                ("indices", indices.iter().map(|index| Value::from(*index)).collect::<Vec<_>>().into()),
                ("reverse", reverse.into()),
                ("packed", true.into()),
            ];
            ENTRY.build(&given.map(|(name, value): (&str, Value)| (name.to_owned(), value)).into())
        };
        let run = |indices: &[i64], reverse: bool, x: &[u8]| {
            let block = build(indices, reverse).unwrap();
            run_any::<u8, u8>(block, x.to_vec(), vec![], &Default::default()).0
        };
        let order = [0, 2, 1, 7, 5, 4, 3, 6];
        let x = [0b1011_0001, 0x0f, 0x80];
        assert_eq!(run(&order, false, &x), [210, 29, 128]);
        assert_eq!(run(&order, true, &x), [195, 30, 128]);
        let long: Vec<i64> = (0..24).map(|n| n * 7 % 24).collect();
        let there = run(&long, false, &x);
        assert_eq!(run(&long, true, &there), x);
        assert!(build(&order[..7], false).is_err());
    }
}
