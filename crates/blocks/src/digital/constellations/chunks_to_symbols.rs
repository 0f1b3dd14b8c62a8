//! Numbers as symbols of a table.

use std::sync::Arc;

use superhet_runtime::catalog::Kind;
use superhet_runtime::tag::{Conversion, map_index};
use superhet_runtime::{
    AnyBlock, Block, BlockError, C32, C64, Context, In, Item, Out, Pure, Ratio, Shape, Step, Tag, Value,
    Work, declare, parameter::no_parameter,
};

use crate::error::{Error, check};
use crate::item::{FromNumber, from_numbers, from_values, to_value};
use crate::{Tunable, Tuned};

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
/// assert_eq!(harness::run(bpsk, &[0, 1, 1]), [-1.0, 1.0, 1.0]);
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

    fn shape(&self) -> Shape {
        Shape { ratio: Ratio::interpolate(self.dimension), ..Shape::default() }
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

/// A [`ChunksToSymbols`] whose table tags change: a tag with a certain key has the table for its item and those behind it. It
/// passes on, as all tags do.
///
/// # Errors
/// At run time: such a tag that has no table, or one that is too short.
#[derive(Debug, Block)]
pub struct TaggedChunksToSymbols<A: Chunk, B: Symbol> {
    #[port("in")]
    input: In<A>,
    #[port("out")]
    output: Out<B>,
    table: ChunksToSymbols<A, B>,
    key: Arc<str>,
}

impl<A: Chunk, B: Symbol> TaggedChunksToSymbols<A, B> {
    /// Begins with `table`; tags with the key `table_tag` have others.
    pub fn new(table: ChunksToSymbols<A, B>, table_tag: impl Into<Arc<str>>) -> Self {
        let conversion = Conversion::new(Ratio::interpolate(table.dimension));
        let output = Out::new().multiple(table.dimension).converted(conversion);
        TaggedChunksToSymbols { input: In::new(), output, table, key: table_tag.into() }
    }

    /// Hands the tags of the next `items` items on; with 0, those beyond the last.
    fn pass_tags(&mut self, items: usize) {
        let (from, to, dimension) = (self.input.index(), self.output.index(), self.table.dimension);
        let output = &mut self.output;
        self.input.for_each_tag(items, |tag| {
            let index = to + map_index(tag.index - from, dimension, 1, 0);
            output.put_tag(Tag { index, ..tag.clone() });
        });
    }
}

impl<A: Chunk, B: Symbol> Tunable for TaggedChunksToSymbols<A, B> {
    const PARAMETERS: &'static [&'static str] = ChunksToSymbols::<A, B>::PARAMETERS;
    const FORMERLY: &'static [(&'static str, &'static str)] = ChunksToSymbols::<A, B>::FORMERLY;

    fn position(&self) -> u64 {
        self.input.index()
    }
    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        self.table = self.table.with_parameter(name, value)?;
        Ok(())
    }
    fn parameter(&self, name: &str) -> Option<Value> {
        Pure::parameter(&self.table, name)
    }

    fn work_on(&mut self, most: usize, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let dimension = self.table.dimension;
        let (available, room) = (self.input.available(), self.output.room() / dimension);
        let n = available.min(room).min(most);
        if n == 0 {
            return Ok(if available == 0 { Step::NeedInput } else { Step::NeedOutput });
        }
        let (first, mut changes) = (self.input.index(), Vec::new());
        self.input.for_each_tag(n, |tag| {
            if tag.key == self.key {
                changes.push(((tag.index - first) as usize, tag.value.clone()));
            }
        });
        let (x, y) = (&self.input.peek()[..n], &mut self.output.reserve()[..n * dimension]);
        let mut done = 0;
        for (place, value) in changes {
            self.table.map(&x[done..place], &mut y[done * dimension..place * dimension]);
            let symbols = from_values("the table of a tag", &value)?;
            (self.table, done) = (ChunksToSymbols::new(symbols, dimension)?, place);
        }
        self.table.map(&x[done..], &mut y[done * dimension..]);
        self.pass_tags(n);
        self.input.consume(n);
        self.output.produce(n * dimension);
        Ok(Step::Ran)
    }
}

