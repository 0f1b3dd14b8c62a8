//! Takes so many bits of each item and gives so many in each: what all blocks of this module are.

use superhet_kernels as kernels;
use superhet_runtime::catalog::Choice;
use superhet_runtime::tag::{Conversion, map_index};
use superhet_runtime::{
    Block, BlockError, Context, In, Item, Out, Packet, Ratio, Step, Tag, Work, packet::PacketBlock,
};

use crate::error::{Error, check};

/// Which bit of an item comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum BitOrder {
    /// The highest of those that count.
    MsbFirst,
    /// The lowest of those that count.
    LsbFirst,
}

/// How many bits of an item count, the lowest ones, and in which order they come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Width {
    /// How many.
    pub bits: u32,
    /// In which order.
    pub order: BitOrder,
}

impl Width {
    /// So many bits, the highest first.
    pub const fn msb(bits: u32) -> Self {
        Width { bits, order: BitOrder::MsbFirst }
    }

    /// So many bits, the lowest first.
    pub const fn lsb(bits: u32) -> Self {
        Width { bits, order: BitOrder::LsbFirst }
    }
}

/// Items made of bits.
pub trait Word: Item {
    /// How many bits there are.
    const BITS: u32;
    /// What a parameter may be that counts them.
    const WANTED: &'static str;
    /// The bits, with zeros above.
    fn to_bits(self) -> u64;
    /// The item of the lowest bits.
    fn from_bits(bits: u64) -> Self;
    /// A slice of bytes, where that is what the items are.
    fn as_bytes(x: &[Self]) -> Option<&[u8]>;
    /// The same to write to.
    fn as_bytes_mut(x: &mut [Self]) -> Option<&mut [u8]>;
}

macro_rules! word {
    ($item:ty as $unsigned:ty, $wanted:literal; |$x:ident| $as_bytes:expr) => {
        impl Word for $item {
            const BITS: u32 = <$item>::BITS;
            const WANTED: &'static str = $wanted;
            #[inline(always)]
            fn to_bits(self) -> u64 {
                self as $unsigned as u64
            }
            #[inline(always)]
            fn from_bits(bits: u64) -> Self {
                bits as $item
            }
            fn as_bytes($x: &[Self]) -> Option<&[u8]> {
                $as_bytes
            }
            fn as_bytes_mut($x: &mut [Self]) -> Option<&mut [u8]> {
                $as_bytes
            }
        }
    };
}

word!(u8 as u8, "a whole number from 1 to 8"; |x| Some(x));
word!(i16 as u16, "a whole number from 1 to 16"; |_x| None);
word!(i32 as u32, "a whole number from 1 to 32"; |_x| None);

/// The conversion itself: bits that have been taken and not been given yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Converter {
    from: Width,
    to: Width,
    /// The bits that are held, the first of them highest.
    held: u64,
    /// How many.
    count: u32,
}

/// The lowest bits of `word`, as many as counted: the first of them highest, or such an order back again.
#[inline(always)]
fn ordered(word: u64, width: Width) -> u64 {
    match width.order {
        BitOrder::MsbFirst => word & ((1 << width.bits) - 1),
        BitOrder::LsbFirst => word.reverse_bits() >> (64 - width.bits),
    }
}

impl Converter {
    /// Takes bits as `from` says, and gives them as `to` says.
    pub fn new<T: Word>(from: Width, to: Width) -> Result<Self, Error> {
        for (name, width) in [("k", from), ("l", to)] {
            check((1..=T::BITS).contains(&width.bits), name, T::WANTED, width.bits)?;
        }
        Ok(Converter { from, to, held: 0, count: 0 })
    }

    /// How many items `n` of them make.
    pub fn given(&self, n: usize) -> usize {
        (self.count as usize + n * self.from.bits as usize) / self.to.bits as usize
    }

    /// How many items make no more than `room`.
    pub fn taken(&self, room: usize) -> usize {
        let bits = (room.saturating_add(1)).saturating_mul(self.to.bits as usize) - 1;
        bits.saturating_sub(self.count as usize) / self.from.bits as usize
    }

