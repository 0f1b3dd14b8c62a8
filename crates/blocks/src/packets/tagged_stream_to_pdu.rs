//! Packets of a stream as messages.

use superhet_runtime::catalog::Kind;
use superhet_runtime::packet::{Collector, Framing};
use superhet_runtime::{
    AnyBlock, Block, BlockError, Context, In, Item, MsgOut, Packet, Step, Work, declare, message::MessageType,
};

use super::PACKET_LENGTH;
use super::pdu::AT_ONCE;

/// Packets in a stream become messages.
///
/// The tags of a packet's first item become its metadata, and `index` says where in the stream that was; other tags stay on
/// their items. With [`all_tags`](Self::all_tags) every tag of the packet becomes metadata; of several with one key the last.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | any | any |
/// | out `out` | packets of the same | that of `in` |
///
/// # Errors
/// At run time: a [`FramingError`](superhet_runtime::packet::FramingError) where the stream does not consist of whole packets.
///
/// ```
/// use superhet_blocks::packets::{StreamToTaggedStream, TaggedStreamToPdu};
/// use superhet_blocks::{sinks::{Lines, MessageDebug}, sources::VectorSource};
/// use superhet_runtime::{Graph, packet::Framing};
///
/// let (lines, text) = Lines::memory();
/// let mut graph = Graph::new();
/// let source = graph.add("source", VectorSource::new(vec![1u8, 2, 3], false)?);
/// let tag = graph.add("tag", StreamToTaggedStream::<u8>::new(2, "packet_len")?);
/// let packets = graph.add("packets", TaggedStreamToPdu::<u8>::new(Framing::new("packet_len")).without_index());
/// let print = graph.add("print", MessageDebug::new(lines, None));
/// graph.connect(source.output, tag.input);
/// graph.connect(tag.output, packets.input);
/// graph.connect(packets.output, print.input);
/// graph.run()?;
/// assert_eq!(text.take(), "{\"packet\":[{},{\"hex\":\"0102\"}]}\n{\"packet\":[{},{\"hex\":\"03\"}]}\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct TaggedStreamToPdu<T: Item> {
    #[port("in")]
    input: In<T>,
    #[port("out")]
    output: MsgOut,
    collector: Collector<T>,
    all_tags: bool,
    has_index: bool,
}

impl<T: Item> TaggedStreamToPdu<T> {
    /// Packets framed as said.
    pub fn new(framing: impl Into<Framing>) -> Self {
        let output = MsgOut::new().sends(MessageType::packets_of::<T>());
        let collector = Collector::new(framing.into());
        TaggedStreamToPdu { input: In::new(), output, collector, all_tags: false, has_index: true }
    }

    /// Makes metadata of all tags of a packet, not of those on its first item alone.
    #[must_use]
    pub fn all_tags(mut self) -> Self {
        self.all_tags = true;
        self
    }

    /// Leaves the entry `index` out.
    #[must_use]
    pub fn without_index(mut self) -> Self {
        self.has_index = false;
        self
    }

    /// The packet with its metadata, of one that began at `index`.
    fn described(&self, mut packet: Packet<T>, index: u64) -> Packet<T> {
        if self.all_tags && !packet.tags().is_empty() {
            let mut all = packet.with_meta(packet.len());
            all.items_mut().copy_from_slice(packet.items());
            packet.tags().iter().for_each(|tag| all.set(tag.key.clone(), tag.value.clone()));
            packet = all;
        }
        if self.has_index {
            packet.set("index", index);
        }
        packet
    }
}

impl<T: Item> Work for TaggedStreamToPdu<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let before = self.input.index();
        for _ in 0..AT_ONCE {
            let Some((packet, index)) = self.collector.next(&mut self.input)? else { break };
            self.output.send(self.described(packet, index))?;
        }
        Ok(if self.input.index() > before { Step::Ran } else { Step::NeedInput })
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.collector.finish()?;
        Ok(Step::Done)
    }
}

