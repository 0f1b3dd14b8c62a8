//! Whole random numbers.

use superhet_runtime::catalog::{Entry, Kind, optional, output};
use superhet_runtime::{Item, SyncBlock};

use super::noise_source::SEED;
use super::random::Random;
use crate::error::{Error, check};
use crate::item::block_of_item;

/// Whole numbers from `minimum` to `maximum − 1`, all equally likely, always the same for one seed.
///
/// | port | item | unit |
/// |---|---|---|
/// | out `out` | `u8`, `i8`, `i16` or `i32` | |
///
/// | parameter | range |
/// |---|---|
/// | `minimum`, `maximum` | `minimum < maximum`, and `maximum − 1` is an item |
/// | `seed` | any |
///
/// ```
/// use superhet_blocks::sources::RandomUniformSource;
/// use superhet_runtime::SyncBlock;
///
/// let mut bits = [9u8; 100];
/// RandomUniformSource::<u8>::new(0, 2, 1)?.process((), &mut bits);
/// assert!(bits.contains(&0) && bits.contains(&1) && bits.iter().all(|bit| *bit < 2));
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RandomUniformSource<T> {
    minimum: i64,
    /// How many numbers there are.
    numbers: u64,
    random: Random,
    item: std::marker::PhantomData<fn() -> T>,
}

/// Items that are whole numbers.
pub trait Whole: Item + TryFrom<i64> {
    /// The item that a number within its range says.
    fn of(number: i64) -> Self;
}

macro_rules! whole {
    ($($item:ty),+) => {$(
        impl Whole for $item {
            #[inline(always)]
            fn of(number: i64) -> Self {
                number as $item
            }
        }
    )+};
}

whole!(u8, i8, i16, i32);

impl<T: Whole> RandomUniformSource<T> {
    /// Numbers from `minimum` to `maximum − 1`.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where there are none, or one that is no item.
    pub fn new(minimum: i64, maximum: i64, seed: u64) -> Result<Self, Error> {
        check(T::try_from(minimum).is_ok(), "minimum", "a number that the items can have", minimum as f64)?;
        check(maximum > minimum, "maximum", "more than minimum", maximum as f64)?;
        let fits = T::try_from(maximum - 1).is_ok();
        check(fits, "maximum", "at most one more than the items can have", maximum as f64)?;
        let numbers = (maximum - minimum) as u64;
        Ok(RandomUniformSource {
            minimum,
            numbers,
            random: Random::new(seed),
            item: std::marker::PhantomData,
        })
    }
}

impl<T: Whole> SyncBlock for RandomUniformSource<T> {
    type In = ();
    type Out = T;

    fn process(&mut self, _: (), y: &mut [T]) {
        for y in y {
            *y = T::of(self.minimum + self.random.below(self.numbers) as i64);
        }
    }
}

/// How files and the command line find [`RandomUniformSource`].
pub const ENTRY: Entry = Entry {
    name: "random_uniform_source",
    category: "sources",
    summary: "Whole random numbers from minimum to maximum − 1.",
    params: &[
        optional("item", Kind::Choice(&["u8", "i8", "i16", "i32"]), "", "\"u8\"", "The type of the items."),
        optional("minimum", Kind::Integer(i32::MIN as i64, i32::MAX as i64), "", "0", "The smallest number."),
        optional(
            "maximum",
            Kind::Integer(i32::MIN as i64, 1 << 31),
            "",
            "2",
            "One more than the greatest number.",
        ),
        SEED,
    ],
    ports: &[output("out", "item", "the numbers")],
    make: |params| {
        let (minimum, maximum) = (params.integer("minimum"), params.integer("maximum"));
        let seed = params.integer("seed") as u64;
        Ok(block_of_item!(params, T => RandomUniformSource::<T>::new(minimum, maximum, seed)?;
            "u8" = u8, "i8" = i8, "i16" = i16, "i32" = i32))
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_numbers_are_equally_likely() {
        let mut y = vec![0i16; 40_000];
        RandomUniformSource::<i16>::new(-2, 2, 3).unwrap().process((), &mut y);
        for number in -2..2 {
            let count = y.iter().filter(|y| **y == number).count();
            assert!((9_600..10_400).contains(&count), "{number}: {count}");
        }
    }

    #[test]
    fn ranges_that_the_items_do_not_have_are_refused() {
        assert!(RandomUniformSource::<u8>::new(0, 256, 0).is_ok());
        assert!(RandomUniformSource::<u8>::new(0, 257, 0).is_err());
        assert!(RandomUniformSource::<u8>::new(-1, 2, 0).is_err());
        assert!(RandomUniformSource::<i32>::new(2, 2, 0).is_err());
    }
}
