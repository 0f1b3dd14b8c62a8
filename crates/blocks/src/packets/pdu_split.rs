//! Packets' metadata and their items apart.

use superhet_runtime::{
    Block, BlockError, Context, MsgIn, MsgOut, Packet, Step, Work, declare, message::MessageType,
    packet::AnyPacket,
};

use super::pdu::AT_ONCE;

/// Sends each packet's metadata as a map and its items as a packet without metadata.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | packets | any |
/// | out `dict` | messages | the metadata |
/// | out `vec` | packets | that of `in` |
///
/// # Errors
/// At run time: a message that is no packet.
///
/// ```
/// use superhet_blocks::{packets::{PduSplit, RandomPdu}, sinks::{Lines, MessageDebug}};
/// use superhet_runtime::Graph;
///
/// let (lines, text) = Lines::memory();
/// let mut graph = Graph::new();
/// let source = graph.add("source", RandomPdu::new(2, 2)?.count(1));
/// let split = graph.add("split", PduSplit::new());
/// let print = graph.add("print", MessageDebug::new(lines, None));
/// graph.connect(source.output, split.input);
/// graph.connect(split.meta, print.input);
/// graph.run()?;
/// assert_eq!(text.take(), "{}\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct PduSplit {
    #[port("in")]
    input: MsgIn,
    #[port("dict")]
    meta: MsgOut,
    #[port("vec")]
    items: MsgOut,
}

#[declare(
    category = "packets",
    summary = "Packets' metadata and their items apart.",
    ports(
        input("in", "messages", "packets of any items"),
        output("dict", "messages", "their metadata, as maps"),
        output("vec", "messages", "packets of their items, without metadata")
    )
)]
impl PduSplit {
    /// Splits packets.
    pub fn new() -> Self {
        let packets = MessageType::Packets(None);
        PduSplit {
            input: MsgIn::new().takes(packets),
            meta: MsgOut::new().sends(MessageType::Map),
            items: MsgOut::new().sends(packets),
        }
    }
}

impl Default for PduSplit {
    fn default() -> Self {
        PduSplit::new()
    }
}

impl Work for PduSplit {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        for taken in 0..AT_ONCE {
            let Some(message) = self.input.recv() else {
                return Ok(if taken > 0 { Step::Ran } else { Step::NeedInput });
            };
            let mut packet = AnyPacket::try_from(message)?;
            self.meta.send(packet.meta())?;
            packet.set_meta_of(&Packet::<u8>::from_items(&[]));
            self.items.send(packet)?;
        }
        Ok(Step::Ran)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packets::pdu::tests::{Send, packet};
    use crate::sinks::{Lines, MessageDebug};
    use superhet_runtime::Graph;

    #[test]
    fn metadata_and_items_come_apart() {
        let mut graph = Graph::new();
        let messages = vec![packet(1, "k", 5), packet(2, "j", "x")].into_iter();
        graph.add("send", Send { output: MsgOut::new(), messages });
        graph.add("split", PduSplit::new());
        graph.connect_names("send", "split");
        let texts = ["dict", "vec"].map(|port| {
            let (lines, text) = Lines::memory();
            graph.add(port, MessageDebug::new(lines, None));
            graph.connect_names(&format!("split.{port}"), port);
            text
        });
        graph.run().unwrap();
        let packet = |n| format!("{{\"packet\":[{{}},{{\"hex\":\"{n:02x}\"}}]}}\n");
        assert_eq!(
            texts.map(|text| text.take()),
            ["{\"k\":5}\n{\"j\":\"x\"}\n".to_owned(), packet(1) + &packet(2)]
        );
    }
}