#[declare(
    category = "packets",
    summary = "Sends the packets of a stream as messages, with their tags as metadata.",
    items(any),
    ports(
        input("in", "item", "a stream of packets"),
        output("out", "messages", "packets; their index says where they began")
    )
)]
fn tagged_stream_to_pdu<T: Item>(
    /// The key of the tag on the first item of each packet that says how many items it has.
    #[param(default = "packet_len")]
    length_tag: &str,
    /// Whether what is in no whole packet is dropped with a warning, instead of an error.
    #[param(default = false)]
    resync: bool,
    /// The longest packet; a longer one is an error.
    #[param(name = "max_length", formerly = "most", unit = "items", kind = PACKET_LENGTH, default = 16777216)]
    most: usize,
    /// The tags that become metadata: those of the first item, or all. Others stay on their items.
    #[param(kind = Kind::Choice(&["first", "all"]), default = "first")]
    metadata: &str,
    /// Whether the metadata says where a packet began.
    #[param(default = true)]
    index: bool,
) -> AnyBlock {
    let framing = Framing::new(length_tag).most(most);
    let framing = if resync { framing.resync() } else { framing };
    let all = metadata == "all";
    AnyBlock::new({
        let block = TaggedStreamToPdu::<T>::new(framing);
        let block = if all { block.all_tags() } else { block };
        if index { block } else { block.without_index() }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sinks::{Lines, MessageDebug};
    use crate::testing::Tagged;
    use std::collections::BTreeMap;
    use superhet_runtime::{Graph, RunError, Value};

    fn run(given: &[(&str, Value)], tags: Vec<(u64, &'static str, Value)>) -> Result<String, RunError> {
        let mut given: BTreeMap<String, Value> =
            given.iter().map(|(k, v)| (k.to_string(), v.clone())).collect();
        given.insert("item".to_owned(), "u8".into());
        let (lines, text) = Lines::memory();
        let mut graph = Graph::new();
        graph.add("source", Tagged::new(vec![1u8, 2, 3, 4], tags));
        graph.add_any("pdus", ENTRY.build(&given).unwrap());
        graph.add("print", MessageDebug::new(lines, None));
        graph.connect_names("source", "pdus");
        graph.connect_names("pdus", "print");
        graph.run()?;
        Ok(text.take())
    }

    #[test]
    fn packets_are_sent_with_their_metadata_and_what_does_not_fit_is_as_the_parameters_say() {
        let tags = || vec![(1, "packet_len", Value::from(3)), (1, "snr", 9.into())];
        let error = run(&[], tags()).unwrap_err().to_string();
        assert!(error.contains("expected a packet at item 0, but there is no tag `packet_len`"), "{error}");
        assert_eq!(
            run(&[("resync", true.into())], tags()).unwrap(),
            "{\"packet\":[{\"index\":1,\"snr\":9},{\"hex\":\"020304\"}]}\n"
        );
        let error =
            run(&[("max_length", 3.into())], vec![(0, "packet_len", 4.into())]).unwrap_err().to_string();
        assert!(error.contains("expected a whole number from 1 to 3"), "{error}");
    }

    #[test]
    fn all_tags_of_a_packet_can_be_its_metadata_and_the_index_can_be_left_out() {
        let tags = vec![
            (0, "packet_len", Value::from(4)),
            (0, "a", 1.into()),
            (2, "b", 2.into()),
            (3, "b", 3.into()),
        ];
        let given = [("metadata", "all".into()), ("index", false.into())];
        assert_eq!(
            run(&given, tags.clone()).unwrap(),
            "{\"packet\":[{\"a\":1,\"b\":3},{\"hex\":\"01020304\"}]}\n"
        );
        let first = run(&[("index", false.into())], tags).unwrap();
        assert!(first.starts_with("{\"packet\":[{\"a\":1},{\"hex\":\"01020304\"}"), "{first}");
    }
}
