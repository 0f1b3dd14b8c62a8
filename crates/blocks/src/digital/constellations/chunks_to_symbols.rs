//! Numbers as symbols of a table.

use superhet_runtime::catalog::{Entry, Kind, Param, input, optional, output, required, set_port};
use superhet_runtime::{AnyBlock, BlockError, C32, Item, Pure, Ratio, Value, no_parameter};

use crate::error::{Error, check};
use crate::item::{FromNumber, from_numbers, from_values, to_value};

/// A whole number that is the place of something in a table.
pub trait Chunk: Item {
    /// The place; `usize::MAX` for a negative number.
    fn place(self) -> usize;
}

macro_rules! chunk {
    ($($item:ty),+) => {$(
        impl Chunk for $item {
            #[inline(always)]
            fn place(self) -> usize {
                usize::try_from(self).unwrap_or(usize::MAX)
            }
        }
    )+};
}

chunk!(u8, i16, i32);

/// A symbol of a table.
pub trait Symbol: FromNumber + Default {
    /// The value that says it.
    fn value(self) -> Value;
}

impl Symbol for f32 {
    fn value(self) -> Value {
        self.into()
    }
}

impl Symbol for C32 {
    fn value(self) -> Value {
        to_value(self)
    }
}

/// Numbers as symbols of a table: `y[n · D + d] = symbols[x[n] · D + d]` for `d < D`, the dimension.
///
/// A number that the table does not have gives zeros.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `u8`, `i16` or `i32` | the place in the table |
/// | out `out` | `C32` or `f32` | that of the table |
/// | in `set` | messages | new values of `symbols` |
///
/// | parameter | range |
/// |---|---|
/// | `symbols` | at least `dimension` numbers; can be changed while the block runs |
/// | `dimension` | 1 to 65536 |
///
/// ```
/// use superhet_blocks::digital::ChunksToSymbols;
/// use superhet_runtime::harness;
///
/// let bpsk = ChunksToSymbols::<u8, f32>::new(vec![-1.0, 1.0], 1)?;
/// assert_eq!(harness::run::<u8, f32, _, _>(bpsk, &[0, 1, 1]), [-1.0, 1.0, 1.0]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ChunksToSymbols<A, B> {
    symbols: Vec<B>,
    dimension: usize,
    item: std::marker::PhantomData<fn() -> A>,
}

impl<A: Chunk, B: Symbol> ChunksToSymbols<A, B> {
    /// Looks numbers up in a table with `dimension` items for each.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the dimension is 1 to 65536 and the table has so many symbols.
    pub fn new(symbols: Vec<B>, dimension: usize) -> Result<Self, Error> {
        check(
            (1..=65536).contains(&dimension),
            "dimension",
            "a whole number from 1 to 65536",
            dimension as f64,
        )?;
        check(
            symbols.len() >= dimension,
            "symbols",
            "at least one for each dimension",
            symbols.len() as f64,
        )?;
        Ok(ChunksToSymbols { symbols, dimension, item: std::marker::PhantomData })
    }
}

impl<A: Chunk, B: Symbol> Pure for ChunksToSymbols<A, B> {
    type In = A;
    type Out = B;
    const PARAMETERS: &'static [&'static str] = &["symbols"];

    fn ratio(&self) -> Ratio {
        Ratio::interpolate(self.dimension)
    }
    fn with_parameter(&self, name: &str, value: &Value) -> Result<Self, BlockError> {
        match name {
            "symbols" => Ok(Self::new(from_values("symbols", value)?, self.dimension)?),
            _ => Err(no_parameter(name, Self::PARAMETERS)),
        }
    }
    fn parameter(&self, name: &str) -> Option<Value> {
        let list = || self.symbols.iter().map(|symbol| symbol.value()).collect::<Vec<_>>();
        (name == "symbols").then(|| list().into())
    }
    fn map(&self, x: &[A], y: &mut [B]) {
        if self.dimension == 1 {
            for (y, x) in y.iter_mut().zip(x) {
                *y = self.symbols.get(x.place()).copied().unwrap_or_default();
            }
            return;
        }
        for (y, x) in y.chunks_exact_mut(self.dimension).zip(x) {
            let symbol = self.symbols.chunks_exact(self.dimension).nth(x.place());
            match symbol {
                Some(symbol) => y.copy_from_slice(symbol),
                None => y.fill(B::default()),
            }
        }
    }
}

