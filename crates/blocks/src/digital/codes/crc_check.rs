//! Packets by whether the checksum behind them is right.

use crate::error::Error;
use superhet_runtime::{
    Block, BlockError, Context, MsgIn, MsgOut, Packet, Step, Work, declare, message::MessageType,
};

use crate::digital::codes::crc::{Crc, CrcParameters};

/// Sends packets on by whether the checksum behind them is right; those that are too short to have one are dropped.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | packets of `u8` | with a checksum |
/// | out `ok` | the same | with or without it, as `discard` says |
/// | out `fail` | the same | likewise |
///
/// # Errors
/// At run time: a message that is no packet of bytes.
#[derive(Debug, Block)]
pub struct CheckCrc {
    #[port("in")]
    input: MsgIn,
    #[port("ok")]
    good: MsgOut,
    #[port("fail")]
    bad: MsgOut,
    crc: Crc,
    lowest_first: bool,
    discard: bool,
    skip: usize,
}

impl CheckCrc {
    /// Checks a checksum, its lowest byte first or its highest, and takes it off where `discard` says so; the first `skip` bytes
    /// of a packet do not count.
    pub fn new(crc: Crc, lowest_first: bool, discard: bool, skip: usize) -> Self {
        let packets = MessageType::packets_of::<u8>();
        CheckCrc {
            input: MsgIn::new().takes(packets),
            good: MsgOut::new().sends(packets),
            bad: MsgOut::new().sends(packets),
            crc,
            lowest_first,
            discard,
            skip,
        }
    }

    fn take(&mut self, mut packet: Packet<u8>) -> Result<(), BlockError> {
        let Some(n) = packet.len().checked_sub(self.crc.bytes()).filter(|n| *n > self.skip) else {
            self.good.count_dropped_packet();
            return Ok(());
        };
        let (data, sum) = packet.items().split_at(n);
        let is_right = self.crc.bytes_of(&data[self.skip..], self.lowest_first) == sum;
        if self.discard {
            packet.truncate(n);
        }
        let output = if is_right { &mut self.good } else { &mut self.bad };
        Ok(output.send(packet)?)
    }
}

impl Work for CheckCrc {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        for taken in 0..64 {
            let Some(message) = self.input.recv() else {
                return Ok(if taken > 0 { Step::Ran } else { Step::NeedInput });
            };
            self.take(Packet::try_from(message)?)?;
        }
        Ok(Step::Ran)
    }
}

#[declare(
    category = "digital",
    summary = "Sends packets on by whether the checksum behind them, by any cyclic code, is right.",
    ports(
        input("in", "messages", "packets of u8 with a checksum"),
        output("ok", "messages", "those whose checksum is right"),
        output("fail", "messages", "those whose checksum is wrong")
    )
)]
fn crc_check(
    #[param(group)] crc: CrcParameters,
    /// Whether the checksum is taken off.
    #[param(default = false)]
    discard_crc: bool,
) -> Result<CheckCrc, Error> {
    Ok(CheckCrc::new(crc.crc()?, crc.swap_endianness, discard_crc, crc.skip_header_bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digital::codes::crc_append;
    use crate::packets::pdu::tests::Send;
    use crate::sinks::{Lines, MessageDebug};
    use superhet_runtime::{Graph, Value};

    #[test]
    fn packets_go_where_their_checksum_sends_them() {
        let given = || {
            let given = [("swap_endianness", Value::from(true)), ("skip_header_bytes", 2.into())];
            std::collections::BTreeMap::from(given.map(|(name, value)| (name.to_owned(), value)))
        };
        let (good, good_text) = Lines::memory();
        let (bad, bad_text) = Lines::memory();
        let bytes: [&[u8]; 5] =
            [b"123456789\x56\x16", b"x23456789\x56\x16", b"123456780\x56\x16", b"12\x56\x16", b""];
        let messages: Vec<Value> = bytes.iter().map(|bytes| Packet::from_items(bytes).into()).collect();
        let mut graph = Graph::new();
        graph.add("send", Send { output: MsgOut::new(), messages: messages.into_iter() });
        graph.add_any("check", ENTRY.build(&given()).unwrap());
        graph.add("good", MessageDebug::new(good, None));
        graph.add("bad", MessageDebug::new(bad, None));
        graph.connect_names("send", "check");
        graph.connect_names("check.ok", "good");
        graph.connect_names("check.fail", "bad");
        graph.run().unwrap();
        // The first two bytes do not count.
        assert_eq!(good_text.take().lines().count(), 2);
        assert_eq!(bad_text.take().lines().count(), 1);
        assert!(crc_append::ENTRY.build(&given()).is_ok());
    }

    #[test]
    fn numbers_may_be_written_as_text() {
        let given = [("num_bits", Value::from(64)), ("poly", "0xd800000000000000".into())];
        let given = std::collections::BTreeMap::from(given.map(|(name, value)| (name.to_owned(), value)));
        assert!(crc_append::ENTRY.build(&given).is_ok());
    }
}
