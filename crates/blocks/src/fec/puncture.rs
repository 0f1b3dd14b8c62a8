//! Leaves bits of a code out.

use superhet_runtime::{AnyBlock, BlockError, Item, Pure, Ratio, Shape, declare};

use crate::error::{Error, check};

/// Which items of each group are sent.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    /// The places in a group of those that are.
    pub places: Vec<usize>,
    pub length: usize,
}

impl Pattern {
    /// A pattern of `length` bits, the first the highest, turned by `delay` places.
    pub fn new(length: usize, pattern: u32, delay: usize) -> Result<Self, Error> {
        check((1..=32).contains(&length), "length", "a whole number from 1 to 32", length as f64)?;
        let is_sent =
            |place: usize| pattern >> (length - 1 - (place + length - delay % length) % length) & 1 == 1;
        let places: Vec<usize> = (0..length).filter(|place| is_sent(*place)).collect();
        check(!places.is_empty(), "pattern", "a bit that is 1", pattern)?;
        Ok(Pattern { places, length })
    }
}

/// Leaves those items of each group out that a pattern says.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `u8` or `f32` | any |
/// | out `out` | the same | that of `in` |
///
/// | parameter | range |
/// |---|---|
/// | `length` | 1 to 32 items |
/// | `pattern` | at least one bit |
///
/// ```
/// use superhet_blocks::fec::Puncture;
/// use superhet_runtime::harness;
///
/// let puncture = Puncture::<u8>::new(4, 0b1011, 0)?;
/// assert_eq!(harness::run(puncture, &[0, 1, 2, 3, 4, 5, 6, 7]), [0, 2, 3, 4, 6, 7]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Puncture<T> {
    pattern: Pattern,
    item: std::marker::PhantomData<fn() -> T>,
}

impl<T: Item> Puncture<T> {
    /// Sends of each `length` items those whose bit in `pattern` is 1, the first the highest, turned by `delay` places.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where the length is not 1 to 32, or nothing would be sent.
    pub fn new(length: usize, pattern: u32, delay: usize) -> Result<Self, Error> {
        Ok(Puncture { pattern: Pattern::new(length, pattern, delay)?, item: std::marker::PhantomData })
    }
}

impl<T: Item> Pure for Puncture<T> {
    type In = T;
    type Out = T;

    fn shape(&self) -> Shape {
        Shape {
            ratio: Ratio { interpolation: self.pattern.places.len(), decimation: self.pattern.length },
            ..Shape::default()
        }
    }

    fn map(&self, x: &[T], y: &mut [T]) {
        let Pattern { places, length } = &self.pattern;
        for (y, x) in y.chunks_exact_mut(places.len()).zip(x.chunks_exact(*length)) {
            y.iter_mut().zip(places).for_each(|(y, place)| *y = x[*place]);
        }
    }
}

#[declare(
    category = "fec",
    summary = "Leaves those items of each group out that a pattern says.",
    items(u8, f32),
    ports(
        input("in", "item", "x"),
        output("out", "item", "fewer of x: ⌊n / length⌋ · m items for n, with m ones in the pattern")
    )
)]
fn puncture<T: Item>(
    /// How many items a group has.
    #[param(formerly = "size", unit = "items", range = 1..=32, default = 2)]
    length: usize,
    /// Which items of a group are sent, as the bits of a number: the first is the highest of `length` bits.
    #[param(default = 3)]
    pattern: u32,
    /// By how many places the pattern is turned to the right.
    #[param(unit = "items", default = 0)]
    delay: usize,
) -> Result<AnyBlock, BlockError> {
    Ok(AnyBlock::new(Puncture::<T>::new(length, pattern, delay)?))
}

#[cfg(test)]
mod tests {
    use super::super::Depuncture;
    use super::*;
    use superhet_runtime::harness;

    #[test]
    fn the_items_are_those_of_gnu_radio_and_come_back_with_filling() {
        let x: Vec<u8> = (0..12).collect();
        for (delay, sent, back) in [
            (0, [0, 2, 3, 4, 6, 7, 8, 10, 11], [0, 9, 2, 3, 4, 9, 6, 7, 8, 9, 10, 11]),
            (1, [0, 1, 3, 4, 5, 7, 8, 9, 11], [0, 1, 9, 3, 4, 5, 9, 7, 8, 9, 9, 11]),
            (5, [0, 1, 3, 4, 5, 7, 8, 9, 11], [0, 1, 9, 3, 4, 5, 9, 7, 8, 9, 9, 11]),
        ] {
            let got: Vec<u8> = harness::run(Puncture::<u8>::new(4, 0b1011, delay).unwrap(), &x);
            assert_eq!(got, sent);
            let got: Vec<u8> = harness::run(Depuncture::<u8>::new(4, 0b1011, delay, 9).unwrap(), &sent);
            assert_eq!(got, back);
        }
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        let x: Vec<f32> = crate::testing::noise(1200);
        harness::assert_cut_invariant(|| Puncture::<f32>::new(6, 0b110101, 2).unwrap(), &x);
        harness::assert_cut_invariant(|| Depuncture::<f32>::new(6, 0b110101, 2, 0.0).unwrap(), &x);
    }

    #[test]
    fn a_pattern_that_sends_nothing_is_refused() {
        assert!(Puncture::<u8>::new(4, 0, 0).is_err() && Puncture::<u8>::new(4, 0b1_0000, 0).is_err());
        assert!(Puncture::<u8>::new(0, 1, 0).is_err() && Puncture::<u8>::new(33, 1, 0).is_err());
    }
}
