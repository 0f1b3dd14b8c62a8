//! The one form of the messages of all receivers.

use superhet_runtime::{
    Block, BlockError, Context, MsgIn, MsgOut, Step, Value, Work, declare, message::MessageType,
    packet::AnyPacket,
};

use crate::error::{Error, check_positive};

/// Brings what a decoder sends into the form that the messages of all receivers have.
///
/// A decoder sends packets of bytes, or maps. Of the entries that it gives these become entries of the message; where it has a map
/// `fields`, that is taken, and else all other entries are the fields. What a decoder does not tell is not there.
///
/// | entry | unit | of |
/// |---|---|---|
/// | `time_s` | s, since the first sample | `sample_index` |
/// | `sample_index` | the sample that the message begins with | `sample_index`, or `offset` |
/// | `duration_samples` | samples | `duration_samples` |
/// | `frequency_hz` | Hz; by the carrier frequency, where the centre is known | the parameter + `frequency_hz` |
/// | `snr_db` | dB | `snr_db` |
/// | `protocol` | | `protocol`, or the parameter |
/// | `fields` | a map | all else |
/// | `hex` | the bytes of the message, in hexadecimal digits | the packet's items, or `hex` |
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | messages | packets or maps |
/// | out `out` | maps | |
///
/// ```
/// use superhet_blocks::packets::ReceiverMessage;
/// use superhet_runtime::{Packet, Value};
///
/// let mut packet = Packet::from_items(&[0x9au8, 0x01]);
/// packet.set("sample_index", 500);
/// packet.set("humidity", 40);
/// let message = ReceiverMessage::new(250e3, 433.92e6, "Example")?.message(packet.into());
/// assert_eq!(message.get("hex"), Some(&Value::from("9a01")));
/// assert_eq!(message.get("time_s"), Some(&Value::from(0.002)));
/// assert_eq!(message.get("fields"), Some(&Value::map([("humidity", 40)])));
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Debug, Block)]
pub struct ReceiverMessage {
    #[port("in")]
    input: MsgIn,
    #[port("out")]
    output: MsgOut,
    rate_hz: f64,
    frequency_hz: f64,
    protocol: String,
}

#[declare(
    category = "packets",
    summary = "Brings what decoders send into one form: time, sample, frequency, SNR, protocol, fields, bytes.",
    ports(input("in", "messages", "packets of bytes, or maps"), output("out", "messages", "maps"))
)]
impl ReceiverMessage {
    /// For a stream of this rate around this frequency (0: not known), and the protocol of messages that name none.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the rate is more than 0.
    pub fn new(
        /// The sample rate, > 0.
        #[param(unit = "samples/s", range = 0.0..)]
        rate_hz: f64,
        /// The frequency at the middle of the band; 0: it is not known.
        #[param(formerly = "center_hz", unit = "Hz", range = -1e12..=1e12, default = 0)]
        frequency_hz: f64,
        /// The protocol of messages that do not name theirs.
        #[param(default = "")]
        protocol: &str,
    ) -> Result<Self, Error> {
        check_positive("rate_hz", rate_hz)?;
        Ok(ReceiverMessage {
            input: MsgIn::new(),
            output: MsgOut::new().sends(MessageType::Map),
            rate_hz,
            frequency_hz,
            protocol: protocol.to_owned(),
        })
    }

    /// The message that a decoder's packet or map says.
    pub fn message(&self, sent: Value) -> Value {
        let hex = match AnyPacket::try_from(sent.clone()) {
            Ok(packet) if packet.get("hex").is_none() && packet.item().size() == 1 && !packet.is_empty() => {
                Some(packet.bytes().iter().map(|byte| format!("{byte:02x}")).collect::<String>())
            }
            _ => None,
        };
        let entries = sent.into_meta();
        let mut said: Vec<(String, Value)> = Vec::new();
        let mut fields: Vec<(String, Value)> = Vec::new();
        let has_fields = matches!(entries.get("fields"), Some(Value::Map(_)));
        let index =
            ["sample_index", "offset"].iter().find_map(|key| entries.get(key).and_then(Value::as_u64));
        if let Some(index) = index {
            said.push(("sample_index".to_owned(), index.into()));
            said.push(("time_s".to_owned(), (index as f64 / self.rate_hz).into()));
        }
        let offset_hz = entries.get("frequency_hz").and_then(Value::as_f64);
        if self.frequency_hz != 0.0 || offset_hz.is_some() {
            // A tenth of a hertz is more than any burst tells.
            let frequency = self.frequency_hz + offset_hz.unwrap_or(0.0);
            said.push(("frequency_hz".to_owned(), ((frequency * 10.0).round() / 10.0).into()));
        }
        let protocol = entries.get("protocol").cloned().unwrap_or_else(|| self.protocol.as_str().into());
        said.push(("protocol".to_owned(), protocol));
        if let Some(hex) = hex.map(Value::from).or_else(|| entries.get("hex").cloned()) {
            said.push(("hex".to_owned(), hex));
        }
        if let Value::Map(entries) = &entries {
            for (key, value) in entries.iter() {
                match &**key {
                    "snr_db" => {
                        let rounded = value.as_f64().map(|db| (db * 100.0).round() / 100.0);
                        said.push(("snr_db".to_owned(), rounded.map_or(value.clone(), Value::from)));
                    }
                    "duration_samples" | "fields" => said.push((key.to_string(), value.clone())),
                    "sample_index" | "offset" | "time_s" | "frequency_hz" | "protocol" | "hex" => {}
                    _ if has_fields => {}
                    _ => fields.push((key.to_string(), value.clone())),
                }
            }
        }
        if !has_fields {
            said.push(("fields".to_owned(), Value::map(fields)));
        }
        Value::map(said)
    }
}

impl Work for ReceiverMessage {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        for taken in 0..64 {
            let Some(sent) = self.input.recv() else {
                return Ok(if taken > 0 { Step::Ran } else { Step::NeedInput });
            };
            let message = self.message(sent);
            self.output.send(message)?;
        }
        Ok(Step::Ran)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_entries_have_their_places_and_others_are_fields() {
        let block = ReceiverMessage::new(1e3, 100e6, "Default").unwrap();
        let sent = Value::map([
            ("offset", Value::from(250)),
            ("frequency_hz", (-1500.0).into()),
            ("snr_db", 12.3456.into()),
            ("text", "NNNN".into()),
        ]);
        let wanted = r#"{"fields":{"text":"NNNN"},"frequency_hz":99998500.0,"protocol":"Default","sample_index":250,"snr_db":12.35,"time_s":0.25}"#;
        assert_eq!(block.message(sent).to_string(), wanted);
        let given =
            Value::map([("fields", Value::map([("a", 1)])), ("protocol", "X".into()), ("b", 2.into())]);
        let wanted = r#"{"fields":{"a":1},"frequency_hz":100000000.0,"protocol":"X"}"#;
        assert_eq!(block.message(given).to_string(), wanted);
    }

    #[test]
    fn a_rate_of_0_is_refused() {
        assert!(ReceiverMessage::new(0.0, 0.0, "").is_err());
    }
}
