//! Packets out of the HDLC frames of several demodulators of one channel.

use std::collections::VecDeque;

use superhet_runtime::catalog::Kind;
use superhet_runtime::{Block, BlockError, Context, In, MessageType, MsgOut, Packet, Step, Work, declare};

use super::hdlc_deframer::{AT_ONCE, Frames, LONGEST};
use crate::error::{Error, check};
use crate::tags::Piece;

/// Finds HDLC frames in the bits of several demodulators of one signal, and sends each that is right in any of them once.
///
/// The inputs are taken in turn, a bit of each. Two frames are one where their bytes are the same, and the second ends within the time
/// that it takes to send it after the first. That is counted in samples behind [`IndexTags`](crate::tags::IndexTags), and else in bits.
/// The packet is that of the input which has it first.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in0`, `in1`, … | `u8` | a bit each, the lowest |
/// | out `out` | packets of `u8` | bytes, without the checksum, as of [`HdlcDeframer`](super::HdlcDeframer) |
///
/// # Source
/// ISO/IEC 13239.
///
/// ```
/// use superhet_blocks::{digital::HdlcDeframers, sinks::{Lines, MessageDebug}, sources::VectorSource};
/// use superhet_runtime::Graph;
///
/// let bits: Vec<u8> = "011111101000110001001100001101010100110101111110".bytes().map(|digit| digit & 1).collect();
/// let (lines, text) = Lines::memory();
/// let mut graph = Graph::new();
/// let deframer = graph.add("deframer", HdlcDeframers::new(2, 1, 500)?);
/// for n in 0..2 {
///     let source = graph.add(format!("source {n}"), VectorSource::new(bits.clone(), false)?);
///     graph.connect(source.output, deframer.input[n]);
/// }
/// let print = graph.add("print", MessageDebug::new(lines, None));
/// graph.connect(deframer.output, print.input);
/// graph.run()?;
/// assert_eq!(text.take(), "{\"packet\":[{},{\"hex\":\"3132\"}]}\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct HdlcDeframers {
    #[port("in")]
    input: Vec<In<u8>>,
    #[port("out")]
    output: MsgOut,
    frames: Vec<Frames>,
    /// Frames that were sent, and where each has ended.
    sent: VecDeque<(Packet<u8>, u64)>,
}

/// So many frames are remembered.
const MOST_SENT: usize = 64;

#[declare(
    category = "digital",
    summary = "Finds HDLC frames in the bits of several demodulators of one signal, and sends each once.",
    ports(
        input("in0", "u8", "bits of the first demodulator, the lowest of each item"),
        input("in1", "u8", "bits of the second; more as inputs says"),
        output("out", "messages", "packets of u8")
    )
)]
impl HdlcDeframers {
    /// Sends packets of so many bytes.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless there are 1 to 16 inputs, and both lengths are at most 65536 and in order.
    pub fn new(
        /// How many inputs there are: in0, in1, ….
        #[param(range = 1..=16, default = 2)]
        inputs: usize,
        /// The shortest packet, without the checksum.
        #[param(unit = "bytes", kind = Kind::Integer(0, LONGEST as i64), default = 32)]
        min_length: usize,
        /// The longest packet, without the checksum.
        #[param(unit = "bytes", kind = Kind::Integer(0, LONGEST as i64), default = 500)]
        max_length: usize,
    ) -> Result<Self, Error> {
        check((1..=16).contains(&inputs), "inputs", "a whole number from 1 to 16", inputs as f64)?;
        let frames: Result<Vec<Frames>, Error> =
            (0..inputs).map(|_| Frames::new(min_length, max_length)).collect();
        Ok(HdlcDeframers {
            input: (0..inputs).map(|_| In::new().min(0)).collect(),
            output: MsgOut::new().sends(MessageType::packets_of::<u8>()),
            frames: frames?,
            sent: VecDeque::new(),
        })
    }

