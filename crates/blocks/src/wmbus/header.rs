//! What the headers of frames of wireless M-Bus say.

use superhet_runtime::Value;

use super::frame::Frame;

/// What a device is, by its number: EN 13757-7, table of device types.
fn device(number: u8) -> Option<&'static str> {
    Some(match number {
        0x00 => "other",
        0x01 => "oil",
        0x02 => "electricity",
        0x03 => "gas",
        0x04 | 0x0c => "heat",
        0x05 => "steam",
        0x06 => "warm water",
        0x07 => "water",
        0x08 => "heat cost allocator",
        0x09 => "compressed air",
        0x0a | 0x0b => "cooling",
        0x0d => "heat and cooling",
        0x0e => "bus",
        0x0f => "unknown",
        0x15 => "hot water",
        0x16 => "cold water",
        0x17 => "hot and cold water",
        0x18 => "pressure",
        0x19 => "converter",
        0x1a => "smoke detector",
        0x1b => "room sensor",
        0x1c => "gas detector",
        0x20 => "breaker",
        0x21 => "valve",
        0x25 => "display",
        0x28 => "waste water",
        0x31 => "communication controller",
        0x32 => "unidirectional repeater",
        0x33 => "bidirectional repeater",
        _ => return None,
    })
}

/// Three letters of five bits each.
fn manufacturer(low: u8, high: u8) -> String {
    let number = u16::from_le_bytes([low, high]);
    [10, 5, 0].iter().map(|shift| char::from(64 + (number >> shift & 31) as u8)).collect()
}

/// The decimal digits of a number whose lowest byte comes first; as they are, where they are no decimal ones.
fn identification(bytes: &[u8]) -> Value {
    let digits: String = bytes.iter().rev().map(|byte| format!("{byte:02x}")).collect();
    digits.parse::<u64>().map_or_else(|_| digits.as_str().into(), Value::from)
}

/// What the link layer and the header behind it say.
pub(super) fn fields(frame: &Frame, mode: &str) -> Value {
    let bytes = &frame.bytes;
    let number = |place: usize| u64::from(bytes[place]);
    let mut fields: Vec<(&str, Value)> = vec![
        ("mode", mode.into()),
        ("format", format!("{:?}", frame.format).into()),
        ("C", number(1).into()),
        ("M", manufacturer(bytes[2], bytes[3]).into()),
        ("id", identification(&bytes[4..8])),
        ("version", number(8).into()),
        ("type", number(9).into()),
    ];
    fields.extend(device(bytes[9]).map(|device| ("device", device.into())));
    if bytes.len() > 10 {
        fields.push(("CI", number(10).into()));
        // The short header, and the long one with an address of its own: EN 13757-7.
        let short = match bytes[10] {
            0x7a => Some(11),
            0x72 => Some(19),
            _ => None,
        };
        if let Some(at) = short.filter(|at| bytes.len() >= at + 4) {
            fields.push(("access", number(at).into()));
            fields.push(("status", number(at + 1).into()));
            let configuration = u16::from_le_bytes([bytes[at + 2], bytes[at + 3]]);
            fields.push(("configuration", u64::from(configuration).into()));
            fields.push(("encryption_mode", u64::from(configuration >> 8 & 31).into()));
        }
        if bytes[10] == 0x72 && bytes.len() >= 19 {
            fields.push(("meter_id", identification(&bytes[11..15])));
            fields.push(("meter_M", manufacturer(bytes[15], bytes[16]).into()));
            fields.push(("meter_version", number(17).into()));
            fields.push(("meter_type", number(18).into()));
        }
    }
    Value::map(fields)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wmbus::Format;

    #[test]
    fn a_header_is_told() {
        let bytes =
            vec![0x0e, 0x44, 0x93, 0x15, 0x78, 0x56, 0x34, 0x12, 0x33, 0x07, 0x7a, 0x2a, 0x00, 0x10, 0x05];
        let said = fields(&Frame { bytes, format: Format::A }, "T");
        let wanted = r#"{"C":68,"CI":122,"M":"ELS","access":42,"configuration":1296,"device":"water","encryption_mode":5,"format":"A","id":12345678,"mode":"T","status":0,"type":7,"version":51}"#;
        assert_eq!(said.to_string(), wanted);
        assert_eq!(identification(&[0xfa, 0, 0, 0]), Value::from("000000fa"));
    }
}