impl<A: Chunk, B: Symbol> Work for TaggedChunksToSymbols<A, B> {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        self.work_on(usize::MAX, context)
    }
    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.pass_tags(0);
        Ok(Step::Done)
    }
    fn ratio(&self) -> Option<Ratio> {
        Some(self.table.shape().ratio)
    }
}

#[declare(
    category = "digital",
    summary = "Numbers as symbols of a table.",
    ports(
        input("in", "item", "the place in the table"),
        output("out", "C32", "the symbols; f32 where out_item says so"),
        set_port("new values of symbols")
    )
)]
fn chunks_to_symbols(
    /// The type of the numbers.
    #[param(kind = Kind::Choice(&["u8", "i16", "i32"]), default = "u8")]
    item: &str,
    /// The type of the symbols.
    #[param(formerly = "output_item", kind = Kind::Choice(&["C32", "f32"]), default = "C32")]
    out_item: &str,
    /// The table; with several dimensions, the items of each symbol in a row.
    symbols: Vec<C64>,
    /// How many items a symbol has.
    #[param(unit = "items", range = 1..=65536, default = 1)]
    dimension: usize,
    /// The key of tags that have a new table for their item and those behind it; empty for none.
    #[param(default = "")]
    table_tag: &str,
) -> Result<AnyBlock, BlockError> {
    let numbers = symbols;
    macro_rules! block {
        ($A:ty, $B:ty) => {
            match (ChunksToSymbols::<$A, $B>::new(from_numbers("symbols", &numbers)?, dimension)?, table_tag)
            {
                (table, "") => AnyBlock::new(table),
                (table, key) => AnyBlock::new(Tuned::new(TaggedChunksToSymbols::new(table, key))),
            }
        };
    }
    Ok(match (item, out_item) {
        ("u8", "C32") => block!(u8, C32),
        ("i16", "C32") => block!(i16, C32),
        ("i32", "C32") => block!(i32, C32),
        ("u8", _) => block!(u8, f32),
        ("i16", _) => block!(i16, f32),
        (_, _) => block!(i32, f32),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{cuts, run_any};
    use superhet_runtime::harness;

    #[test]
    fn symbols_are_those_of_the_table_and_zeros_beyond_it() {
        let table = || vec![C32::ONE, C32::I, -C32::ONE, -C32::I];
        let y = harness::run(ChunksToSymbols::<i16, C32>::new(table(), 2).unwrap(), &[1, 0, 2, -1]);
        assert_eq!(y, [-C32::ONE, -C32::I, C32::ONE, C32::I, C32::ZERO, C32::ZERO, C32::ZERO, C32::ZERO]);
        let y = harness::run(ChunksToSymbols::<i32, C32>::new(table(), 1).unwrap(), &[3, 4, i32::MIN]);
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
        assert_eq!(harness::run(changed, &[0]), [3.0, 4.0]);
        assert!(block.with_parameter("symbols", &vec![3f32].into()).is_err());
        assert!(ChunksToSymbols::<u8, f32>::new(vec![1.0], 0).is_err());
    }

    #[test]
    fn a_tag_brings_a_new_table_from_its_item_on_wherever_the_stream_is_cut() {
        let given = [
            ("out_item".to_owned(), "f32".into()),
            ("symbols".to_owned(), vec![0f32, 1.0, 2.0, 3.0].into()),
            ("dimension".to_owned(), 2.into()),
            ("table_tag".to_owned(), "set_symbol_table".into()),
        ];
        let tags = || {
            let table = |first: f32| Value::from((0..4).map(|n| first + n as f32).collect::<Vec<f32>>());
            vec![
                (2, "set_symbol_table", table(10.0)),
                (3, "other", Value::Null),
                (4, "set_symbol_table", table(20.0)),
                (4, "set_symbol_table", table(30.0)),
            ]
        };
        for options in cuts() {
            let block = ENTRY.build(&given.clone().into()).unwrap();
            let (y, seen) = run_any::<u8, f32>(block, vec![0, 1, 0, 1, 0, 1], tags(), &options);
            assert_eq!(y, [0.0, 1.0, 2.0, 3.0, 10.0, 11.0, 12.0, 13.0, 30.0, 31.0, 32.0, 33.0]);
            assert_eq!(seen.iter().map(|tag| tag.0).collect::<Vec<_>>(), [4, 6, 8, 8]);
        }
    }
}
