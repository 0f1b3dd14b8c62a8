//! The items of packets as a stream.

use superhet_runtime::{
    Block, BlockError, Context, Item, MsgIn, Out, Packet, Step, Work, declare, message::MessageType,
};

/// The items of packets, one packet right after another, as a stream without bounds and metadata. The tags on the items
/// stay. `pdu_to_tagged_stream` keeps the rest.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | packets | any |
/// | out `out` | any | that of `in` |
///
/// # Errors
/// At run time: a message that is no packet of such items.
///
/// ```
/// use superhet_blocks::{packets::{PduToStream, RandomPdu}, sinks::VectorSink};
/// use superhet_runtime::Graph;
///
/// let mut graph = Graph::new();
/// let source = graph.add("source", RandomPdu::new(10, 10)?.count(5));
/// let stream = graph.add("stream", PduToStream::<u8>::new());
/// let sink = VectorSink::<u8>::new();
/// let items = sink.items();
/// let sink = graph.add("sink", sink);
/// graph.connect(source.output, stream.input);
/// graph.connect(stream.output, sink.input);
/// graph.run()?;
/// assert_eq!(items.take().len(), 50);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct PduToStream<T: Item> {
    #[port("in")]
    input: MsgIn,
    #[port("out")]
    output: Out<T>,
    /// The packet that is being written, and how much of it has been.
    part: Option<(Packet<T>, usize)>,
}

#[declare(
    category = "packets",
    summary = "The items of packets as a stream without bounds.",
    items(any),
    ports(input("in", "messages", "packets of such items"), output("out", "item", "their items"))
)]
impl<T: Item> PduToStream<T> {
    /// A stream of the items of packets.
    pub fn new() -> Self {
        let input = MsgIn::new().takes(MessageType::packets_of::<T>());
        PduToStream { input, output: Out::new(), part: None }
    }

    /// Writes all that has come; what is lacking to go on.
    fn pass(&mut self) -> Result<Step, BlockError> {
        let before = self.output.index();
        let lacks = loop {
            let Some((packet, written)) = &mut self.part else {
                let Some(message) = self.input.recv() else { break Step::NeedInput };
                self.part = Some((Packet::try_from(message)?, 0));
                continue;
            };
            let first = self.output.index() - *written as u64;
            let room = self.output.reserve();
            let end = packet.len().min(*written + room.len());
            let n = end - *written;
            room[..n].copy_from_slice(&packet.items()[*written..end]);
            for tag in packet.tags().iter().filter(|tag| (*written as u64..end as u64).contains(&tag.index)) {
                self.output.put_tag(superhet_runtime::Tag { index: first + tag.index, ..tag.clone() });
            }
            self.output.produce(n);
            *written = end;
            if end < packet.len() {
                break Step::NeedOutput;
            }
            self.part = None;
        };
        Ok(if self.output.index() > before { Step::Ran } else { lacks })
    }
}

impl<T: Item> Default for PduToStream<T> {
    fn default() -> Self {
        PduToStream::new()
    }
}

impl<T: Item> Work for PduToStream<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.pass()
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.pass()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packets::pdu::tests::Send;
    use crate::testing::{TagSink, cuts, named};
    use superhet_runtime::{Graph, MsgOut, Single, Tag, Value};

    #[test]
    fn items_and_their_tags_come_in_order_wherever_the_stream_is_cut() {
        for options in cuts() {
            let packets = [3, 0, 200, 1].into_iter().map(|n| {
                let mut packet = Packet::from_items(&vec![n as u8; n]);
                packet.set("gone", true);
                if n > 0 {
                    let (key, source) = ("last".into(), "s".into());
                    packet.put_tag(Tag { index: n as u64 - 1, key, value: Value::Null, source });
                }
                Value::from(packet)
            });
            let packets: Vec<Value> = packets.collect();
            let mut graph = Graph::new();
            graph.add("send", Send { output: MsgOut::new(), messages: packets.into_iter() });
            graph.add("stream", PduToStream::<u8>::new());
            let sink = TagSink::<u8>::new();
            let seen = sink.seen.clone();
            graph.add("sink", sink);
            graph.connect_names("send", "stream");
            graph.connect_names("stream", "sink");
            graph.check().unwrap().start(&Single, &options).unwrap().wait().unwrap();
            let (tags, items) = std::mem::take(&mut *seen.lock().unwrap());
            assert_eq!(items, [vec![3; 3], vec![200; 200], vec![1]].concat());
            assert_eq!(named(tags).iter().map(|tag| tag.0).collect::<Vec<_>>(), [2, 202, 203]);
        }
    }
}
