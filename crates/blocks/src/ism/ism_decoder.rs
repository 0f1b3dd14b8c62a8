//! Decodes bursts of small devices, by all protocols that are known.

use superhet_runtime::{
    AnyBlock, Block, BlockError, Context, MsgIn, MsgOut, Packet, Step, Value, Work, declare,
    message::MessageType,
};

use super::bits::packed;
use super::{Frame, Modulation, Protocol, builtin};
use crate::error::{Error, check_positive};

/// Decodes the bursts that [`PulseDetector`](crate::demod::PulseDetector) and
/// [`FskPulseDetector`](crate::demod::FskPulseDetector) find, by the protocols of [`builtin`] and more.
///
/// Each frame of a burst is sent once. Where a burst fits several protocols, those count whose checks hold most bits, and of those
/// the first.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `ook` | packets of `i32` | samples: pulse, gap, pulse, … |
/// | in `fsk` | packets of `i32` | samples: higher frequency, lower, higher, … |
/// | out `out` | packets of `u8` | the bytes of a frame, zeros behind its last bit |
///
/// | metadata | unit |
/// |---|---|
/// | `sample_index`, `duration_samples` | samples: where the frame is |
/// | `snr_db`, `frequency_hz` | as the burst says |
/// | `protocol` | the name of the protocol |
/// | `fields` | a map: what the frame says, how often it was in the burst (`rows`), and by what it was checked (`mic`) |
#[derive(Debug, Block)]
pub struct IsmDecoder {
    #[port]
    ook: MsgIn,
    #[port]
    fsk: MsgIn,
    #[port("out")]
    output: MsgOut,
    protocols: Vec<Protocol>,
    us_per_sample: f64,
}

impl IsmDecoder {
    /// Decodes bursts of a stream at this rate.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the rate is more than 0; [`Error::Protocol`] for one that cannot be read.
    pub fn new(rate_hz: f64) -> Result<Self, Error> {
        check_positive("rate_hz", rate_hz)?;
        Ok(IsmDecoder {
            ook: MsgIn::new().takes(MessageType::packets_of::<i32>()),
            fsk: MsgIn::new().takes(MessageType::packets_of::<i32>()),
            output: MsgOut::new().sends(MessageType::packets_of::<u8>()),
            protocols: builtin()?,
            us_per_sample: 1e6 / rate_hz,
        })
    }

    /// Knows more protocols; one with the name of another takes its place.
    #[must_use]
    pub fn with_protocols(mut self, more: impl IntoIterator<Item = Protocol>) -> Self {
        for protocol in more {
            self.protocols.retain(|known| known.name() != protocol.name());
            self.protocols.push(protocol);
        }
        self
    }

    /// The frames in a burst, and whose they are.
    pub fn frames(&self, burst: &Packet<i32>, modulation: Modulation) -> Vec<(&Protocol, Frame)> {
        let widths: Vec<f64> =
            burst.items().iter().map(|width| f64::from(*width) * self.us_per_sample).collect();
        let mut best: Option<(&Protocol, Vec<Frame>)> = None;
        for protocol in self.protocols.iter().filter(|protocol| protocol.modulation() == modulation) {
            let is_surer = best.as_ref().is_none_or(|(known, _)| protocol.strength() > known.strength());
            if is_surer {
                let frames = protocol.decode(&widths);
                if !frames.is_empty() {
                    best = Some((protocol, frames));
                }
            }
        }
        let found = best.into_iter();
        found.flat_map(|(protocol, frames)| frames.into_iter().map(move |frame| (protocol, frame))).collect()
    }

    /// The packets of the frames in a burst.
    fn packets(&self, burst: &Packet<i32>, modulation: Modulation) -> Vec<Packet<u8>> {
        let start = burst.get("offset").and_then(Value::as_u64).unwrap_or(0);
        let frames = self.frames(burst, modulation).into_iter();
        let packets = frames.map(|(protocol, frame)| {
            let mut packet = Packet::from_items(&packed(&frame.bits));
            let samples = |us: f64| (us / self.us_per_sample).round() as u64;
            packet.set("sample_index", start + samples(frame.start_us));
            packet.set("duration_samples", samples(frame.end_us - frame.start_us));
            for key in ["snr_db", "frequency_hz"] {
                if let Some(value) = burst.get(key) {
                    packet.set(key, value.clone());
                }
            }
            packet.set("protocol", protocol.name());
            let mut fields = vec![
                ("rows".to_owned(), Value::from(frame.rows)),
                ("mic".to_owned(), protocol.integrity().into()),
            ];
            if let Value::Map(said) = &frame.fields {
                fields.extend(said.iter().map(|(key, value)| (key.to_string(), value.clone())));
            }
            packet.set("fields", Value::map(fields));
            packet
        });
        packets.collect()
    }
}

impl Work for IsmDecoder {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let mut has_taken = false;
        for modulation in [Modulation::Ook, Modulation::Fsk] {
            let port = if modulation == Modulation::Ook { &mut self.ook } else { &mut self.fsk };
            if let Some(message) = port.recv() {
                has_taken = true;
                for packet in self.packets(&Packet::try_from(message)?, modulation) {
                    self.output.send(packet)?;
                }
            }
        }
        Ok(if has_taken { Step::Ran } else { Step::NeedInput })
    }
}

/// The protocols that a parameter has as a list of texts, or as one text.
fn more(value: &Value) -> Result<Vec<Protocol>, Error> {
    let wrong = || Error::WrongKind {
        parameter: "protocols",
        wanted: "a list of texts, a protocol in TOML each",
        got: value.to_string(),
    };
    let texts = match (value.as_str(), value.as_list()) {
        (Some(text), _) => vec![Value::from(text)],
        (None, Some(list)) => list.into_owned(),
        (None, None) => return Err(wrong()),
    };
    texts.iter().map(|text| Protocol::from_toml(text.as_str().ok_or_else(wrong)?, "")).collect()
}

#[declare(
    category = "ism",
    summary = "Decodes bursts of sensors, remote controls and tyres, by protocols that are data.",
    ports(
        input("ook", "messages", "packets of i32: samples of a pulse, a gap, …"),
        input("fsk", "messages", "packets of i32: samples of the higher frequency, the lower, …"),
        output("out", "messages", "packets of u8: the bytes of a frame")
    )
)]
fn ism_decoder(
    /// The sample rate of the widths, > 0.
    #[param(unit = "samples/s", range = 0.0..)]
    rate_hz: f64,
    /// More protocols: a list of texts in TOML; one with the name of a known one takes its place.
    #[param(json = "[]")]
    protocols: &Value,
) -> Result<AnyBlock, BlockError> {
    let decoder = IsmDecoder::new(rate_hz)?;
    Ok(AnyBlock::new(decoder.with_protocols(more(protocols)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_list_of_protocols_is_refused() {
        assert!(more(&Value::List([].into())).unwrap().is_empty());
        for wrong in [Value::from(5), vec![Value::from(5)].into(), "name = 5".into()] {
            assert!(more(&wrong).is_err(), "{wrong}");
        }
    }
}