    /// Converts all of `x`; `y` is as long as `given` says.
    pub fn convert<T: Word>(&mut self, x: &[T], y: &mut [T]) {
        let (taken, given) = match (T::as_bytes(x), T::as_bytes_mut(y)) {
            (Some(x), Some(y)) => self.convert_bytes(x, y),
            _ => (0, 0),
        };
        self.convert_rest(&x[taken..], &mut y[given..]);
    }

    /// Whole bytes from or to single bits, where no bits are held: how many were taken and given.
    fn convert_bytes(&mut self, x: &[u8], y: &mut [u8]) -> (usize, usize) {
        if self.count > 0 {
            return (0, 0);
        }
        match (self.from.bits, self.to.bits) {
            (8, 1) => {
                let y = y.as_chunks_mut::<8>().0;
                let n = x.len().min(y.len());
                match self.from.order {
                    BitOrder::MsbFirst => kernels::unpack_bits_msb(&mut y[..n], &x[..n]),
                    BitOrder::LsbFirst => kernels::unpack_bits_lsb(&mut y[..n], &x[..n]),
                }
                (n, 8 * n)
            }
            (1, 8) => {
                let x = x.as_chunks::<8>().0;
                let n = x.len().min(y.len());
                match self.to.order {
                    BitOrder::MsbFirst => kernels::pack_bits_msb(&mut y[..n], &x[..n]),
                    BitOrder::LsbFirst => kernels::pack_bits_lsb(&mut y[..n], &x[..n]),
                }
                (8 * n, n)
            }
            _ => (0, 0),
        }
    }

    fn convert_rest<T: Word>(&mut self, x: &[T], y: &mut [T]) {
        let Converter { from, to, mut held, mut count } = *self;
        let mut y = y.iter_mut();
        for x in x {
            held = held << from.bits | ordered(x.to_bits(), from);
            count += from.bits;
            while count >= to.bits {
                count -= to.bits;
                let Some(y) = y.next() else { break };
                *y = T::from_bits(ordered(held >> count, to));
            }
            held &= (1 << count) - 1;
        }
        (self.held, self.count) = (held, count);
    }

    /// Whether bits are held; they are forgotten, or become one more item with zeros behind them.
    fn end<T: Word>(&mut self, pad: bool) -> Option<T> {
        let (held, count) = (std::mem::take(&mut self.held), std::mem::take(&mut self.count));
        (count > 0 && pad).then(|| T::from_bits(ordered(held << (self.to.bits - count), self.to)))
    }
}

/// Items out for items in.
fn ratio(from: Width, to: Width) -> Ratio {
    Ratio { interpolation: from.bits as usize, decimation: to.bits as usize }
}

/// Takes so many bits of each item and gives so many in each.
///
/// Bits that do not make a whole item at the end are lost. A tag moves to the item that has the first bit of its item.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `u8`, `i16` or `i32` | bits, the lowest `from.bits` count |
/// | out `out` | the same | bits, the lowest `to.bits`; above them zeros |
///
/// ```
/// use superhet_blocks::bits::{Repack, Width};
/// use superhet_runtime::harness;
///
/// let nibbles = Repack::<u8>::new(Width::msb(8), Width::msb(4))?;
/// assert_eq!(harness::run(nibbles, &[0x12, 0xab]), [1, 2, 0xa, 0xb]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Debug, Block)]
pub struct Repack<T: Word> {
    #[port("in")]
    input: In<T>,
    #[port("out")]
    output: Out<T>,
    converter: Converter,
}

impl<T: Word> Repack<T> {
    /// Takes bits as `from` says, and gives them as `to` says.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where an item does not have as many bits, or where it is none.
    pub fn new(from: Width, to: Width) -> Result<Self, Error> {
        let converter = Converter::new::<T>(from, to)?;
        let most = from.bits.div_ceil(to.bits) as usize;
        let output = Out::new().min(most).converted(Conversion::new(ratio(from, to)));
        Ok(Repack { input: In::new(), output, converter })
    }

