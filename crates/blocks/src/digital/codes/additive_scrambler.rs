//! Scrambling by a sequence that does not depend on the data.

use std::sync::Arc;

use superhet_runtime::{Block, BlockError, Context, In, Item, Out, Step, Work, declare, tag::forward_tags};

use crate::digital::codes::lfsr::Lfsr;
use crate::error::{Error, check};
use crate::flow;

/// Whole numbers whose lowest bits can be scrambled.
pub trait Bits: Item {
    /// How many bits it has.
    const WIDTH: u32;
    /// The number with these bits flipped.
    fn flip(self, bits: u32) -> Self;
}

macro_rules! bits {
    ($($item:ty),+) => {$(
        impl Bits for $item {
            const WIDTH: u32 = <$item>::BITS;
            #[inline(always)]
            fn flip(self, bits: u32) -> Self {
                self ^ bits as $item
            }
        }
    )+};
}

bits!(u8, i16, i32);

/// Flips bits of each item by the sequence of a shift register, its first bit the lowest of the item; done again, it is
/// undone.
///
/// The register begins again with its seed after every `reset_every` items, or where a tag with the key `reset_tag` lies.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `u8`, `i16` or `i32` | the lowest `bits_per_item` bits |
/// | out `out` | the same | the same |
///
/// | parameter | range |
/// |---|---|
/// | `bits_per_item` | 1 to the width of the items |
/// | `reset_every` | items; 0 for never. Not used where there is a `reset_tag` |
///
/// ```
/// use superhet_blocks::digital::{AdditiveScrambler, Lfsr};
/// use superhet_runtime::harness;
///
/// let make = || AdditiveScrambler::<u8>::new(Lfsr::new(0x8a, 0x7f, 7)?, 8);
/// let sent: Vec<u8> = harness::run(make()?, b"text");
/// assert_eq!(harness::run(make()?, &sent), b"text");
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Debug, Block)]
pub struct AdditiveScrambler<T: Bits> {
    #[port("in")]
    input: In<T>,
    #[port("out")]
    output: Out<T>,
    register: Lfsr,
    /// In the place of the register, of one bit an item: the sequence, the place where it goes on behind its end, and where it is.
    sequence: Option<(Vec<u8>, usize)>,
    place: usize,
    bits: u32,
    reset_every: u64,
    reset_tag: Option<Arc<str>>,
    /// Items since the last reset.
    count: u64,
}

impl<T: Bits> AdditiveScrambler<T> {
    /// Flips the lowest `bits_per_item` bits of each item.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the items have 1 to so many bits.
    pub fn new(register: Lfsr, bits_per_item: u32) -> Result<Self, Error> {
        let fits = (1..=T::WIDTH).contains(&bits_per_item);
        check(fits, "bits_per_item", "at least 1, and at most the bits of an item", bits_per_item)?;
        let (input, output) = (In::new(), Out::new());
        Ok(AdditiveScrambler {
            input,
            output,
            sequence: if bits_per_item == 1 { register.sequence() } else { None },
            place: 0,
            register,
            bits: bits_per_item,
            reset_every: 0,
            reset_tag: None,
            count: 0,
        })
    }

    /// Begins again after so many items.
    #[must_use]
    pub fn reset_every(mut self, items: u64) -> Self {
        self.reset_every = items;
        self
    }

    /// Begins again where a tag has this key, and nowhere else.
    #[must_use]
    pub fn reset_tag(mut self, key: impl Into<Arc<str>>) -> Self {
        self.reset_tag = Some(key.into());
        self.reset_every = 0;
        self
    }
}

