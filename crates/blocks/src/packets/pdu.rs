//! Blocks that change packets of any items, as messages.

use superhet_runtime::{
    Block, BlockError, Context, MsgIn, MsgOut, Step, Value, Work, message::MessageType, packet::AnyPacket,
};

/// What becomes of a packet, whatever its items are. [`Pdus`] makes a block of it.
pub trait Pdu: Send + 'static {
    /// The packet as it is to be sent on, if it is.
    fn pdu(&mut self, packet: AnyPacket) -> Option<AnyPacket>;

    /// The message as it is to be sent on, if it is.
    ///
    /// # Errors
    /// A message that is no packet, where the block does not say what becomes of it.
    fn message(&mut self, message: Value) -> Result<Option<Value>, BlockError> {
        Ok(self.pdu(AnyPacket::try_from(message)?).map(Value::from))
    }

    /// The block.
    fn block(self) -> Pdus<Self>
    where
        Self: Sized,
    {
        let packets = MessageType::Packets(None);
        Pdus { input: MsgIn::new().takes(packets), output: MsgOut::new().sends(packets), pdu: self }
    }
}

/// Metadata without items, and the second value, of a pair that has metadata first and is no packet.
pub(super) fn pair(message: &Value) -> Option<(AnyPacket, Value)> {
    let Value::Pairs(pairs) = message else { return None };
    let (meta, rest) = pairs.items().split_first()?;
    if matches!(pairs.end(), Value::Bytes(_) | Value::Vector(_)) && rest.is_empty() {
        return None;
    }
    let meta = AnyPacket::from_pdu(meta, &Vec::<u8>::new().into())?;
    Some((meta, Value::pairs(rest.iter().cloned(), pairs.end().clone())))
}

/// As [`Pdu::message`], for a block that only looks at the metadata: pairs of metadata and anything pass as packets do.
pub(super) fn by_metadata(pdu: &mut impl Pdu, message: Value) -> Result<Option<Value>, BlockError> {
    Ok(match pair(&message) {
        Some((meta, rest)) => pdu.pdu(meta).map(|packet| Value::pairs([packet.meta()], rest)),
        None => pdu.pdu(AnyPacket::try_from(message)?).map(Value::from),
    })
}

/// A [`Pdu`] as a block.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | packets | any |
/// | out `out` | packets | that of `in` |
///
/// # Errors
/// At run time: a message that is no packet.
#[derive(Debug, Block)]
pub struct Pdus<P: Pdu> {
    #[port("in")]
    input: MsgIn,
    #[port("out")]
    output: MsgOut,
    pdu: P,
}

/// Packets that one call of `work` handles at most: queues are looked at between calls.
pub(super) const AT_ONCE: usize = 64;

impl<P: Pdu> Work for Pdus<P> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        for taken in 0..AT_ONCE {
            let Some(message) = self.input.recv() else {
                return Ok(if taken > 0 { Step::Ran } else { Step::NeedInput });
            };
            match self.pdu.message(message)? {
                Some(message) => self.output.send(message)?,
                None => self.output.count_dropped_packet(),
            }
        }
        Ok(Step::Ran)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::sinks::{Lines, MessageDebug};
    use superhet_runtime::{Graph, Packet, RunError, block::IntoBlock};

    /// Sends messages and ends.
    #[derive(Block)]
    pub struct Send {
        #[port("out")]
        pub output: MsgOut,
        pub messages: std::vec::IntoIter<Value>,
    }

    impl Work for Send {
        fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
            let Some(message) = self.messages.next() else { return Ok(Step::Done) };
            self.output.send(message)?;
            Ok(Step::Ran)
        }
    }

    /// What a block with one message input and one output makes of messages, as lines of JSON.
    pub fn printed<M>(block: impl IntoBlock<M>, messages: Vec<Value>) -> Result<String, RunError> {
        let (lines, text) = Lines::memory();
        let mut graph = Graph::new();
        graph.add("send", Send { output: MsgOut::new(), messages: messages.into_iter() });
        graph.add_any("block", superhet_runtime::AnyBlock::new(block));
        graph.add("print", MessageDebug::new(lines, None));
        graph.connect_names("send", "block");
        graph.connect_names("block", "print");
        graph.run()?;
        Ok(text.take())
    }

    /// A packet with one item and one entry.
    pub fn packet(item: u8, key: &str, value: impl Into<Value>) -> Value {
        let mut packet = Packet::from_items(&[item]);
        packet.set(key, value);
        packet.into()
    }

    #[test]
    fn a_message_that_is_no_packet_is_an_error_and_all_packets_pass_in_order() {
        struct All;
        impl Pdu for All {
            fn pdu(&mut self, packet: AnyPacket) -> Option<AnyPacket> {
                Some(packet)
            }
        }
        let packets = (0..200u8).map(|n| packet(n, "n", u32::from(n))).collect();
        let text = printed(All.block(), packets).unwrap();
        assert!(text.lines().enumerate().all(|(n, line)| line.contains(&format!("\"hex\":\"{n:02x}\""))));
        assert_eq!(text.lines().count(), 200);
        let error = printed(All.block(), vec!["x".into()]).unwrap_err().to_string();
        assert!(error.contains("expected a packet, got the message \"x\""), "{error}");
    }
}