/// How files and the command line find [`ChunksToSymbols`].
pub const ENTRY: Entry = Entry {
    name: "chunks_to_symbols",
    category: "digital",
    summary: "Numbers as symbols of a table.",
    params: &[
        optional("item", Kind::Choice(&["u8", "i16", "i32"]), "", "\"u8\"", "The type of the numbers."),
        optional("output_item", Kind::Choice(&["C32", "f32"]), "", "\"C32\"", "The type of the symbols."),
        required(
            "symbols",
            Kind::Numbers,
            "",
            "The table; with several dimensions, the items of each symbol in a row.",
        ),
        DIMENSION,
    ],
    ports: &[
        input("in", "item", "the place in the table"),
        output("out", "C32", "the symbols; f32 where output_item says so"),
        set_port("new values of symbols"),
    ],
    make: |params| {
        let (numbers, dimension) = (params.numbers("symbols"), params.count("dimension"));
        macro_rules! block {
            ($A:ty, $B:ty) => {
                AnyBlock::new(ChunksToSymbols::<$A, $B>::new(from_numbers("symbols", &numbers)?, dimension)?)
            };
        }
        Ok(match (params.text("item"), params.text("output_item")) {
            ("u8", "C32") => block!(u8, C32),
            ("i16", "C32") => block!(i16, C32),
            ("i32", "C32") => block!(i32, C32),
            ("u8", _) => block!(u8, f32),
            ("i16", _) => block!(i16, f32),
            (_, _) => block!(i32, f32),
        })
    },
};

const DIMENSION: Param =
    optional("dimension", Kind::Integer(1, 65536), "items", "1", "How many items a symbol has.");

#[cfg(test)]
mod tests {
    use super::*;
    use superhet_runtime::harness;

    #[test]
    fn symbols_are_those_of_the_table_and_zeros_beyond_it() {
        let table = || vec![C32::ONE, C32::I, -C32::ONE, -C32::I];
        let y = harness::run::<i16, C32, _, _>(
            ChunksToSymbols::<i16, C32>::new(table(), 2).unwrap(),
            &[1, 0, 2, -1],
        );
        assert_eq!(y, [-C32::ONE, -C32::I, C32::ONE, C32::I, C32::ZERO, C32::ZERO, C32::ZERO, C32::ZERO]);
        let y = harness::run::<i32, C32, _, _>(
            ChunksToSymbols::<i32, C32>::new(table(), 1).unwrap(),
            &[3, 4, i32::MIN],
        );
        assert_eq!(y, [-C32::I, C32::ZERO, C32::ZERO]);
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        let x: Vec<u8> = (0..1000).map(|n| (n % 5) as u8).collect();
        for dimension in [1, 3] {
            let make =
                || ChunksToSymbols::<u8, f32>::new((0..12).map(|n| n as f32).collect(), dimension).unwrap();
            harness::assert_cut_invariant(make, &x);
        }
    }

    #[test]
    fn the_table_can_be_changed_but_not_to_an_empty_one() {
        let block = ChunksToSymbols::<u8, f32>::new(vec![1.0, 2.0], 2).unwrap();
        let changed = block.with_parameter("symbols", &vec![3f32, 4.0].into()).unwrap();
        assert_eq!(harness::run::<u8, f32, _, _>(changed, &[0]), [3.0, 4.0]);
        assert!(block.with_parameter("symbols", &vec![3f32].into()).is_err());
        assert!(ChunksToSymbols::<u8, f32>::new(vec![1.0], 0).is_err());
    }
}
