//! Encodes symbols by a finite state machine.

use superhet_runtime::catalog::Kind;
use superhet_runtime::{AnyBlock, BlockError, Item, SyncBlock, declare};

use super::{Machine, Transitions};
use crate::digital::constellations::chunks_to_symbols::Chunk;
use crate::error::{Error, check};

/// Encodes symbols by a [`Machine`]: an output symbol for each input symbol.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `u8`, `i16` or `i32` | input symbols |
/// | out `out` | the same types | output symbols |
///
/// A symbol that the machine does not have counts as 0.
///
/// ```
/// use superhet_blocks::fec::trellis::{Machine, TrellisEncoder};
/// use superhet_runtime::harness;
///
/// let machine = Machine::new(2, &[0, 2, 0, 2, 1, 3, 1, 3], &[0, 3, 3, 0, 1, 2, 2, 1])?;
/// let encoder = TrellisEncoder::<u8, u8>::new(machine, 0, 0)?;
/// assert_eq!(harness::run(encoder, &[1, 0, 0]), [3, 1, 3]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct TrellisEncoder<A, B> {
    machine: Machine,
    first: usize,
    /// Symbols of a block; 0: one block without an end.
    block_items: usize,
    state: usize,
    place: usize,
    items: std::marker::PhantomData<fn() -> (A, B)>,
}

/// What output symbols are written as.
pub trait Numbered: Item {
    /// The number; its lowest bits where it is too large.
    fn of(number: u32) -> Self;
}

macro_rules! numbered {
    ($($item:ty),+) => {$(
        impl Numbered for $item {
            #[inline(always)]
            fn of(number: u32) -> Self {
                number as $item
            }
        }
    )+};
}

numbered!(u8, i16, i32);

impl<A: Chunk, B: Numbered> TrellisEncoder<A, B> {
    /// Begins in the state `first`, and anew behind each `block_items` symbols where that is not 0.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a state that is not there.
    pub fn new(machine: Machine, first: usize, block_items: usize) -> Result<Self, Error> {
        check(first < machine.states(), "state", "one that there is", first as f64)?;
        let items = std::marker::PhantomData;
        Ok(TrellisEncoder { machine, first, block_items, state: first, place: 0, items })
    }
}

impl<A: Chunk, B: Numbered> SyncBlock for TrellisEncoder<A, B> {
    type In = A;
    type Out = B;

    fn process(&mut self, x: &[A], y: &mut [B]) {
        for (y, x) in y.iter_mut().zip(x) {
            if self.block_items > 0 && self.place == self.block_items {
                (self.state, self.place) = (self.first, 0);
            }
            let input = x.place();
            let known = if input < self.machine.inputs() { input } else { 0 };
            let (output, next) = self.machine.step(self.state, known);
            *y = B::of(output);
            self.state = next;
            self.place += usize::from(self.block_items > 0);
        }
    }
}

#[declare(
    category = "fec",
    summary = "Encodes symbols by a finite state machine.",
    ports(input("in", "item", "input symbols"), output("out", "out_item", "output symbols"))
)]
fn trellis_encoder(
    /// The type of the input symbols.
    #[param(kind = Kind::Choice(&["u8", "i16", "i32"]), default = "u8")]
    item: &str,
    /// The type of the output symbols.
    #[param(kind = Kind::Choice(&["u8", "i16", "i32"]), default = "u8")]
    out_item: &str,
    #[param(group)] machine: Transitions,
    /// The state that it begins in.
    #[param(default = 0)]
    state: usize,
    /// How many symbols are encoded before it begins anew; 0: it never does.
    #[param(unit = "items", default = 0)]
    block_items: usize,
) -> Result<AnyBlock, BlockError> {
    let machine = Machine::of(&machine)?;
    macro_rules! block {
        ($A:ty, $B:ty) => {
            AnyBlock::new(TrellisEncoder::<$A, $B>::new(machine, state, block_items)?)
        };
    }
    Ok(match (item, out_item) {
        ("u8", "u8") => block!(u8, u8),
        ("u8", "i16") => block!(u8, i16),
        ("u8", _) => block!(u8, i32),
        ("i16", "u8") => block!(i16, u8),
        ("i16", "i16") => block!(i16, i16),
        ("i16", _) => block!(i16, i32),
        (_, "u8") => block!(i32, u8),
        (_, "i16") => block!(i32, i16),
        (_, _) => block!(i32, i32),
    })
}

#[cfg(test)]
mod tests {
    use super::super::trellis_viterbi::tests::machine;
    use super::*;
    use superhet_runtime::harness;

    #[test]
    fn symbols_are_those_of_the_machine_from_its_state_on() {
        let made = |state, block| TrellisEncoder::<u8, i16>::new(machine(), state, block).unwrap();
        assert_eq!(harness::run(made(0, 0), &[1, 0, 0, 0, 1, 1]), [3, 1, 3, 0, 3, 2]);
        assert_eq!(harness::run(made(2, 2), &[0, 0, 0, 0]), [1, 3, 1, 3]);
        assert!(TrellisEncoder::<u8, u8>::new(machine(), 4, 0).is_err());
    }

    #[test]
    fn a_symbol_that_is_none_counts_as_zero() {
        let encoder = TrellisEncoder::<i32, i32>::new(machine(), 0, 0).unwrap();
        assert_eq!(harness::run(encoder, &[1, -5, 9]), [3, 1, 3]);
    }

    #[test]
    fn the_output_does_not_depend_on_where_the_input_is_cut() {
        let x: Vec<u8> = (0..500u32).map(|n| (n * n / 3 % 2) as u8).collect();
        for block in [0, 7] {
            let make = || TrellisEncoder::<u8, u8>::new(machine(), 0, block).unwrap();
            harness::assert_cut_invariant(make, &x);
        }
    }
}
