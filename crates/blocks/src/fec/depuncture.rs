//! Puts something in place of what puncturing has left out.

use superhet_runtime::catalog::{ANY_FLOAT, Entry, Kind, input, optional, output};
use superhet_runtime::{C64, Item, Pure, Ratio};

use super::puncture::{DELAY, PATTERN, Pattern, SIZE};
use crate::error::Error;
use crate::item::from_number;

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
    /// Fills up each group to `size` items, with `symbol` where the bit in `pattern` is 0.
    ///
    /// # Errors
    /// As for [`Puncture::new`](super::Puncture::new).
    pub fn new(size: usize, pattern: u32, delay: usize, symbol: T) -> Result<Self, Error> {
        Ok(Depuncture { pattern: Pattern::new(size, pattern, delay)?, symbol })
    }
}

impl<T: Item> Pure for Depuncture<T> {
    type In = T;
    type Out = T;

    fn ratio(&self) -> Ratio {
        Ratio { interpolation: self.pattern.size, decimation: self.pattern.places.len() }
    }
    fn map(&self, x: &[T], y: &mut [T]) {
        let Pattern { places, size } = &self.pattern;
        for (y, x) in y.chunks_exact_mut(*size).zip(x.chunks_exact(places.len())) {
            y.fill(self.symbol);
            x.iter().zip(places).for_each(|(x, place)| y[*place] = *x);
        }
    }
}

/// How files and the command line find [`Depuncture`].
pub const ENTRY: Entry = Entry {
    name: "depuncture",
    category: "fec",
    summary: "Puts a symbol that says nothing in place of what puncturing has left out.",
    params: &[
        optional("item", Kind::Choice(&["u8", "f32"]), "", "\"u8\"", "The type of the items."),
        SIZE,
        PATTERN,
        DELAY,
        optional("symbol", ANY_FLOAT, "", "127.0", "What says nothing; for u8 a whole number from 0 to 255."),
    ],
    ports: &[
        input("in", "item", "x"),
        output("out", "item", "x, filled up: ⌊n / m⌋ · size items for n, with m ones in the pattern"),
    ],
    make: |params| {
        let (size, pattern, delay) =
            (params.count("size"), params.count("pattern") as u32, params.count("delay"));
        let symbol = C64::new(params.float("symbol"), 0.0);
        Ok(crate::item::block_of_item!(params, T => {
            Depuncture::<T>::new(size, pattern, delay, from_number("symbol", symbol)?)?
        }; "u8" = u8, "f32" = f32))
    },
};
