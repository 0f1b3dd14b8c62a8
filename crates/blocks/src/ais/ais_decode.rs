//! What messages of AIS say.

use superhet_runtime::{BlockError, Packet, Value, declare, packet::PacketBlock};

use super::fields::{Bits, fields};
use super::nmea::sentences;

/// Puts into words what the messages of ships and their stations say: packets get the entry `fields`. What is no message is dropped.
///
/// It is a [`PacketBlock`]: [`messages`](PacketBlock::messages) makes a block of it.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | packets | `u8`: the bytes of an HDLC frame without the checksum |
/// | out `out` | packets | the same |
///
/// | field | is |
/// |---|---|
/// | `type`, `repeat`, `mmsi` | 1 to 27; how often it was repeated; nine digits |
/// | `channel`, `nmea` | as given; a list of sentences `!AIVDM` |
/// | others | as the type has them: `latitude_deg`, `longitude_deg`, `speed_kn`, `course_deg`, `name`, `callsign` and so on; those that stand for "not available" are left out |
///
/// # Source
/// ITU-R M.1371-5, annex 8; IEC 61162-1 for the sentences.
///
/// ```
/// use superhet_blocks::ais::AisDecode;
/// use superhet_runtime::{Packet, Value, packet::PacketBlock};
///
/// // Type 14, a safety broadcast of station 351809000: RCVD YR TEST MSG.
/// let bytes = [0x38, 0x53, 0xe1, 0x98, 0xa0, 0x48, 0x0d, 0x61, 0x06, 0x60, 0x48, 0x20, 0x50, 0x14, 0xd5, 0x23, 0x4e, 0x07];
/// let said = AisDecode::new("A").packet(Packet::from_items(&bytes))?.unwrap();
/// let fields = said.get("fields").unwrap();
/// assert_eq!(fields.get("type"), Some(&Value::from(14u64)));
/// # Ok::<(), superhet_runtime::BlockError>(())
/// ```
#[derive(Clone, Debug)]
pub struct AisDecode {
    channel: String,
    /// How many messages of several sentences there were.
    long: u64,
}

/// The shortest message, in bytes: type 10.
pub(super) const SHORTEST: usize = 9;
/// The longest frame, in bytes.
pub(super) const LONGEST: usize = 160;

#[declare(
    category = "ais",
    summary = "Puts into words what messages of AIS say, and gives them as NMEA, too.",
    through = AisDecode::messages,
    ports(
        input("in", "messages", "packets of u8: frames without their checksums"),
        output("out", "messages", "the same, with what they say in their metadata")
    )
)]
impl AisDecode {
    /// For the messages of a channel, `A` or `B`, as it is named in sentences.
    pub fn new(
        /// The channel, as sentences name it: A or B.
        #[param(default = "A")]
        channel: &str,
    ) -> Self {
        AisDecode { channel: channel.to_owned(), long: 0 }
    }
}

impl PacketBlock for AisDecode {
    type In = u8;
    type Out = u8;

    fn packet(&mut self, mut x: Packet<u8>) -> Result<Option<Packet<u8>>, BlockError> {
        let bytes = x.items();
        let Some(mut said) = fields(Bits(bytes)).filter(|_| bytes.len() >= SHORTEST) else { return Ok(None) };
        let sentences = sentences(bytes, &self.channel, self.long);
        self.long += u64::from(sentences.len() > 1);
        said.push(("nmea", sentences.into_iter().map(Value::from).collect::<Vec<Value>>().into()));
        said.push(("channel", self.channel.as_str().into()));
        x.set("fields", Value::map(said));
        Ok(Some(x))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes that the characters of a sentence stand for.
    fn bytes(payload: &str, fill: usize) -> Vec<u8> {
        let six = payload.bytes().map(|c| if c < 96 { c - 48 } else { c - 56 });
        let bits: Vec<u8> = six.flat_map(|six| (0..6).rev().map(move |n| six >> n & 1)).collect();
        let bits = &bits[..bits.len() - fill];
        bits.chunks(8)
            .map(|byte| byte.iter().enumerate().fold(0, |sum, (n, bit)| sum | bit << (7 - n)))
            .collect()
    }

    fn said(payload: &str, fill: usize) -> Value {
        let packet = AisDecode::new("B").packet(Packet::from_items(&bytes(payload, fill))).unwrap().unwrap();
        packet.get("fields").unwrap().clone()
    }

    #[test]
    fn a_position_report_says_what_it_should_and_becomes_its_sentence_again() {
        let said = said("177KQJ5000G?tO`K>RA1wUbN0TKH", 0);
        let wanted = r#"{"accuracy":false,"channel":"B","course_deg":51.0,"heading_deg":181,"latitude_deg":47.582833,"longitude_deg":-122.345833,"maneuver":0,"mmsi":"477553000","nmea":["!AIVDM,1,1,,B,177KQJ5000G?tO`K>RA1wUbN0TKH,0*5C"],"raim":false,"repeat":0,"second":15,"speed_kn":0.0,"status":5,"turn":0,"type":1}"#;
        assert_eq!(said.to_string(), wanted);
    }

    #[test]
    fn a_voyage_says_names_and_is_two_sentences() {
        let payload = "55P5TL01VIaAL@7WKO@mBplU@<PDhh000000001S;AJ::4A80?4i@E531@0000000000000";
        let said = said(payload, 2);
        for (key, value) in [
            ("name", Value::from("MT.MITCHELL")),
            ("callsign", "WDA9674".into()),
            ("destination", "SEATTLE".into()),
            ("draught_m", 6.0.into()),
        ] {
            assert_eq!(said.get(key), Some(&value), "{said}");
        }
        let nmea = said.get("nmea").and_then(Value::as_list).unwrap();
        let parts: Vec<&str> = nmea.iter().map(|part| part.as_str().unwrap()).collect();
        assert!(
            parts[0].starts_with("!AIVDM,2,1,0,B,55P5TL01VIaA") && parts[1].starts_with("!AIVDM,2,2,0,B,")
        );
        assert!(parts[1].contains(",2*"), "{parts:?}");
    }

    #[test]
    fn every_type_can_be_read_however_short_or_long_it_is() {
        for kind in 0..64u8 {
            for len in 0..130 {
                let mut bytes: Vec<u8> = (0..len).map(|n| (n * 73 + 11) as u8).collect();
                if let Some(first) = bytes.first_mut() {
                    *first = kind << 2 | 1;
                }
                let said = AisDecode::new("A").packet(Packet::from_items(&bytes)).unwrap();
                assert_eq!(said.is_some(), (1..=27).contains(&kind) && len >= 9, "{kind} {len}");
            }
        }
    }
}
