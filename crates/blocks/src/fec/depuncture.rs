//! Puts something in place of what puncturing has left out.

use superhet_runtime::{AnyBlock, BlockError, C64, Item, Pure, Ratio, Shape, declare};

use super::puncture::Pattern;
use crate::error::Error;
use crate::item::{FromNumber, from_number};

/// Puts a symbol that says nothing in place of those items of each group that [`Puncture`](super::Puncture) has left out.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `u8` or `f32` | any |
/// | out `out` | the same | that of `in` |
///
/// ```
/// use superhet_blocks::fec::Depuncture;
/// use superhet_runtime::harness;
///
/// let depuncture = Depuncture::<u8>::new(4, 0b1011, 0, 127)?;
/// assert_eq!(harness::run(depuncture, &[0, 255, 0]), [0, 127, 255, 0]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Depuncture<T> {
    pattern: Pattern,
    symbol: T,
}

impl<T: Item> Depuncture<T> {
    /// Fills up each group to `length` items, with `symbol` where the bit in `pattern` is 0.
    ///
    /// # Errors
    /// As for [`Puncture::new`](super::Puncture::new).
    pub fn new(length: usize, pattern: u32, delay: usize, symbol: T) -> Result<Self, Error> {
        Ok(Depuncture { pattern: Pattern::new(length, pattern, delay)?, symbol })
    }
}

impl<T: Item> Pure for Depuncture<T> {
    type In = T;
    type Out = T;

    fn shape(&self) -> Shape {
        Shape {
            ratio: Ratio { interpolation: self.pattern.length, decimation: self.pattern.places.len() },
            ..Shape::default()
        }
    }

    fn map(&self, x: &[T], y: &mut [T]) {
        let Pattern { places, length } = &self.pattern;
        for (y, x) in y.chunks_exact_mut(*length).zip(x.chunks_exact(places.len())) {
            y.fill(self.symbol);
            x.iter().zip(places).for_each(|(x, place)| y[*place] = *x);
        }
    }
}

#[declare(
    category = "fec",
    summary = "Puts a symbol that says nothing in place of what puncturing has left out.",
    items(u8, f32),
    ports(
        input("in", "item", "x"),
        output("out", "item", "x, filled up: ⌊n / m⌋ · length items for n, with m ones in the pattern")
    )
)]
fn depuncture<T: FromNumber>(
    /// How many items a group has.
    #[param(formerly = "size", unit = "items", range = 1..=32, default = 2)]
    length: usize,
    /// Which items of a group are sent, as the bits of a number: the first is the highest of `length` bits.
    #[param(default = 3)]
    pattern: u32,
    /// By how many places the pattern is turned to the right.
    #[param(unit = "items", default = 0)]
    delay: usize,
    /// What says nothing; for u8 a whole number from 0 to 255.
    #[param(default = 127.0)]
    symbol: f64,
) -> Result<AnyBlock, BlockError> {
    let symbol = C64::new(symbol, 0.0);
    Ok(AnyBlock::new(Depuncture::<T>::new(length, pattern, delay, from_number("symbol", symbol)?)?))
}
