//! What frames say: section 9 of IEEE Std 802.11-2016.

use superhet_runtime::Value;

/// Bytes of the checksum.
pub const FCS_BYTES: usize = 4;

static FCS: crc::Crc<u32> = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC);

/// The checksum of a frame's bytes (section 9.2.4.8), as it stands behind them.
pub fn fcs(bytes: &[u8]) -> [u8; FCS_BYTES] {
    FCS.checksum(bytes).to_le_bytes()
}

/// A frame without its checksum; `None` where that is wrong.
pub fn checked(bytes: &[u8]) -> Option<&[u8]> {
    let (bytes, sum) = bytes.split_at(bytes.len().checked_sub(FCS_BYTES)?);
    (fcs(bytes) == sum).then_some(bytes)
}

/// Names of types (table 9-1).
const TYPES: [&str; 4] = ["management", "control", "data", "extension"];
/// Names of subtypes, where they have any.
const SUBTYPES: [[&str; 16]; 3] = [
    [
        "association request",
        "association response",
        "reassociation request",
        "reassociation response",
        "probe request",
        "probe response",
        "timing advertisement",
        "",
        "beacon",
        "ATIM",
        "disassociation",
        "authentication",
        "deauthentication",
        "action",
        "action no ack",
        "",
    ],
    [
        "",
        "",
        "",
        "",
        "beamforming report poll",
        "VHT NDP announcement",
        "control frame extension",
        "control wrapper",
        "block ack request",
        "block ack",
        "PS-Poll",
        "RTS",
        "CTS",
        "ack",
        "CF-End",
        "CF-End + CF-Ack",
    ],
    [
        "data",
        "data + CF-Ack",
        "data + CF-Poll",
        "data + CF-Ack + CF-Poll",
        "null",
        "CF-Ack",
        "CF-Poll",
        "CF-Ack + CF-Poll",
        "QoS data",
        "QoS data + CF-Ack",
        "QoS data + CF-Poll",
        "QoS data + CF-Ack + CF-Poll",
        "QoS null",
        "",
        "QoS CF-Poll",
        "QoS CF-Ack + CF-Poll",
    ],
];

/// Bytes of a header with three addresses.
const HEADER: usize = 24;

/// Reads a frame from the front.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, bytes: usize) -> Option<&'a [u8]> {
        let (taken, left) = self.0.split_at_checked(bytes)?;
        self.0 = left;
        Some(taken)
    }

    fn number(&mut self) -> Option<u16> {
        self.take(2).map(|two| u16::from_le_bytes([two[0], two[1]]))
    }

    fn address(&mut self) -> Option<Value> {
        let bytes = self.take(6)?;
        Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(":").into())
    }
}

