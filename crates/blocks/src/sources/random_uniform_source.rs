//! Whole random numbers.

use crate::item::Seed;
use superhet_runtime::{Item, SyncBlock, declare};

use super::random::Random;
use crate::error::{Error, check};

/// Whole numbers from `minimum` to `maximum − 1`, all equally likely, always the same for one seed.
///
/// | port | item | unit |
/// |---|---|---|
/// | out `out` | `u8`, `i8`, `i16` or `i32` | |
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

#[declare(
    category = "sources",
    summary = "Whole random numbers from minimum to maximum − 1.",
    items(u8, i8, i16, i32),
    ports(output("out", "item", "the numbers"))
)]
impl<T: Whole> RandomUniformSource<T> {
    /// Numbers from `minimum` to `maximum − 1`.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where there are none, or one that is no item.
    pub fn new(
        /// The smallest number.
        #[param(range = i32::MIN..=i32::MAX, default = 0)]
        minimum: i64,
        /// One more than the greatest number.
        #[param(range = i32::MIN..=1_i64 << 31, default = 2)]
        maximum: i64,
        /// The same seed gives the same numbers.
        #[param(by = Seed, default = 0)]
        seed: u64,
    ) -> Result<Self, Error> {
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