    /// Forwards the tags of the next `n` items; with 0, those beyond the last.
    fn pass_tags(&mut self, n: usize) {
        let (from, to) = (self.input.index(), self.output.index());
        let (converter, output) = (&self.converter, &mut self.output);
        self.input.for_each_tag(n, |tag| {
            let (k, l) = (converter.from.bits as usize, converter.to.bits as usize);
            let index = to.saturating_add(map_index(tag.index - from, k, l, converter.count.into()));
            output.put_tag(Tag { index, ..tag.clone() });
        });
    }
}

impl<T: Word> Work for Repack<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.input.available().min(self.converter.taken(self.output.room()));
        if n == 0 {
            return Ok(if self.input.available() == 0 { Step::NeedInput } else { Step::NeedOutput });
        }
        self.pass_tags(n);
        let given = self.converter.given(n);
        self.converter.convert(&self.input.peek()[..n], &mut self.output.reserve()[..given]);
        self.input.consume(n);
        self.output.produce(given);
        Ok(Step::Ran)
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.pass_tags(0);
        Ok(Step::Done)
    }
}

/// As [`Repack`], of packets: each begins with a bit of its own.
///
/// Of the bits that do not make a whole item at its end, zeros make one; or they are lost. Tags stay on the item that has
/// the first bit of theirs.
///
/// ```
/// use superhet_blocks::bits::{RepackPackets, Width};
/// use superhet_runtime::{Packet, packet::PacketBlock};
///
/// let mut repack = RepackPackets::<u8>::new(Width::lsb(3), Width::lsb(8), false)?;
/// let packet = repack.packet(Packet::from_items(&[3, 5, 2, 7]))?.unwrap();
/// assert_eq!(packet.items(), [171, 14]);
/// # Ok::<(), superhet_runtime::BlockError>(())
/// ```
#[derive(Debug)]
pub struct RepackPackets<T> {
    converter: Converter,
    whole: bool,
    item: std::marker::PhantomData<fn() -> T>,
}

impl<T: Word> RepackPackets<T> {
    /// As [`Repack::new`]; `whole` says whether bits that do not make a whole item are lost.
    ///
    /// # Errors
    /// As there.
    pub fn new(from: Width, to: Width, whole: bool) -> Result<Self, Error> {
        Ok(RepackPackets { converter: Converter::new::<T>(from, to)?, whole, item: std::marker::PhantomData })
    }
}

impl<T: Word> PacketBlock for RepackPackets<T> {
    type In = T;
    type Out = T;

    fn ratio(&self) -> Ratio {
        ratio(self.converter.from, self.converter.to)
    }

    fn packet(&mut self, x: Packet<T>) -> Result<Option<Packet<T>>, BlockError> {
        let (k, l) = (self.converter.from.bits as usize, self.converter.to.bits as usize);
        let bits = x.len() * k;
        let mut y = x.with_meta(if self.whole { bits / l } else { bits.div_ceil(l) });
        let given = self.converter.given(x.len());
        self.converter.convert(x.items(), &mut y.items_mut()[..given]);
        if let Some(last) = self.converter.end(!self.whole) {
            y.items_mut()[given] = last;
        }
        for tag in x.tags() {
            y.put_tag(Tag { index: map_index(tag.index, k, l, 0), ..tag.clone() });
        }
        Ok(Some(y))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_gives, run_tags};
    use superhet_runtime::harness;

    /// The bits one after another.
    fn plain(x: &[u8], from: Width, to: Width) -> Vec<u8> {
        let bit = |place: u32, width: Width| match width.order {
            BitOrder::LsbFirst => place,
            BitOrder::MsbFirst => width.bits - 1 - place,
        };
        let bits: Vec<u8> =
            x.iter().flat_map(|x| (0..from.bits).map(move |place| x >> bit(place, from) & 1)).collect();
        let item = |bits: &[u8]| (0..to.bits).zip(bits).map(|(place, b)| b << bit(place, to)).sum();
        bits.chunks_exact(to.bits as usize).map(item).collect()
    }

