//! What headers say, as messages.

use std::sync::Arc;

use superhet_runtime::catalog::{Entry, Kind, input, optional, output};
use superhet_runtime::{AnyBlock, Block, BlockError, Context, In, MsgOut, Step, Tag, Value, Work};

use crate::digital::framing::packet_header::{
    BITS_PER_ITEM, HEADER_LENGTH, HeaderFields, NUMBER_TAG, OfdmFrames, PacketHeader, SCRAMBLE, header_of,
};
use crate::item::counts_of;
use crate::packets::LENGTH_TAG;

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
        match &self.frames {
            None => vec![(self.length_tag.clone(), i64::from(fields.length).into()), number],
            Some((frames, key)) => {
                let (items, symbols) = frames.of(fields.length);
                let count = |n: u64| Value::Int(n as i64);
                vec![(self.length_tag.clone(), count(items)), (key.clone(), count(symbols)), number]
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

/// How files and the command line find [`PacketHeaderParser`].
pub const ENTRY: Entry = Entry {
    name: "packet_headerparser",
    category: "digital",
    summary: "Reads headers out of a stream and sends what each says.",
    params: &[
        HEADER_LENGTH,
        BITS_PER_ITEM,
        SCRAMBLE,
        LENGTH_TAG,
        NUMBER_TAG,
        optional(
            "symbol_sizes",
            Kind::Numbers,
            "items",
            "[]",
            "Of OFDM frames: how many items one symbol after another carries; empty for packets that lie in none.",
        ),
        optional("payload_bits_per_item", Kind::Integer(1, 64), "", "1", "Of OFDM frames: bits of an item."),
        optional(
            "frame_length_tag",
            Kind::Text,
            "",
            "\"frame_len\"",
            "Of OFDM frames: the key of what says how many symbols a packet has.",
        ),
    ],
    ports: &[input("in", "u8", "headers"), output("header_data", "messages", "a map, or false")],
    make: |params| {
        let (length_tag, number_tag) = (params.text("length_tag"), params.text("number_tag"));
        let parser = PacketHeaderParser::new(header_of(params)?, length_tag, number_tag);
        let sizes = counts_of("symbol_sizes", &params.numbers("symbol_sizes"))?;
        if sizes.is_empty() {
            return Ok(AnyBlock::new(parser));
        }
        let frames = OfdmFrames::new(params.count("payload_bits_per_item") as u32, &sizes)?;
        Ok(AnyBlock::new(parser.in_frames(frames, params.text("frame_length_tag"))))
    },
};
