//! What the messages of AIS say: where each field lies, by ITU-R M.1371-5, annex 8.

use superhet_runtime::Value;

/// The bits of a message, the first highest in its byte.
#[derive(Clone, Copy)]
pub(super) struct Bits<'a>(pub &'a [u8]);

impl Bits<'_> {
    pub fn len(self) -> usize {
        self.0.len() * 8
    }

    /// The number in so many bits, where they are there.
    pub fn number(self, start: usize, count: usize) -> Option<u64> {
        let bit = |n: usize| u64::from(self.0[n / 8] >> (7 - n % 8) & 1);
        (start + count <= self.len())
            .then(|| (start..start + count).fold(0, |number, n| number << 1 | bit(n)))
    }

    fn signed(self, start: usize, count: usize) -> Option<i64> {
        let unused = 64 - count as u32;
        self.number(start, count).map(|number| (number << unused) as i64 >> unused)
    }

    /// Text of six bits a letter, up to the end of the message; `@` ends it.
    fn text(self, start: usize, count: usize) -> Option<String> {
        let count = count.min(self.len().checked_sub(start)?);
        let letter = |n: usize| {
            let six = self.number(start + 6 * n, 6).unwrap_or(0) as u8;
            char::from(if six < 32 { six + 64 } else { six })
        };
        let text: String = (0..count / 6).map(letter).take_while(|letter| *letter != '@').collect();
        Some(text.trim_end().to_owned()).filter(|text| !text.is_empty())
    }
}

/// How a field is written.
#[derive(Clone, Copy)]
enum Kind {
    Number,
    Flag,
    Text,
    Hex,
    /// Tenths, and the number that stands for none.
    Tenths(u64),
    /// A number, and the one that stands for none.
    Known(u64),
    /// Degrees in 1/10 000 minutes, or in tenths of a minute, below so many.
    Degrees(f64, f64),
    Signed(i64),
}

use Kind::{Degrees, Flag, Hex, Known, Number, Signed, Tenths, Text};

