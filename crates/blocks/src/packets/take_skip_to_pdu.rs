//! Packets at regular places of a stream.

use superhet_runtime::catalog::Kind;
use superhet_runtime::{
    AnyBlock, Block, BlockError, Context, In, Item, MsgOut, Packet, Step, Work, declare, message::MessageType,
};

use super::PACKET_LENGTH;
use crate::error::{Error, check_to_one};

/// Sends `take` items as a packet, skips `skip`, and so on. Fewer at the end are dropped.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | any | any |
/// | out `out` | packets of the same | that of `in`; the entry `index` says where each began, or `pdu_num` how many came before |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `take` | items | 1 to 2²⁴ |
/// | `skip` | items | any |
///
/// ```
/// use superhet_blocks::{packets::TakeSkipToPdu, sinks::{Lines, MessageDebug}, sources::VectorSource};
/// use superhet_runtime::Graph;
///
/// let (lines, text) = Lines::memory();
/// let mut graph = Graph::new();
/// let source = graph.add("source", VectorSource::new((0..7u8).collect(), false)?);
/// let packets = graph.add("packets", TakeSkipToPdu::<u8>::new(2, 1)?);
/// let print = graph.add("print", MessageDebug::new(lines, None));
/// graph.connect(source.output, packets.input);
/// graph.connect(packets.output, print.input);
/// graph.run()?;
/// assert_eq!(text.take().lines().last(), Some("{\"packet\":[{\"index\":3},{\"hex\":\"0304\"}]}"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct TakeSkipToPdu<T: Item> {
    #[port("in")]
    input: In<T>,
    #[port("out")]
    output: MsgOut,
    take: usize,
    skip: usize,
    /// How many packets came so far, where the metadata is to say that.
    sent: Option<u64>,
    /// What there is of a packet, and where that began.
    items: Vec<T>,
    first: u64,
    /// How many items are still to be skipped.
    left: usize,
}

impl<T: Item> TakeSkipToPdu<T> {
    /// Takes and skips.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless `take` is 1 to 2²⁴.
    pub fn new(take: usize, skip: usize) -> Result<Self, Error> {
        check_to_one("take", take)?;
        let output = MsgOut::new().sends(MessageType::packets_of::<T>());
        let (input, items) = (In::new(), Vec::new());
        Ok(TakeSkipToPdu { input, output, take, skip, sent: None, items, first: 0, left: 0 })
    }

    /// Numbers the packets from 0 in the entry `pdu_num`, instead of saying where they began.
    #[must_use]
    pub fn numbered(mut self) -> Self {
        self.sent = Some(0);
        self
    }
}

impl<T: Item> Work for TakeSkipToPdu<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.input.available();
        let mut at = 0;
        while at < n {
            let skipped = self.left.min(n - at);
            (self.left, at) = (self.left - skipped, at + skipped);
            if self.items.is_empty() {
                self.first = self.input.index() + at as u64;
            }
            let taken = (self.take - self.items.len()).min(n - at);
            self.items.extend_from_slice(&self.input.peek()[at..at + taken]);
            at += taken;
            if self.items.len() == self.take {
                let mut packet = Packet::from_items(&self.items);
                match &mut self.sent {
                    Some(sent) => {
                        packet.set("pdu_num", *sent);
                        *sent += 1;
                    }
                    None => packet.set("index", self.first),
                }
                self.items.clear();
                self.left = self.skip;
                self.output.send(packet)?;
            }
        }
        self.input.consume(n);
        Ok(if n > 0 { Step::Ran } else { Step::NeedInput })
    }
}

#[declare(
    category = "packets",
    summary = "Sends some items of a stream as a packet, skips some, and so on.",
    items(any),
    ports(input("in", "item", "x"), output("out", "messages", "packets of x"))
)]
fn take_skip_to_pdu<T: Item>(
    /// How many items a packet has.
    #[param(unit = "items", kind = PACKET_LENGTH, default = 1024)]
    take: usize,
    /// How many items are skipped then.
    #[param(unit = "items", default = 0)]
    skip: usize,
    /// What the metadata says: where a packet began, or how many came before.
    #[param(kind = Kind::Choice(&["index", "pdu_num"]), default = "index")]
    entry: &str,
) -> Result<AnyBlock, BlockError> {
    let numbered = entry == "pdu_num";
    Ok(AnyBlock::new({
        let block = TakeSkipToPdu::<T>::new(take, skip)?;
        if numbered { block.numbered() } else { block }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sinks::{Lines, MessageDebug};
    use crate::testing::cuts;
    use superhet_runtime::{Graph, Single, Value, harness::VecSource};

    #[test]
    fn packets_do_not_depend_on_where_the_stream_is_cut() {
        for options in cuts() {
            let (lines, text) = Lines::memory();
            let mut graph = Graph::new();
            graph.add("source", VecSource::new((0..200u8).collect::<Vec<_>>()));
            graph.add("packets", TakeSkipToPdu::<u8>::new(3, 8).unwrap());
            graph.add("print", MessageDebug::new(lines, None));
            graph.connect_names("source", "packets");
            graph.connect_names("packets", "print");
            graph.check().unwrap().start(&Single, &options).unwrap().wait().unwrap();
            let text = text.take();
            assert_eq!(text.lines().count(), 18);
            assert!(
                text.lines().enumerate().all(|(n, line)| line.contains(&format!("\"index\":{}}}", 11 * n))),
                "{text}"
            );
        }
    }

    #[test]
    fn packets_can_be_numbered() {
        let (lines, text) = Lines::memory();
        let given =
            [("item", "u8".into()), ("take", 2.into()), ("skip", 1.into()), ("entry", "pdu_num".into())];
        let given = given.map(|(name, value): (&str, Value)| (name.to_owned(), value)).into();
        let mut graph = Graph::new();
        graph.add("source", VecSource::new(vec![1u8, 2, 3, 4, 5, 6, 7]));
        graph.add_any("packets", ENTRY.build(&given).unwrap());
        graph.add("print", MessageDebug::new(lines, None));
        graph.connect_names("source", "packets");
        graph.connect_names("packets", "print");
        graph.run().unwrap();
        let packet =
            |n: u32, hex: &str| format!("{{\"packet\":[{{\"pdu_num\":{n}}},{{\"hex\":\"{hex}\"}}]}}\n");
        assert_eq!(text.take(), packet(0, "0102") + &packet(1, "0405"));
    }
}
