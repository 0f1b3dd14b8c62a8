//! Packets of random bytes.

use superhet_runtime::{
    AnyBlock, Block, BlockError, Context, MsgIn, MsgOut, Packet, Step, Work, declare, message::MessageType,
};

use super::PACKET_LENGTH;
use crate::error::{Error, check, check_to_one};

/// Sends packets of random bytes, of random length: so many at the start, and one for each message.
///
/// The same seed gives the same packets.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `generate` | messages | any: each asks for one packet |
/// | out `out` | packets of `u8` | 0 to 255 |
///
/// | parameter | unit | range | default |
/// |---|---|---|---|
/// | `min_length`, `max_length` | bytes | 1 to 2²⁴ | given to `new` |
/// | `count` | packets | any | 0 |
/// | `seed` | | any | 0 |
/// | `mask` | | 0 to 255; each byte is and-ed with it | 255 |
/// | `length_modulo` | bytes | 1 to 2²⁴; lengths are multiples of it | 1 |
///
/// ```
/// use superhet_blocks::{packets::{PduToStream, RandomPdu}, sinks::VectorSink};
/// use superhet_runtime::Graph;
///
/// let mut graph = Graph::new();
/// let source = graph.add("source", RandomPdu::new(10, 20)?.count(100).seed(1).mask(1));
/// let stream = graph.add("stream", PduToStream::<u8>::new());
/// let sink = VectorSink::<u8>::new();
/// let items = sink.items();
/// let sink = graph.add("sink", sink);
/// graph.connect(source.output, stream.input);
/// graph.connect(stream.output, sink.input);
/// graph.run()?;
/// let bits = items.take();
/// assert!((1000..=2000).contains(&bits.len()) && bits.iter().all(|bit| *bit <= 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct RandomPdu {
    #[port]
    generate: MsgIn,
    #[port("out")]
    output: MsgOut,
    /// Lengths are `modulo` times a number in this range.
    lengths: std::ops::RangeInclusive<u64>,
    modulo: u64,
    mask: u8,
    /// Packets still to be sent without being asked for.
    left: u64,
    random: SplitMix,
}

/// Random numbers: Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators, OOPSLA 2014.
#[derive(Clone, Debug)]
struct SplitMix(u64);

impl SplitMix {
    fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

impl RandomPdu {
    /// Packets of `min_length` to `max_length` bytes.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where a length is 0 or beyond 2²⁴, or the second is less than the first.
    pub fn new(min_length: usize, max_length: usize) -> Result<Self, Error> {
        check_to_one("min_length", min_length)?;
        check_to_one("max_length", max_length)?;
        check(min_length <= max_length, "max_length", "at least min_length", max_length as f64)?;
        Ok(RandomPdu {
            generate: MsgIn::new(),
            output: MsgOut::new().sends(MessageType::packets_of::<u8>()),
            lengths: min_length as u64..=max_length as u64,
            modulo: 1,
            mask: 0xff,
            left: 0,
            random: SplitMix(0),
        })
    }

    /// Sends so many packets without being asked for them.
    #[must_use]
    pub fn count(mut self, packets: u64) -> Self {
        self.left = packets;
        self
    }

    /// Gives other packets.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.random = SplitMix(seed);
        self
    }

    /// Leaves only these bits of each byte.
    #[must_use]
    pub fn mask(mut self, mask: u8) -> Self {
        self.mask = mask;
        self
    }

    /// Makes all lengths multiples of `modulo`. Call it once.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where no length between the bounds is one.
    pub fn length_modulo(mut self, modulo: usize) -> Result<Self, Error> {
        check_to_one("length_modulo", modulo)?;
        self.modulo = modulo as u64;
        self.lengths = self.lengths.start().div_ceil(self.modulo)..=self.lengths.end() / self.modulo;
        let wanted = "a number with a multiple from min_length to max_length";
        check(!self.lengths.is_empty(), "length_modulo", wanted, modulo as f64)?;
        Ok(self)
    }

    fn send(&mut self) -> Result<(), BlockError> {
        let (first, last) = (*self.lengths.start(), *self.lengths.end());
        let length = self.modulo * (first + self.random.draw() % (last - first + 1));
        let mut packet = Packet::<u8>::unspecified(length as usize);
        for bytes in packet.items_mut().chunks_mut(8) {
            let random = self.random.draw().to_le_bytes();
            bytes.iter_mut().zip(random).for_each(|(byte, random)| *byte = random & self.mask);
        }
        Ok(self.output.send(packet)?)
    }
}