type Field = (&'static str, usize, usize, Kind);

const FINE: f64 = 600_000.0;
const COARSE: f64 = 600.0;
const LON: Kind = Degrees(FINE, 180.0);
const LAT: Kind = Degrees(FINE, 90.0);
const LON_COARSE: Kind = Degrees(COARSE, 180.0);
const LAT_COARSE: Kind = Degrees(COARSE, 90.0);
/// To the end of the message.
const REST: usize = usize::MAX;

/// The fields of a type of message behind the first 38 bits.
fn table(kind: u64, bits: Bits<'_>) -> &'static [Field] {
    match kind {
        1..=3 => &[
            ("status", 38, 4, Number),
            ("turn", 42, 8, Signed(-128)),
            ("speed_kn", 50, 10, Tenths(1023)),
            ("accuracy", 60, 1, Flag),
            ("longitude_deg", 61, 28, LON),
            ("latitude_deg", 89, 27, LAT),
            ("course_deg", 116, 12, Tenths(3600)),
            ("heading_deg", 128, 9, Known(511)),
            ("second", 137, 6, Number),
            ("maneuver", 143, 2, Number),
            ("raim", 148, 1, Flag),
        ],
        4 | 11 => &[
            ("year", 38, 14, Known(0)),
            ("month", 52, 4, Known(0)),
            ("day", 56, 5, Known(0)),
            ("hour", 61, 5, Known(24)),
            ("minute", 66, 6, Known(60)),
            ("second", 72, 6, Known(60)),
            ("accuracy", 78, 1, Flag),
            ("longitude_deg", 79, 28, LON),
            ("latitude_deg", 107, 27, LAT),
            ("epfd", 134, 4, Number),
            ("raim", 148, 1, Flag),
        ],
        5 => &[
            ("ais_version", 38, 2, Number),
            ("imo", 40, 30, Known(0)),
            ("callsign", 70, 42, Text),
            ("name", 112, 120, Text),
            ("ship_type", 232, 8, Number),
            ("to_bow_m", 240, 9, Number),
            ("to_stern_m", 249, 9, Number),
            ("to_port_m", 258, 6, Number),
            ("to_starboard_m", 264, 6, Number),
            ("epfd", 270, 4, Number),
            ("month", 274, 4, Known(0)),
            ("day", 278, 5, Known(0)),
            ("hour", 283, 5, Known(24)),
            ("minute", 288, 6, Known(60)),
            ("draught_m", 294, 8, Tenths(0)),
            ("destination", 302, 120, Text),
        ],
        6 => &[
            ("sequence", 38, 2, Number),
            ("to_mmsi", 40, 30, Number),
            ("retransmitted", 70, 1, Flag),
            ("dac", 72, 10, Number),
            ("fid", 82, 6, Number),
            ("data", 88, REST, Hex),
        ],
        7 | 13 => &[
            ("to_mmsi", 40, 30, Number),
            ("sequence", 70, 2, Number),
            ("to_mmsi_2", 72, 30, Number),
            ("to_mmsi_3", 104, 30, Number),
            ("to_mmsi_4", 136, 30, Number),
        ],
        8 => &[("dac", 40, 10, Number), ("fid", 50, 6, Number), ("data", 56, REST, Hex)],
        9 => &[
            ("altitude_m", 38, 12, Known(4095)),
            ("speed_kn", 50, 10, Known(1023)),
            ("accuracy", 60, 1, Flag),
            ("longitude_deg", 61, 28, LON),
            ("latitude_deg", 89, 27, LAT),
            ("course_deg", 116, 12, Tenths(3600)),
            ("second", 128, 6, Number),
            ("raim", 147, 1, Flag),
        ],
        10 => &[("to_mmsi", 40, 30, Number)],
        12 => &[
            ("sequence", 38, 2, Number),
            ("to_mmsi", 40, 30, Number),
            ("retransmitted", 70, 1, Flag),
            ("text", 72, REST, Text),
        ],
        14 => &[("text", 40, REST, Text)],
        15 => &[
            ("to_mmsi", 40, 30, Number),
            ("asked_type", 70, 6, Number),
            ("asked_offset", 76, 12, Number),
            ("asked_type_2", 90, 6, Number),
            ("asked_offset_2", 96, 12, Number),
            ("to_mmsi_2", 110, 30, Number),
        ],
        16 => &[
            ("to_mmsi", 40, 30, Number),
            ("offset", 70, 12, Number),
            ("increment", 82, 10, Number),
            ("to_mmsi_2", 92, 30, Number),
            ("offset_2", 122, 12, Number),
            ("increment_2", 134, 10, Number),
        ],
        17 => &[
            ("longitude_deg", 40, 18, LON_COARSE),
            ("latitude_deg", 58, 17, LAT_COARSE),
            ("data", 80, REST, Hex),
        ],
        18 => &[
            ("speed_kn", 46, 10, Tenths(1023)),
            ("accuracy", 56, 1, Flag),
            ("longitude_deg", 57, 28, LON),
            ("latitude_deg", 85, 27, LAT),
            ("course_deg", 112, 12, Tenths(3600)),
            ("heading_deg", 124, 9, Known(511)),
            ("second", 133, 6, Number),
            ("raim", 147, 1, Flag),
        ],
        19 => &[
            ("speed_kn", 46, 10, Tenths(1023)),
            ("accuracy", 56, 1, Flag),
            ("longitude_deg", 57, 28, LON),
            ("latitude_deg", 85, 27, LAT),
            ("course_deg", 112, 12, Tenths(3600)),
            ("heading_deg", 124, 9, Known(511)),
            ("second", 133, 6, Number),
            ("name", 143, 120, Text),
            ("ship_type", 263, 8, Number),
            ("to_bow_m", 271, 9, Number),
            ("to_stern_m", 280, 9, Number),
            ("to_port_m", 289, 6, Number),
            ("to_starboard_m", 295, 6, Number),
            ("epfd", 301, 4, Number),
            ("raim", 305, 1, Flag),
        ],
        20 => &[
            ("offset", 40, 12, Number),
            ("slots", 52, 4, Number),
            ("timeout_min", 56, 3, Number),
            ("increment", 59, 11, Number),
        ],
        21 => &[
            ("aid_type", 38, 5, Number),
            ("name", 43, 120, Text),
            ("accuracy", 163, 1, Flag),
            ("longitude_deg", 164, 28, LON),
            ("latitude_deg", 192, 27, LAT),
            ("to_bow_m", 219, 9, Number),
            ("to_stern_m", 228, 9, Number),
            ("to_port_m", 237, 6, Number),
            ("to_starboard_m", 243, 6, Number),
            ("epfd", 249, 4, Number),
            ("second", 253, 6, Number),
            ("off_position", 259, 1, Flag),
            ("raim", 268, 1, Flag),
            ("virtual", 269, 1, Flag),
        ],
        22 => &[
            ("channel_a", 40, 12, Number),
            ("channel_b", 52, 12, Number),
            ("mode", 64, 4, Number),
            ("low_power", 68, 1, Flag),
            ("longitude_ne_deg", 69, 18, LON_COARSE),
            ("latitude_ne_deg", 87, 17, LAT_COARSE),
            ("longitude_sw_deg", 104, 18, LON_COARSE),
            ("latitude_sw_deg", 122, 17, LAT_COARSE),
        ],
        23 => &[
            ("longitude_ne_deg", 40, 18, LON_COARSE),
            ("latitude_ne_deg", 58, 17, LAT_COARSE),
            ("longitude_sw_deg", 75, 18, LON_COARSE),
            ("latitude_sw_deg", 93, 17, LAT_COARSE),
            ("station_type", 110, 4, Number),
            ("ship_type", 114, 8, Number),
            ("mode", 144, 2, Number),
            ("interval", 146, 4, Number),
            ("quiet_min", 150, 4, Number),
        ],
        24 if bits.number(38, 2) == Some(0) => &[("part", 38, 2, Number), ("name", 40, 120, Text)],
        24 => &[
            ("part", 38, 2, Number),
            ("ship_type", 40, 8, Number),
            ("vendor", 48, 18, Text),
            ("callsign", 90, 42, Text),
            ("to_bow_m", 132, 9, Number),
            ("to_stern_m", 141, 9, Number),
            ("to_port_m", 150, 6, Number),
            ("to_starboard_m", 156, 6, Number),
        ],
        25 | 26 => &[("addressed", 38, 1, Flag), ("structured", 39, 1, Flag), ("data", 40, REST, Hex)],
        27 => &[
            ("accuracy", 38, 1, Flag),
            ("raim", 39, 1, Flag),
            ("status", 40, 4, Number),
            ("longitude_deg", 44, 18, LON_COARSE),
            ("latitude_deg", 62, 17, LAT_COARSE),
            ("speed_kn", 79, 6, Known(63)),
            ("course_deg", 85, 9, Known(511)),
        ],
        _ => &[],
    }
}

/// The value of a field; none where it is not there, or stands for nothing.
fn value(bits: Bits<'_>, (_, start, count, kind): Field) -> Option<Value> {
    let number = || bits.number(start, count);
    Some(match kind {
        Number => number()?.into(),
        Flag => (number()? == 1).into(),
        Text => bits.text(start, count)?.into(),
        Hex => {
            let count = count.min(bits.len().checked_sub(start)?) / 8;
            let bytes = (0..count).filter_map(|n| bits.number(start + 8 * n, 8));
            bytes.map(|byte| format!("{byte:02x}")).collect::<String>().into()
        }
        Tenths(none) => (number().filter(|number| *number != none)? as f64 / 10.0).into(),
        Known(none) => number().filter(|number| *number != none)?.into(),
        Signed(none) => bits.signed(start, count).filter(|number| *number != none)?.into(),
        Degrees(parts, most) => {
            let degrees = bits.signed(start, count)? as f64 / parts;
            let rounded = (degrees * 1e6).round() / 1e6;
            (degrees.abs() <= most).then_some(rounded)?.into()
        }
    })
}

/// What a message says; none where its type is none.
pub(super) fn fields(bits: Bits<'_>) -> Option<Vec<(&'static str, Value)>> {
    let kind = bits.number(0, 6).filter(|kind| (1..=27).contains(kind))?;
    let mut fields: Vec<(&'static str, Value)> = vec![
        ("type", kind.into()),
        ("repeat", bits.number(6, 2)?.into()),
        ("mmsi", format!("{:09}", bits.number(8, 30)?).into()),
    ];
    for field in table(kind, bits) {
        fields.extend(value(bits, *field).map(|value| (field.0, value)));
    }
    Some(fields)
}
