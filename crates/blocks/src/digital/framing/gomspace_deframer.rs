//! Frames of GOMspace's radios, as many small satellites have them.

use superhet_runtime::catalog::{Kind, Params, Reads};
use superhet_runtime::{
    Block, BlockError, Context, In, MsgOut, Packet, Step, Value, Work, declare, message::MessageType,
};

use super::gomspace_frame::{Decoded, Frame, GomspaceFormat, Progress};
use crate::error::{Error, check};
use crate::tags::{IndexClock, Piece};

/// Sends the frames of GOMspace's radios AX100 and U482C: packets of the CubeSat Space Protocol.
///
/// A frame is looked for behind each synchronisation word, upright or inverted. It counts where its Reed-Solomon checks are right, or up to
/// 16 bytes can be corrected. `ax100_rs` takes bits as they are received, scrambled as G3RUH's.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `f32` | soft bits, positive for 1 |
/// | out `out` | packets of `u8` | frames without their checks |
///
/// | metadata | is |
/// |---|---|
/// | `sample_index`, `duration_samples` | behind [`IndexTags`](crate::tags::IndexTags): where the frame is, behind its synchronisation word |
/// | `snr_db` | dB: mean level of the soft bits by their deviation from it |
/// | `protocol` | `AX100 ASM+Golay`, `AX100 RS` or `U482C` |
/// | `fields` | a map: `corrected`, bytes that were wrong; of the packet's header `priority`, `source`, `destination`, `source_port`, `destination_port`, `flags` |
///
/// # Source
/// GOMspace, NanoCom AX100 and U482C, data sheets; CCSDS 131.0-B for the Reed-Solomon code (in the conventional basis), the convolutional code
/// and the whitening; the CubeSat Space Protocol, version 1, for the header.
#[derive(Debug, Block)]
pub struct GomspaceDeframer {
    #[port("in")]
    input: In<f32>,
    #[port("out")]
    output: MsgOut,
    format: GomspaceFormat,
    threshold: u32,
    /// The last bits as received, the newest lowest, and those without scrambling.
    received: u32,
    last: u32,
    candidates: Vec<Candidate>,
    clock: IndexClock,
}

/// What may be a frame.
#[derive(Clone, Debug)]
struct Candidate {
    /// The sample of its first bit, where that is known.
    sample: Option<u64>,
    is_inverted: bool,
    frame: Frame,
}

/// More frames cannot lie in each other.
const MOST_FRAMES: usize = 8;

#[declare(
    category = "digital",
    summary = "Sends the frames of GOMspace's radios AX100 and U482C that soft bits say.",
    ports(
        input("in", "f32", "soft bits, positive for 1"),
        output("out", "messages", "packets of u8: frames without their checks")
    )
)]
impl GomspaceDeframer {
    /// A deframer of one format.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where the threshold is.
    pub fn new(
        /// How frames are written.
        #[param(by = FormatName, default = "ax100_asm")]
        format: GomspaceFormat,
        /// So many bits of a synchronisation word may be wrong.
        #[param(kind = Kind::Integer(0, 8), default = 4)]
        threshold: usize,
    ) -> Result<Self, Error> {
        check(threshold <= 8, "threshold", "a whole number from 0 to 8", threshold as f64)?;
        Ok(GomspaceDeframer {
            input: In::new(),
            output: MsgOut::new().sends(MessageType::packets_of::<u8>()),
            format,
            threshold: threshold as u32,
            received: 0,
            last: 0,
            candidates: Vec::new(),
            clock: IndexClock::default(),
        })
    }

    /// Takes a soft bit, the one at this place; the packets of frames that are whole with it.
    fn take(&mut self, soft: f32, at: u64) -> Vec<Packet<u8>> {
        self.received = self.received << 1 | u32::from(soft > 0.0);
        let soft = if self.format == GomspaceFormat::Ax100Rs
            && (self.received >> 12 ^ self.received >> 17) & 1 == 1
        {
            -soft
        } else {
            soft
        };
        let (format, clock) = (self.format, self.clock);
        let mut packets = Vec::new();
        self.candidates.retain_mut(|candidate| {
            match candidate.frame.take(if candidate.is_inverted { -soft } else { soft }) {
                Progress::Needs => true,
                Progress::Wrong => false,
                Progress::Whole(decoded) => {
                    packets.push(packet(format, candidate, decoded, clock.sample_of(at)));
                    false
                }
            }
        });
        self.last = self.last << 1 | u32::from(soft > 0.0);
        let wrong = (self.last ^ self.format.sync()).count_ones();
        let is_inverted = wrong >= 32 - self.threshold;
        if (wrong <= self.threshold || is_inverted) && self.candidates.len() < MOST_FRAMES {
            self.candidates.push(Candidate {
                sample: clock.sample_of(at + 1),
                is_inverted,
                frame: Frame::new(format),
            });
        }
        packets
    }
}

