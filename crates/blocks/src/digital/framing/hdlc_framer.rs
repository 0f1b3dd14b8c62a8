//! Packets as HDLC frames.

use superhet_runtime::packet::Emitter;
use superhet_runtime::{
    Block, BlockError, Context, MsgIn, Out, Packet, Step, Work, declare, message::MessageType,
};

use crate::digital::framing::hdlc::{FLAG, SUM_BYTES, checksum, stuff};
use crate::packets::Checksum;

/// Frames packets as HDLC does: a flag, the bytes and their checksum with stuffed bits, a flag.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | packets of `u8` | bytes |
/// | out `out` | `u8` | a bit each; each frame with the tag `length_tag` that counts its bits |
///
/// # Errors
/// At run time: a message that is no packet of bytes.
///
/// # Source
/// ISO/IEC 13239.
#[derive(Debug, Block)]
pub struct HdlcFramer {
    #[port("in")]
    input: MsgIn,
    #[port("out")]
    output: Out<u8>,
    emitter: Emitter<u8>,
    checksum: Checksum,
}

#[declare(
    category = "digital",
    summary = "Frames packets as HDLC does: flags, stuffed bits, a checksum.",
    ports(input("in", "messages", "packets of u8"), output("out", "u8", "a bit each"))
)]
impl HdlcFramer {
    /// Frames packets; the tag with this key says how many bits a frame has.
    pub fn new(
        /// The key of the tag on the first item of each packet that says how many items it has.
        #[param(default = "packet_len")]
        length_tag: &str,
    ) -> Self {
        let input = MsgIn::new().takes(MessageType::packets_of::<u8>());
        HdlcFramer { input, output: Out::new(), emitter: Emitter::new(length_tag), checksum: checksum() }
    }

    /// The bits of a frame.
    fn frame(&self, packet: &Packet<u8>) -> Packet<u8> {
        let sum = self.checksum.of(packet.items()).to_le_bytes();
        let bytes = packet.items().iter().copied().chain(sum.into_iter().take(SUM_BYTES));
        let mut bits = Vec::with_capacity((packet.len() + 4) * 10);
        bits.extend_from_slice(&FLAG);
        stuff(bytes, &mut bits);
        bits.extend_from_slice(&FLAG);
        let mut frame = packet.with_meta::<u8>(bits.len());
        frame.items_mut().copy_from_slice(&bits);
        frame
    }
}

impl Work for HdlcFramer {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let before = self.output.index();
        loop {
            if !self.emitter.write(&mut self.output) {
                let moved = self.output.index() > before;
                return Ok(if moved { Step::Ran } else { Step::NeedOutput });
            }
            let Some(message) = self.input.recv() else {
                let moved = self.output.index() > before;
                return Ok(if moved { Step::Ran } else { Step::NeedInput });
            };
            self.emitter.begin(self.frame(&Packet::try_from(message)?));
        }
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        Ok(if self.emitter.write(&mut self.output) { Step::Done } else { Step::NeedOutput })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digital::HdlcDeframer;
    use crate::packets::pdu::tests::Send;
    use crate::sinks::{Lines, MessageDebug};
    use crate::testing::{TagSink, cuts};
    use superhet_runtime::{Graph, MsgOut, Single, Value};

    fn packet(bytes: &[u8]) -> Value {
        Packet::from_items(bytes).into()
    }

    #[test]
    fn the_bits_are_those_of_gnu_radio() {
        for options in cuts() {
            let mut graph = Graph::new();
            let messages = vec![packet(b"\xff\xffab"), packet(b"12")].into_iter();
            graph.add("send", Send { output: MsgOut::new(), messages });
            graph.add("framer", HdlcFramer::new("len"));
            let sink = TagSink::<u8>::new();
            let seen = sink.seen.clone();
            graph.add("sink", sink);
            graph.connect_names("send", "framer");
            graph.connect_names("framer", "sink");
            graph.check().unwrap().start(&Single, &options).unwrap().wait().unwrap();
            let (tags, bits) = std::mem::take(&mut *seen.lock().unwrap());
            let text: String = bits.iter().map(|bit| char::from(b'0' + bit)).collect();
            assert_eq!(
                text,
                "0111111011111011111011111011000011001000110011001101100001101111110\
                 011111101000110001001100001101010100110101111110"
            );
            assert_eq!(
                tags.iter().map(|tag| (tag.index, tag.value.as_i64())).collect::<Vec<_>>(),
                [(0, Some(67)), (67, Some(48))]
            );
        }
    }

    #[test]
    fn frames_come_back_as_the_packets_that_they_were() {
        let (lines, text) = Lines::memory();
        let mut graph = Graph::new();
        let messages = vec![packet(b"\xff\xff\x7e\x00"), packet(b"123456789"), packet(b"x")].into_iter();
        graph.add("send", Send { output: MsgOut::new(), messages });
        graph.add("framer", HdlcFramer::new("len"));
        graph.add("deframer", HdlcDeframer::new(2, 100).unwrap());
        graph.add("print", MessageDebug::new(lines, None));
        graph.connect_names("send", "framer");
        graph.connect_names("framer", "deframer");
        graph.connect_names("deframer", "print");
        graph.run().unwrap();
        let text = text.take();
        assert!(text.contains("ffff7e00") && text.contains("313233343536373839"), "{text}");
        // One byte is less than the shortest frame.
        assert_eq!(text.lines().count(), 2, "{text}");
    }
}