type Fields = Vec<(&'static str, Value)>;

/// What the header of a frame without its checksum says, and the body of those that tell of a network.
pub fn fields(bytes: &[u8]) -> Fields {
    let mut fields = Fields::new();
    // What is cut short ends there.
    let _ = header(&mut Reader(bytes), bytes.len(), &mut fields);
    fields
}

fn header(reader: &mut Reader<'_>, length: usize, fields: &mut Fields) -> Option<()> {
    let control = reader.number()?;
    let (kind, subtype) = (usize::from(control >> 2 & 3), usize::from(control >> 4 & 15));
    fields.push(("type", TYPES[kind].into()));
    let name = SUBTYPES.get(kind).map_or("", |names| names[subtype]);
    fields.push(("subtype", if name.is_empty() { Value::from(subtype) } else { name.into() }));
    for (bit, name) in [(11, "retry"), (14, "protected"), (12, "power_save"), (10, "more_fragments")] {
        fields.extend((control >> bit & 1 == 1).then(|| (name, true.into())));
    }
    let duration = reader.number()?;
    // In PS-Poll it is the number of a station.
    let is_id = duration >> 15 == 1;
    let value = u64::from(duration & 0x3fff);
    fields.push((
        if is_id { "association_id" } else { "duration_us" },
        if is_id { value } else { duration.into() }.into(),
    ));
    match kind {
        0 => {
            fields.push(("destination", reader.address()?));
            fields.push(("source", reader.address()?));
            fields.push(("bssid", reader.address()?));
            sequence(reader, fields)?;
            if control >> 14 & 1 == 0 {
                management(reader, subtype, fields)?;
            }
        }
        1 => {
            fields.push(("receiver", reader.address()?));
            // CTS and ack have one address only.
            if !matches!(subtype, 12 | 13) && length >= 16 {
                fields.push(("transmitter", reader.address()?));
            }
        }
        2 => {
            let (to_system, from_system) = (control >> 8 & 1 == 1, control >> 9 & 1 == 1);
            // Table 9-26: whose the addresses are.
            let names = match (to_system, from_system) {
                (false, false) => ["destination", "source", "bssid"],
                (false, true) => ["destination", "bssid", "source"],
                (true, false) => ["bssid", "source", "destination"],
                (true, true) => ["receiver", "transmitter", "destination"],
            };
            for name in names {
                fields.push((name, reader.address()?));
            }
            sequence(reader, fields)?;
            if to_system && from_system {
                fields.push(("source", reader.address()?));
            }
            if subtype & 8 == 8 {
                fields.push(("tid", u64::from(reader.number()? & 15).into()));
            }
        }
        _ => {}
    }
    Some(())
}

fn sequence(reader: &mut Reader<'_>, fields: &mut Fields) -> Option<()> {
    let number = reader.number()?;
    fields.push(("sequence", u64::from(number >> 4).into()));
    fields.extend((number & 15 > 0).then(|| ("fragment", u64::from(number & 15).into())));
    Some(())
}

/// Bodies that tell of a network: beacons, probes and associations (section 9.3.3), elements (section 9.4.2).
fn management(reader: &mut Reader<'_>, subtype: usize, fields: &mut Fields) -> Option<()> {
    let skipped = match subtype {
        8 | 5 => {
            let time = reader.take(8)?;
            fields.push((
                "timestamp_us",
                time.iter().rev().fold(0u64, |time, byte| time << 8 | u64::from(*byte)).into(),
            ));
            fields.push(("beacon_interval_tu", u64::from(reader.number()?).into()));
            fields.push(("privacy", (reader.number()? >> 4 & 1 == 1).into()));
            0
        }
        0 => 4,
        2 => 10,
        4 => 0,
        _ => return None,
    };
    reader.take(skipped)?;
    let mut rates: Vec<Value> = Vec::new();
    while let Some(head) = reader.take(2) {
        let body = reader.take(head[1].into())?;
        match (head[0], body) {
            // What is no text is shown as what it stands for.
            (0, name) => fields.push(("ssid", String::from_utf8_lossy(name).into_owned().into())),
            (1 | 50, list) => rates.extend(list.iter().map(|rate| Value::from(f64::from(rate & 127) / 2.0))),
            (3, [channel]) => fields.push(("channel", u64::from(*channel).into())),
            (7, [a, b, ..]) if a.is_ascii_alphabetic() && b.is_ascii_alphabetic() => {
                fields.push(("country", format!("{}{}", char::from(*a), char::from(*b)).into()));
            }
            (48, _) => fields.push(("rsn", true.into())),
            _ => {}
        }
    }
    fields.extend((!rates.is_empty()).then(|| ("rates_mbps", rates.into())));
    Some(())
}

/// Whether bytes can have a header at all.
pub fn is_frame(bytes: &[u8]) -> bool {
    // The version is 0, and the shortest frames, CTS and ack, have ten bytes.
    bytes.len() >= 10 && bytes[0] & 3 == 0 && (bytes[0] >> 2 & 3 == 1 || bytes.len() >= HEADER)
}

/// The frame of the example in annex I.1.
#[cfg(test)]
pub const EXAMPLE: &[u8] =
    b"\x04\x02\x00\x2e\x00\x60\x08\xcd\x37\xa6\x00\x20\xd6\x01\x3c\xf1\x00\x60\x08\xad\x3b\xaf\x00\x00\
    Joy, bright spark of divinity,\nDaughter of Elysium,\nFire-insired we trea\x67\x33\x21\xb6";

#[cfg(test)]
mod tests {
    use super::*;

    fn said(bytes: &[u8]) -> String {
        Value::map(fields(bytes)).to_string()
    }

    #[test]
    fn headers_say_who_is_meant_and_beacons_whose_network_it_is() {
        let address = |n: u8| [0x02, 0, 0, 0, 0, n];
        let three = [address(1), address(2), address(3)].concat();
        let beacon = [
            &[0x80, 0, 0, 0][..],
            &three,
            &[0x50, 0x12],
            &[1, 0, 0, 0, 0, 0, 0, 0, 100, 0, 0x11, 0],
            &[0, 3, b'a', b'b', b'c', 1, 2, 0x8c, 0x12, 3, 1, 36, 48, 2, 1, 0],
        ]
        .concat();
        let wanted = r#"{"beacon_interval_tu":100,"bssid":"02:00:00:00:00:03","channel":36,"destination":"02:00:00:00:00:01","duration_us":0,"privacy":true,"rates_mbps":[6.0,9.0],"rsn":true,"sequence":293,"source":"02:00:00:00:00:02","ssid":"abc","subtype":"beacon","timestamp_us":1,"type":"management"}"#;
        assert_eq!(said(&beacon), wanted);
        let ack = [&[0xd4, 0, 0x2c, 0][..], &address(1)].concat();
        let wanted = r#"{"duration_us":44,"receiver":"02:00:00:00:00:01","subtype":"ack","type":"control"}"#;
        assert_eq!(said(&ack), wanted);
        let data = [&[0x88, 0x42, 0x2c, 0][..], &three, &[0x51, 0x12, 7, 0]].concat();
        let wanted = r#"{"bssid":"02:00:00:00:00:02","destination":"02:00:00:00:00:01","duration_us":44,"fragment":1,"protected":true,"sequence":293,"source":"02:00:00:00:00:03","subtype":"QoS data","tid":7,"type":"data"}"#;
        assert_eq!(said(&data), wanted);
        assert!(is_frame(&ack) && !is_frame(&ack[..9]) && is_frame(&data) && !is_frame(&[1; 30]));
    }

    #[test]
    fn frames_of_all_kinds_are_read_however_short_they_are() {
        for control in 0..256u32 {
            let bytes: Vec<u8> =
                (0..80u32).map(|n| if n == 0 { control as u8 } else { (n * 73 + control) as u8 }).collect();
            for len in 0..80 {
                assert_eq!(fields(&bytes[..len]).is_empty(), len < 2, "{control} {len}");
            }
        }
    }

    #[test]
    fn the_checksum_is_that_of_the_standard_s_example() {
        let frame = EXAMPLE;
        assert_eq!(checked(frame).map(<[u8]>::len), Some(96));
        for at in 0..frame.len() {
            let mut wrong = frame.to_vec();
            wrong[at] ^= 1;
            assert_eq!(checked(&wrong), None);
        }
        assert_eq!(checked(&[1, 2, 3]), None);
    }
}
