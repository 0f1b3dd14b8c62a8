//! Pseudo-random sequences of maximal length.

use superhet_runtime::{Block, BlockError, Context, Item, Out, Step, Work, declare};

use crate::error::{Error, check};

/// The default masks by degree: primitive polynomials with as few terms as there are.
const MASKS: [u32; 32] = [
    0x1,
    0x3,
    0x5,
    0x9,
    0x12,
    0x21,
    0x41,
    0x8e,
    0x108,
    0x204,
    0x402,
    0x829,
    0x100d,
    0x2015,
    0x4001,
    0x8016,
    0x10004,
    0x20013,
    0x40013,
    0x80004,
    0x100002,
    0x200001,
    0x400010,
    0x80000d,
    0x100_0004,
    0x200_0023,
    0x400_0013,
    0x800_0004,
    0x1000_0002,
    0x2000_0029,
    0x4000_0004,
    0x8000_0057,
];

/// What a bit is as an item.
pub trait FromBit: Item {
    /// The item for a bit.
    fn from_bit(bit: bool) -> Self;
}

impl FromBit for u8 {
    fn from_bit(bit: bool) -> Self {
        bit.into()
    }
}

impl FromBit for f32 {
    fn from_bit(bit: bool) -> Self {
        if bit { 1.0 } else { -1.0 }
    }
}

/// The bits of a shift register in the form of Galois: the lowest leaves, and if it is 1 the `mask` is added.
///
/// | port | item | unit |
/// |---|---|---|
/// | out `out` | `u8` or `f32` | 0 and 1, or −1 and 1 |
///
/// # Source
/// S. Golomb, Shift Register Sequences, 1967.
///
/// ```
/// use superhet_blocks::{digital::GlfsrSource, sinks::VectorSink};
/// use superhet_runtime::Graph;
///
/// let mut graph = Graph::new();
/// let source = graph.add("source", GlfsrSource::<u8>::new(3, false, 0, 1)?);
/// let sink = VectorSink::<u8>::new();
/// let items = sink.items();
/// let sink = graph.add("sink", sink);
/// graph.connect(source.output, sink.input);
/// graph.run()?;
/// assert_eq!(items.take(), [1, 1, 1, 0, 1, 0, 0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct GlfsrSource<T: FromBit> {
    #[port("out")]
    output: Out<T>,
    register: u32,
    mask: u32,
    /// How many items are still to be given.
    left: u64,
}

#[declare(
    category = "digital",
    summary = "A pseudo-random sequence of bits of maximal length.",
    items(u8, f32),
    item_doc = "u8 gives 0 and 1, f32 gives −1 and 1.",
    ports(output("out", "item", "the bits"))
)]
impl<T: FromBit> GlfsrSource<T> {
    /// The sequence that begins with `seed` in the register, once or, with `repeat`, for ever.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the degree is 1 to 32 and the seed is not 0.
    pub fn new(
        /// The period is 2^degree − 1.
        #[param(range = 1..=32, default = 8)]
        degree: u32,
        /// Whether to go on after the first period.
        #[param(default = true)]
        repeat: bool,
        /// What is fed back; 0 chooses by the degree.
        #[param(default = 0)]
        mask: u32,
        /// What the register holds at first.
        #[param(range = 1..=0xffff_ffff_u32, default = 1)]
        seed: u32,
    ) -> Result<Self, Error> {
        check((1..=32).contains(&degree), "degree", "a whole number from 1 to 32", degree)?;
        check(seed != 0, "seed", "at least 1: of 0 only zeros come", seed)?;
        let mask = if mask == 0 { MASKS[degree as usize - 1] } else { mask };
        let left = if repeat { u64::MAX } else { (1 << degree) - 1 };
        Ok(GlfsrSource { output: Out::new(), register: seed, mask, left })
    }
}

impl<T: FromBit> Work for GlfsrSource<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let room = self.output.reserve();
        let n = usize::try_from(self.left).map_or(room.len(), |left| room.len().min(left));
        for y in &mut room[..n] {
            let bit = self.register & 1;
            self.register = self.register >> 1 ^ (self.mask & bit.wrapping_neg());
            *y = T::from_bit(bit == 1);
        }
        self.output.produce(n);
        if self.left != u64::MAX {
            self.left -= n as u64;
        }
        Ok(match (self.left, n) {
            (0, _) => Step::Done,
            (_, 0) => Step::NeedOutput,
            _ => Step::Ran,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::Head;
    use superhet_runtime::{Graph, Single, harness::VecSink};

    fn run<T: FromBit>(degree: u32, repeat: bool, items: u64) -> Vec<T> {
        let mut outputs = crate::testing::cuts().into_iter().map(|options| {
            let mut graph = Graph::new();
            graph.add("source", GlfsrSource::<T>::new(degree, repeat, 0, 1).unwrap());
            graph.add("head", Head::<T>::new(items));
            let sink = VecSink::<T>::new();
            let given = sink.items();
            graph.add("sink", sink);
            graph.connect_names("source", "head");
            graph.connect_names("head", "sink");
            graph.check().unwrap().start(&Single, &options).unwrap().wait().unwrap();
            given.take()
        });
        let first = outputs.next().unwrap();
        assert!(outputs.all(|output| bytemuck::cast_slice::<T, u8>(&output) == bytemuck::cast_slice::<T, u8>(&first)));
        first
    }

    #[test]
    fn the_bits_are_those_of_gnu_radio() {
        assert_eq!(run::<u8>(4, true, 20), [1, 1, 1, 1, 0, 1, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1, 0]);
        assert_eq!(run::<f32>(4, true, 6), [1.0, 1.0, 1.0, 1.0, -1.0, 1.0]);
    }

    #[test]
    fn every_default_sequence_has_its_full_period() {
        for degree in 1..=14 {
            let bits = run::<u8>(degree, false, u64::MAX);
            let period = (1usize << degree) - 1;
            assert_eq!(bits.len(), period);
            assert_eq!(bits.iter().filter(|bit| **bit == 1).count(), period / 2 + 1);
        }
    }

    #[test]
    fn what_gives_no_sequence_is_refused() {
        assert!(
            GlfsrSource::<u8>::new(0, true, 0, 1).is_err() && GlfsrSource::<u8>::new(33, true, 0, 1).is_err()
        );
        assert!(GlfsrSource::<u8>::new(8, true, 0, 0).is_err());
    }
}
