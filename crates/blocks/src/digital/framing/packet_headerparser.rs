//! What headers say, as messages.

use std::sync::Arc;

use superhet_runtime::{
    AnyBlock, Block, BlockError, C64, Context, In, MsgOut, Step, Tag, Value, Work, declare,
};

use crate::digital::framing::packet_header::{HeaderFields, OfdmFrames, PacketHeader, header_of};
use crate::item::counts_of;

/// Reads headers out of a stream that has nothing else, and sends what each says: a map of length and number, and of the tags
/// that lay on it; or `false` where its checksum is wrong.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `u8` | headers as [`PacketHeader`] says |
/// | out `header_data` | messages | a map, or `false` |
///
/// ```
/// use superhet_blocks::{digital::{HeaderFields, PacketHeader, PacketHeaderParser}, sinks::{Lines, MessageDebug}};
/// use superhet_blocks::sources::VectorSource;
/// use superhet_runtime::Graph;
///
/// let header = PacketHeader::new(32, 1)?;
/// let (lines, text) = Lines::memory();
/// let mut graph = Graph::new();
/// let bits = header.write(HeaderFields { length: 9, number: 2 });
/// let source = graph.add("source", VectorSource::new(bits, false)?);
/// let parser = graph.add("parser", PacketHeaderParser::new(header, "packet_len", "packet_num"));
/// let print = graph.add("print", MessageDebug::new(lines, None));
/// graph.connect(source.output, parser.input);
/// graph.connect(parser.output, print.input);
/// graph.run()?;
/// assert_eq!(text.take(), "{\"packet_len\":9,\"packet_num\":2}\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct PacketHeaderParser {
    #[port("in")]
    input: In<u8>,
    #[port("header_data")]
    output: MsgOut,
    header: PacketHeader,
    length_tag: Arc<str>,
    number_tag: Arc<str>,
    /// Which frames carry the packets, and what says their length.
    frames: Option<(OfdmFrames, Arc<str>)>,
}

impl PacketHeaderParser {
    /// Reads such headers; the messages have the entries `length_tag` and `number_tag`.
    pub fn new(
        header: PacketHeader,
        length_tag: impl Into<Arc<str>>,
        number_tag: impl Into<Arc<str>>,
    ) -> Self {
        let input = In::new().multiple(header.length());
        let (length_tag, number_tag) = (length_tag.into(), number_tag.into());
        PacketHeaderParser { input, output: MsgOut::new(), header, length_tag, number_tag, frames: None }
    }

    /// Takes the length in headers for bytes that OFDM frames carry: the length in a message is that in items, and the entry
    /// `frame_length_tag` says how many symbols there are.
    #[must_use]
    pub fn in_frames(mut self, frames: OfdmFrames, frame_length_tag: impl Into<Arc<str>>) -> Self {
        self.frames = Some((frames, frame_length_tag.into()));
        self
    }

    /// The metadata that the parser sends for such a header.
    fn entries(&self, fields: HeaderFields) -> Vec<(Arc<str>, Value)> {
        let number = (self.number_tag.clone(), i64::from(fields.number).into());
        let number = self.header.has_number().then_some(number);
        match &self.frames {
            None => [(self.length_tag.clone(), i64::from(fields.length).into())]
                .into_iter()
                .chain(number)
                .collect(),
            Some((frames, key)) => {
                let (items, symbols) = frames.of(fields.length);
                let count = |n: u64| Value::Int(n as i64);
                let lengths = [(self.length_tag.clone(), count(items)), (key.clone(), count(symbols))];
                lengths.into_iter().chain(number).collect()
            }
        }
    }
}

impl Work for PacketHeaderParser {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let (n, first) = (self.input.available(), self.input.index());
        let mut tags: Vec<Tag> = Vec::new();
        self.input.for_each_tag(n, |tag| tags.push(tag.clone()));
        for (place, items) in self.input.peek().chunks_exact(self.header.length()).enumerate() {
            let from = first + (place * self.header.length()) as u64;
            let on_it = from..from + self.header.length() as u64;
            let message = match self.header.read(items) {
                Some(fields) => {
                    let tags = tags.iter().filter(|tag| on_it.contains(&tag.index));
                    let tags = tags.map(|tag| (tag.key.clone(), tag.value.clone()));
                    Value::map(tags.chain(self.entries(fields)))
                }
                None => Value::Bool(false),
            };
            self.output.send(message)?;
        }
        self.input.consume(n);
        Ok(if n > 0 { Step::Ran } else { Step::NeedInput })
    }
}

#[declare(
    category = "digital",
    summary = "Reads headers out of a stream and sends what each says.",
    ports(input("in", "u8", "headers"), output("header_data", "messages", "a map, or false"))
)]
fn packet_headerparser(
    /// How many items a header has.
    #[param(formerly = "header_len", unit = "items", range = 4..=65536, default = 32)]
    header_length: usize,
    /// How many bits an item of a header has.
    #[param(range = 1..=8, default = 1)]
    bits_per_item: u32,
    /// Whether bits of a header are flipped by a fixed sequence, so that long runs of one bit become rare.
    #[param(default = false)]
    scramble: bool,
    /// The key of the tag on the first item of each packet that says how many items it has.
    #[param(default = "packet_len")]
    length_tag: &str,
    /// The key of what says the number of a packet.
    #[param(default = "packet_num")]
    number_tag: &str,
    /// Of OFDM frames: how many items one symbol after another carries; empty for packets that lie in none.
    #[param(unit = "items", json = "[]")]
    symbol_sizes: Vec<C64>,
    /// Of OFDM frames: bits of an item.
    #[param(range = 1..=64, default = 1)]
    payload_bits_per_item: u32,
    /// Of OFDM frames: the key of what says how many symbols a packet has.
    #[param(default = "frame_len")]
    frame_length_tag: &str,
) -> Result<AnyBlock, BlockError> {
    let header = header_of(header_length, bits_per_item, scramble)?;
    let parser = PacketHeaderParser::new(header, length_tag, number_tag);
    let sizes = counts_of("symbol_sizes", &symbol_sizes)?;
    if sizes.is_empty() {
        return Ok(AnyBlock::new(parser));
    }
    let frames = OfdmFrames::new(payload_bits_per_item, &sizes)?;
    Ok(AnyBlock::new(parser.in_frames(frames, frame_length_tag)))
}