impl<T: Bits> Work for AdditiveScrambler<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.input.available().min(self.output.room());
        let mut resets = Vec::new();
        if let Some(key) = &self.reset_tag {
            let first = self.input.index();
            self.input.for_each_tag(n, |tag| {
                if tag.key == *key {
                    resets.push((tag.index - first) as usize);
                }
            });
        }
        let mut resets = resets.into_iter().peekable();
        let (x, y) = (self.input.peek(), self.output.reserve());
        let mut place = 0;
        while place < n {
            let (y, x) = (&mut y[place..n], &x[place..n]);
            let is_due = self.reset_every > 0 && self.count == self.reset_every;
            if is_due || resets.peek() == Some(&place) {
                while resets.next_if_eq(&place).is_some() {}
                self.register.reset();
                (self.count, self.place) = (0, 0);
            }
            // As far as nothing begins again among them.
            let until_due = if self.reset_every > 0 { self.reset_every - self.count } else { u64::MAX };
            let until_tag = resets.peek().map_or(usize::MAX, |reset| reset - place);
            if let Some((sequence, begin)) = &self.sequence {
                let until_due = usize::try_from(until_due).unwrap_or(usize::MAX);
                let items = x.len().min(until_due).min(until_tag).min(sequence.len() - self.place);
                for (y, (x, bit)) in y[..items].iter_mut().zip(x.iter().zip(&sequence[self.place..])) {
                    *y = x.flip(u32::from(*bit));
                }
                self.place += items;
                self.place = if self.place == sequence.len() { *begin } else { self.place };
                self.count = self.count.wrapping_add(items as u64);
                place += items;
                continue;
            }
            let next = |bits, bit| bits | u32::from(self.register.next()) << bit;
            y[0] = x[0].flip((0..self.bits).fold(0, next));
            self.count = self.count.wrapping_add(1);
            place += 1;
        }
        forward_tags(&mut self.input, &mut self.output, n);
        self.input.consume(n);
        self.output.produce(n);
        Ok(flow::step(n, &self.input))
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        Ok(flow::end(&mut self.input, &mut self.output))
    }
}

#[declare(
    category = "digital",
    summary = "Flips bits of each item by the sequence of a shift register.",
    items(u8, i16, i32),
    ports(input("in", "item", "any"), output("out", "item", "the same, scrambled"))
)]
fn additive_scrambler<T: Bits>(
    /// Which places of the register are fed back, as the bits of a number.
    #[param(default = 138)]
    mask: u64,
    /// What the register holds at first.
    #[param(default = 127)]
    seed: u64,
    /// The place at which bits enter, counted from 0.
    #[param(unit = "bits", range = 0..=63, default = 7)]
    length: u32,
    /// After so many items it begins again; 0 for never.
    #[param(unit = "items", default = 0)]
    reset_every: u64,
    /// How many bits of an item are scrambled.
    #[param(range = 1..=32, default = 1)]
    bits_per_item: u32,
    /// The key of tags where it begins again; then not else.
    #[param(default = "")]
    reset_tag: &str,
) -> Result<AdditiveScrambler<T>, Error> {
    let block = AdditiveScrambler::new(Lfsr::new(mask, seed, length)?, bits_per_item)?;
    Ok(match reset_tag {
        "" => block.reset_every(reset_every),
        key => block.reset_tag(key),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_gives, cuts, run_tagged};
    use superhet_runtime::Value;

    fn register() -> Lfsr {
        Lfsr::new(0x8a, 0x7f, 7).unwrap()
    }

    #[test]
    fn the_bytes_are_those_of_gnu_radio_wherever_the_stream_is_cut() {
        let x = [1u8, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 1];
        let make = || AdditiveScrambler::<u8>::new(register(), 8).unwrap();
        assert_gives(make, &x, &[126u8, 16, 71, 120, 113, 210, 110, 87, 62, 8, 162, 189]);
        assert_gives(
            || make().reset_every(5),
            &x,
            &[126u8, 16, 71, 120, 113, 127, 16, 71, 120, 113, 126, 17],
        );
    }

    #[test]
    fn a_tag_begins_the_sequence_again() {
        for options in cuts() {
            let x = vec![1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 1];
            let make = AdditiveScrambler::<u8>::new(register(), 1).unwrap().reset_tag("r");
            let tags = vec![(1, "other", Value::Null), (3, "r", Value::Null)];
            let (y, tags) = run_tagged::<u8, u8, _, _>(make, x, tags, &options);
            assert_eq!(y, [0, 1, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1]);
            assert_eq!(tags.len(), 2);
        }
    }

    #[test]
    fn more_bits_than_an_item_has_are_refused() {
        assert!(AdditiveScrambler::<u8>::new(register(), 9).is_err());
        assert!(AdditiveScrambler::<i16>::new(register(), 16).is_ok());
    }
}