impl Work for RandomPdu {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        // One at a time: the queue of whoever takes them is looked at in between.
        if self.left > 0 {
            self.left -= 1;
        } else if self.generate.recv().is_none() {
            return Ok(Step::NeedInput);
        }
        self.send()?;
        let is_over = self.left == 0 && !self.generate.is_connected() && !self.generate.has_mail();
        Ok(if is_over { Step::Done } else { Step::Ran })
    }

    fn finish(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        if self.left == 0 || context.is_stopping() { Ok(Step::Done) } else { self.work(context) }
    }
}

#[declare(
    category = "packets",
    summary = "Packets of random bytes: so many, and one for each message.",
    ports(
        input("generate", "messages", "any: each asks for one packet"),
        output("out", "messages", "packets of u8")
    )
)]
fn random_pdu(
    /// The shortest packet.
    #[param(unit = "bytes", kind = PACKET_LENGTH)]
    min_length: usize,
    /// The longest packet.
    #[param(unit = "bytes", kind = PACKET_LENGTH)]
    max_length: usize,
    /// How many come without being asked for.
    #[param(unit = "packets", default = 0)]
    count: u64,
    /// The same seed gives the same packets.
    #[param(default = 0)]
    seed: u64,
    /// Each byte is and-ed with it.
    #[param(default = 255)]
    mask: u8,
    /// Lengths are multiples of it.
    #[param(unit = "bytes", kind = PACKET_LENGTH, default = 1)]
    length_modulo: usize,
) -> Result<AnyBlock, BlockError> {
    let pdus = RandomPdu::new(min_length, max_length)?
        .length_modulo(length_modulo)?
        .count(count)
        .seed(seed)
        .mask(mask);
    Ok(AnyBlock::new(pdus))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packets::pdu::tests::Send;
    use crate::sinks::{Lines, MessageDebug};
    use superhet_runtime::{Graph, Options, Single, Value};

    fn run(pdus: RandomPdu) -> String {
        let (lines, text) = Lines::memory();
        let mut graph = Graph::new();
        graph.add("pdus", pdus);
        graph.add("print", MessageDebug::new(lines, None));
        graph.connect_names("pdus", "print");
        graph.run().unwrap();
        text.take()
    }

    fn lengths(text: &str) -> Vec<u64> {
        let json = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap();
        text.lines().map(|line| json(line)["packet"][1]["hex"].as_str().unwrap().len() as u64 / 2).collect()
    }

    #[test]
    fn the_same_seed_gives_the_same_packets_whose_lengths_are_within_their_bounds() {
        let pdus = |seed| RandomPdu::new(3, 20).unwrap().length_modulo(4).unwrap().count(500).seed(seed);
        let text = run(pdus(1));
        assert_eq!(text, run(pdus(1)));
        assert_ne!(text, run(pdus(2)));
        let mut lengths = lengths(&text);
        assert_eq!(lengths.len(), 500);
        lengths.sort_unstable();
        lengths.dedup();
        assert_eq!(lengths, [4, 8, 12, 16, 20]);
    }

    #[test]
    fn each_message_asks_for_one_packet_and_the_count_comes_all_the_same() {
        for (count, wanted) in [(0, 3), (5000, 5003)] {
            let pdus = RandomPdu::new(1, 2).unwrap().count(count);
            let text = {
                let (lines, text) = Lines::memory();
                let mut graph = Graph::new();
                let messages = vec![Value::Null; 3].into_iter();
                graph.add("send", Send { output: MsgOut::new(), messages });
                graph.add("pdus", pdus);
                graph.add("print", MessageDebug::new(lines, None));
                graph.connect_names("send", "pdus");
                graph.connect_names("pdus", "print");
                graph.run().unwrap();
                text.take()
            };
            assert_eq!(lengths(&text).len(), wanted);
        }
    }

    #[test]
    fn a_source_that_waits_to_be_asked_can_be_stopped() {
        let (lines, text) = Lines::memory();
        let mut graph = Graph::new();
        graph.add("pdus", RandomPdu::new(1, 2).unwrap());
        graph.add("print", MessageDebug::new(lines, None));
        graph.connect_names("pdus", "print");
        let running = graph.check().unwrap().start(&Single, &Options::default()).unwrap();
        assert!(running.stop_within(std::time::Duration::from_secs(30)).is_ok());
        assert_eq!(text.take(), "");
    }

    #[test]
    fn lengths_that_cannot_be_are_refused() {
        assert!(RandomPdu::new(0, 1).is_err() && RandomPdu::new(2, 1).is_err());
        let error = RandomPdu::new(5, 7).unwrap().length_modulo(4).unwrap_err().to_string();
        assert_eq!(
            error,
            "length_modulo = 4: expected a number with a multiple from min_length to max_length"
        );
    }
}
