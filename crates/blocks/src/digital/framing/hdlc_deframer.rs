//! Packets out of HDLC frames.

use superhet_runtime::catalog::Kind;
use superhet_runtime::{
    Block, BlockError, Context, In, MsgOut, Packet, Step, Work, declare, message::MessageType,
};

use crate::digital::framing::hdlc::{Frames, LONGEST};
use crate::error::Error;
use crate::tags::{IndexClock, Piece};

/// Finds HDLC frames in a stream of bits and sends the bytes of those whose checksum is right.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `u8` | a bit each, the lowest |
/// | out `out` | packets of `u8` | bytes, without the checksum |
///
/// Behind [`IndexTags`](crate::tags::IndexTags) a packet has the entries `sample_index`, where its frame begins, and `duration_samples`.
///
/// # Source
/// ISO/IEC 13239.
///
/// ```
/// use superhet_blocks::{digital::HdlcDeframer, sinks::{Lines, MessageDebug}, sources::VectorSource};
/// use superhet_runtime::Graph;
///
/// let bits: Vec<u8> = "011111101000110001001100001101010100110101111110".bytes().map(|digit| digit & 1).collect();
/// let (lines, text) = Lines::memory();
/// let mut graph = Graph::new();
/// let source = graph.add("source", VectorSource::new(bits, false)?);
/// let deframer = graph.add("deframer", HdlcDeframer::new(1, 500)?);
/// let print = graph.add("print", MessageDebug::new(lines, None));
/// graph.connect(source.output, deframer.input);
/// graph.connect(deframer.output, print.input);
/// graph.run()?;
/// assert_eq!(text.take(), "{\"packet\":[{},{\"hex\":\"3132\"}]}\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct HdlcDeframer {
    #[port("in")]
    input: In<u8>,
    #[port("out")]
    output: MsgOut,
    frames: Frames,
    clock: IndexClock,
    /// The sample that the frame begins with, where that is known.
    start: Option<u64>,
}

#[declare(
    category = "digital",
    summary = "Finds HDLC frames in a stream of bits and sends the bytes of those whose checksum is right.",
    ports(input("in", "u8", "a bit each, the lowest"), output("out", "messages", "packets of u8"))
)]
impl HdlcDeframer {
    /// Sends packets of so many bytes.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless both are at most 65536 and in order.
    pub fn new(
        /// The shortest packet, without the checksum.
        #[param(unit = "bytes", kind = Kind::Integer(0, LONGEST as i64), default = 32)]
        min_length: usize,
        /// The longest packet, without the checksum.
        #[param(unit = "bytes", kind = Kind::Integer(0, LONGEST as i64), default = 500)]
        max_length: usize,
    ) -> Result<Self, Error> {
        Ok(HdlcDeframer {
            input: In::new(),
            output: MsgOut::new().sends(MessageType::packets_of::<u8>()),
            frames: Frames::new(min_length, max_length)?,
            clock: IndexClock::default(),
            start: None,
        })
    }
}

/// So many bits are taken in one call.
const AT_ONCE: usize = 1024;

impl Work for HdlcDeframer {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let piece = Piece::take(&mut self.input, AT_ONCE);
        for (at, bit, tags) in piece.each() {
            tags.iter().for_each(|tag| self.clock.note(tag));
            if let Some(frame) = self.frames.take(bit) {
                let mut packet = Packet::from_items(&frame);
                if let Some((start, end)) = self.start.zip(self.clock.sample_of(at)) {
                    packet.set("sample_index", start);
                    packet.set("duration_samples", end.saturating_sub(start));
                }
                self.output.send(packet)?;
            }
            if self.frames.is_at_start() {
                self.start = self.clock.sample_of(at);
            }
        }
        Ok(piece.step())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digital::framing::hdlc::{FLAG, checksum, stuff};

    fn frame(bytes: &[u8], spoil: bool) -> Vec<u8> {
        let sum = checksum().of(bytes).to_le_bytes();
        let mut bits = FLAG.to_vec();
        let bytes: Vec<u8> = bytes.iter().chain(&sum[..2]).copied().collect();
        stuff(bytes.iter().map(|byte| byte ^ u8::from(spoil)), &mut bits);
        bits
    }

    #[test]
    fn only_whole_frames_with_the_right_checksum_come_out() {
        let mut frames = Frames::new(1, 10).unwrap();
        let stream = [
            vec![1, 0, 1],
            frame(b"one", false),
            frame(b"spoilt", true),
            frame(b"aborted", false)[..40].to_vec(),
            vec![1; 9],
            frame(b"two", false),
            FLAG.to_vec(),
            frame(b"longer than ten bytes", false),
            frame(b"", false),
            frame(b"\xff\x7e\xff", false),
            FLAG.to_vec(),
        ]
        .concat();
        let got: Vec<Vec<u8>> = stream.iter().filter_map(|bit| frames.take(*bit)).collect();
        assert_eq!(got, [b"one".to_vec(), b"two".to_vec(), b"\xff\x7e\xff".to_vec()]);
    }

    #[test]
    fn lengths_out_of_order_are_refused() {
        assert!(HdlcDeframer::new(5, 4).is_err() && HdlcDeframer::new(0, LONGEST + 1).is_err());
    }
}