    #[test]
    fn all_widths_and_orders_are_as_defined_wherever_the_stream_is_cut() {
        let x: Vec<u8> = (0..500u32).map(|n| ((n * 167) >> 2) as u8).collect();
        for (k, l) in [(8, 1), (1, 8), (3, 8), (8, 3), (5, 7), (8, 8), (2, 1), (1, 3)] {
            for (from, to) in [
                (Width::msb(k), Width::msb(l)),
                (Width::lsb(k), Width::lsb(l)),
                (Width::lsb(k), Width::msb(l)),
                (Width::msb(k), Width::lsb(l)),
            ] {
                let y: Vec<u8> = harness::run(Repack::<u8>::new(from, to).unwrap(), &x);
                assert_eq!(y, plain(&x, from, to), "{from:?} {to:?}");
            }
            let (from, to) = (Width::lsb(k), Width::msb(l));
            assert_gives(|| Repack::<u8>::new(from, to).unwrap(), &x, &plain(&x, from, to));
        }
    }

    #[test]
    fn signed_items_have_the_bits_of_unsigned_ones() {
        let y: Vec<i16> =
            harness::run(Repack::<i16>::new(Width::msb(16), Width::msb(4)).unwrap(), &[-2i16, 0x1234]);
        assert_eq!(y, [15, 15, 15, 14, 1, 2, 3, 4]);
        let y: Vec<i32> = harness::run(
            Repack::<i32>::new(Width::lsb(32), Width::msb(12)).unwrap(),
            &[-2i32, 0x12345678, 3],
        );
        assert_eq!(y, [2047, 4095, 4081, 3690, 708, 2240, 0, 0]);
        let y: Vec<i32> = harness::run(Repack::<i32>::new(Width::msb(32), Width::msb(32)).unwrap(), &[-2i32]);
        assert_eq!(y, [-2]);
    }

    #[test]
    fn tags_move_to_the_item_with_their_first_bit() {
        let repack = Repack::<u8>::new(Width::msb(8), Width::msb(3)).unwrap();
        assert_eq!(run_tags::<u8, u8, _, _>(repack, vec![0; 30], &[0, 1, 3, 30]), (vec![0, 2, 8, 80], 80));
        let repack = Repack::<u8>::new(Width::msb(1), Width::msb(8)).unwrap();
        assert_eq!(run_tags::<u8, u8, _, _>(repack, vec![0; 32], &[0, 7, 8, 31]), (vec![0, 0, 1, 3], 4));
    }

    #[test]
    fn packets_are_padded_or_cut() {
        let give = |from, to, whole, x: &[u8]| {
            let mut repack = RepackPackets::<u8>::new(from, to, whole).unwrap();
            let twice =
                [0, 1].map(|_| repack.packet(Packet::from_items(x)).unwrap().unwrap().items().to_vec());
            assert_eq!(twice[0], twice[1], "nothing is held from packet to packet");
            twice[0].clone()
        };
        assert_eq!(give(Width::msb(3), Width::msb(8), false, &[3, 5, 2, 7]), [117, 112]);
        assert_eq!(give(Width::msb(3), Width::msb(8), true, &[3, 5, 2, 7]), [117]);
        assert_eq!(give(Width::lsb(8), Width::lsb(3), true, &[0xab, 0xcd, 0xef]), [3, 5, 6, 6, 4, 7, 3, 7]);
        assert_eq!(give(Width::lsb(8), Width::lsb(3), false, &[]), [0u8; 0]);
    }

    #[test]
    fn more_bits_than_an_item_has_are_refused() {
        let error = Repack::<u8>::new(Width::msb(9), Width::msb(1)).unwrap_err().to_string();
        assert_eq!(error, "k = 9: expected a whole number from 1 to 8");
        assert!(Repack::<i16>::new(Width::msb(16), Width::msb(0)).is_err());
    }
}