    /// Whether a packet that ends here was sent a moment before; it is remembered if not.
    fn is_repeated(&mut self, packet: &Packet<u8>, end: u64) -> bool {
        let duration = packet.get("duration_samples").and_then(superhet_runtime::Value::as_u64);
        let duration = duration.unwrap_or(8 * packet.len() as u64);
        let is_same =
            |(sent, at): &(Packet<u8>, u64)| sent.items() == packet.items() && at.abs_diff(end) < duration;
        if self.sent.iter().any(is_same) {
            return true;
        }
        if self.sent.len() == MOST_SENT {
            self.sent.pop_front();
        }
        self.sent.push_back((packet.clone(), end));
        false
    }
}

impl Work for HdlcDeframers {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        // An input that has ended is waited for no more.
        let open = self.input.iter().filter(|input| input.available() > 0 || !input.is_finished());
        let Some(n) = open.map(In::available).min() else { return Ok(Step::Done) };
        let n = n.min(AT_ONCE);
        if n == 0 {
            return Ok(Step::NeedInput);
        }
        let pieces: Vec<Piece<u8>> = self.input.iter_mut().map(|input| Piece::take(input, n)).collect();
        let mut bits: Vec<_> = pieces.iter().map(Piece::each).collect();
        for _ in 0..n {
            for (which, bits) in bits.iter_mut().enumerate() {
                let Some((at, bit, tags)) = bits.next() else { continue };
                let Some(packet) = self.frames[which].take(bit, at, tags) else { continue };
                let end = self.frames[which].sample_of(at).unwrap_or(at);
                if !self.is_repeated(&packet, end) {
                    self.output.send(packet)?;
                }
            }
        }
        Ok(Step::Ran)
    }
}

#[cfg(test)]
mod tests {
    use super::super::hdlc_deframer::tests::frame;
    use super::*;
    use crate::digital::framing::hdlc::FLAG;
    use crate::sinks::{Lines, MessageDebug};
    use crate::sources::VectorSource;
    use superhet_runtime::Graph;

    fn received(inputs: &[Vec<u8>]) -> Vec<String> {
        let (lines, text) = Lines::memory();
        let mut graph = Graph::new();
        let deframer = graph.add("deframer", HdlcDeframers::new(inputs.len(), 1, 100).unwrap());
        for (n, bits) in inputs.iter().enumerate() {
            let source = graph.add(format!("source {n}"), VectorSource::new(bits.clone(), false).unwrap());
            graph.connect(source.output, deframer.input[n]);
        }
        let print = graph.add("print", MessageDebug::new(lines, None));
        graph.connect(deframer.output, print.input);
        graph.run().unwrap();
        let hex = |line: &str| line.split('"').nth(5).unwrap().to_owned();
        text.take().lines().map(hex).collect()
    }

    #[test]
    fn a_frame_that_any_input_has_right_is_sent_once() {
        let gap = || vec![0; 400];
        let all = |spoilt: [bool; 4]| {
            let names = [&b"one"[..], b"two", b"one", b"end"];
            let frames = names
                .iter()
                .zip(spoilt)
                .map(|(name, spoilt)| [frame(name, spoilt), FLAG.to_vec(), gap()].concat());
            frames.collect::<Vec<_>>().concat()
        };
        // The second is some bits late, the third ends before all others.
        let first = all([false, true, false, true]);
        let second = [vec![0; 3], all([false, false, false, false])].concat();
        let third = all([true, true, false, false])[..500].to_vec();
        assert_eq!(received(&[first.clone(), second, third]), ["6f6e65", "74776f", "6f6e65", "656e64"]);
        assert_eq!(received(&[first]), ["6f6e65", "6f6e65"]);
    }

    #[test]
    fn settings_out_of_range_are_refused() {
        assert!(HdlcDeframers::new(0, 1, 2).is_err() && HdlcDeframers::new(17, 1, 2).is_err());
        assert!(HdlcDeframers::new(2, 5, 4).is_err());
    }
}