/// The packet of a frame that ends with this sample.
fn packet(format: GomspaceFormat, candidate: &Candidate, decoded: Decoded, end: Option<u64>) -> Packet<u8> {
    let mut packet = Packet::from_items(&decoded.bytes);
    if let Some((start, end)) = candidate.sample.zip(end) {
        packet.set("sample_index", start);
        packet.set("duration_samples", end.saturating_sub(start));
    }
    let soft = candidate.frame.soft();
    let count = soft.len() as f64;
    let mean = soft.iter().map(|soft| f64::from(soft.abs())).sum::<f64>() / count;
    let square = soft.iter().map(|soft| f64::from(*soft).powi(2)).sum::<f64>() / count;
    packet.set("snr_db", 10.0 * (mean * mean / (square - mean * mean).max(1e-9)).log10());
    packet.set("protocol", format.protocol());
    let mut fields = vec![("corrected", Value::from(decoded.corrected))];
    if let Some(header) = decoded.bytes.first_chunk().map(|bytes| u32::from_be_bytes(*bytes)) {
        let part = |shift: u32, bits: u32| Value::from(u64::from(header >> shift & ((1 << bits) - 1)));
        fields.extend([
            ("priority", part(30, 2)),
            ("source", part(25, 5)),
            ("destination", part(20, 5)),
            ("destination_port", part(14, 6)),
            ("source_port", part(8, 6)),
            ("flags", part(0, 8)),
        ]);
    }
    packet.set("fields", Value::map(fields));
    packet
}

/// So many bits are taken in one call.
const AT_ONCE: usize = 1024;

impl Work for GomspaceDeframer {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let piece = Piece::take(&mut self.input, AT_ONCE);
        for (at, soft, tags) in piece.each() {
            tags.iter().for_each(|tag| self.clock.note(tag));
            for packet in self.take(if soft.is_finite() { soft } else { 0.0 }, at) {
                self.output.send(packet)?;
            }
        }
        Ok(piece.step())
    }
}

/// Reads and says formats by their names.
pub enum FormatName {}

impl Reads<GomspaceFormat> for FormatName {
    const KIND: Kind = Kind::Choice(&["ax100_asm", "ax100_rs", "u482c"]);

    fn read(params: &Params, name: &'static str) -> Result<GomspaceFormat, BlockError> {
        FormatName::change(name, params.value(name))
    }
    fn change(name: &'static str, value: &Value) -> Result<GomspaceFormat, BlockError> {
        match value.as_str() {
            Some("ax100_asm") => Ok(GomspaceFormat::Ax100Asm),
            Some("ax100_rs") => Ok(GomspaceFormat::Ax100Rs),
            Some("u482c") => Ok(GomspaceFormat::U482c),
            _ => Err(format!("{name} = {value}: expected ax100_asm, ax100_rs or u482c").into()),
        }
    }
    fn say(format: &GomspaceFormat) -> Value {
        match format {
            GomspaceFormat::Ax100Asm => "ax100_asm",
            GomspaceFormat::Ax100Rs => "ax100_rs",
            GomspaceFormat::U482c => "u482c",
        }
        .into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digital::Whitening;
    use crate::fec::{ReedSolomon, RsSettings};
    use crate::testing::noise;

    /// The bits of a frame of the mode 5 with these bytes, behind its synchronisation word.
    fn bits(bytes: &[u8]) -> Vec<f32> {
        let mut body = bytes.to_vec();
        body.resize(bytes.len() + 32, 0);
        let code = ReedSolomon::new(&RsSettings { dual_basis: false, ..RsSettings::CCSDS_223 }).unwrap();
        code.encode(&mut body);
        Whitening::Ccsds.apply(&mut body);
        // A header of a recording: 70 bytes.
        assert_eq!(body.len(), 70);
        let sent = [&[0x93, 0x0b, 0x51, 0xde, 0x3e, 0xf0, 0x46], &body[..]].concat();
        sent.iter()
            .flat_map(|byte| (0..8).rev().map(move |n| if byte >> n & 1 == 1 { 1.0 } else { -1.0 }))
            .collect()
    }

    fn frames(soft: &[f32]) -> Vec<Vec<u8>> {
        let mut deframer = GomspaceDeframer::new(GomspaceFormat::Ax100Asm, 4).unwrap();
        let packets = soft.iter().enumerate().flat_map(|(at, soft)| deframer.take(*soft, at as u64));
        packets.map(|packet| packet.items().to_vec()).collect()
    }

    #[test]
    fn a_frame_is_found_upright_and_inverted_with_wrong_bits() {
        let bytes: Vec<u8> = (0..38).collect();
        let mut soft = bits(&bytes);
        for wrong in [3, 17, 30, 40, 50, 60, 61, 62, 200, 333, 500] {
            soft[wrong] *= -0.5;
        }
        let inverted: Vec<f32> = soft.iter().map(|soft| -soft).collect();
        let stream = [noise(1000), soft.clone(), noise(99), inverted, noise(1000)].concat();
        assert_eq!(frames(&stream), [bytes.clone(), bytes]);
        for wrong in (56..56 + 17 * 8).step_by(8) {
            soft[wrong] *= -1.0;
        }
        assert!(frames(&soft).is_empty(), "more than 16 bytes are wrong");
    }

    #[test]
    fn noise_has_no_frame() {
        assert!(frames(&noise(1_000_000)).is_empty());
    }
}
