//! What the groups of RDS say.

use superhet_runtime::catalog::Kind;
use superhet_runtime::{AnyBlock, BlockError, Packet, Value, declare, packet::PacketBlock};

pub use super::programme::Region;
use super::station::{Came, Group, Station};

/// Puts into words what the groups of RDS say: the packets of those that say something new get the entry `fields`; the others are
/// dropped.
///
/// It is a [`PacketBlock`]: [`messages`](PacketBlock::messages) makes a block of it.
///
/// A name or a text is said when all of it has come since a part has changed, so that no text is a mixture of two. Blocks that were
/// corrected count when they say the same twice. A station is another one when its PI code came twice.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | packets | `u8`: groups of 8 bytes, with the entry `blocks` of [`RdsFramer`](super::RdsFramer); without it, all four blocks count |
/// | out `out` | packets | the same |
///
/// | field | is | of groups |
/// |---|---|---|
/// | `pi`, `group` | the code of the programme, four hexadecimal digits; the group, as `2A` | all |
/// | `pty`, `programme_type`, `tp` | number and name of the programme type; whether there are announcements about traffic | all |
/// | `ps` | the name of the station | 0A, 0B |
/// | `ta`, `music`, `stereo`, `dynamic_pty` | flags | 0A, 0B, 15B |
/// | `alternative_frequencies_mhz` | a list | 0A, method A |
/// | `programme_item`, `extended_country_code`, `language_code` | day of the month and time; ECC; a number | 1A |
/// | `radiotext` | the text | 2A, 2B |
/// | `application` | a map: `group`, `aid`, maybe `name` | 3A |
/// | `clock` | the local time, ISO 8601 | 4A, of blocks without errors |
/// | `tmc` | that there are messages about traffic | 8A |
/// | `programme_type_name` | a text | 10A |
/// | `other_network` | a map: `pi`, `ps` | 14A |
/// | `call_sign` | in America, what the PI code stands for | all |
///
/// # Source
/// IEC 62106, section 6 and annexes D to G; NRSC-4-B, annexes D and F, for America.
///
/// ```
/// use superhet_blocks::fm::rds_decode::{RdsDecode, Region};
/// use superhet_runtime::{Packet, Value, packet::PacketBlock};
///
/// let mut decode = RdsDecode::new(Region::Europe, false);
/// let group = |n: u8, text: &[u8; 2]| Packet::from_items(&[0xd3, 0xc1, 0x00, n, 0xe0, 0xcd, text[0], text[1]]);
/// for (n, text) in [b"RA", b"DI", b"O ", b"1 ", b"RA"].into_iter().enumerate() {
///     let said = decode.packet(group(n as u8 % 4, text))?;
///     if n == 4 {
///         assert_eq!(said.unwrap().get("fields").unwrap().get("ps"), Some(&Value::from("RADIO 1")));
///     }
/// }
/// # Ok::<(), superhet_runtime::BlockError>(())
/// ```
#[derive(Clone, Debug)]
pub struct RdsDecode {
    station: Station,
    all: bool,
}

/// Bytes of a group.
const GROUP: usize = 8;

impl RdsDecode {
    /// For stations of a region; where `all` says so, every group is a message.
    pub fn new(region: Region, all: bool) -> Self {
        RdsDecode { station: Station::new(region), all }
    }
}

/// The group that a packet says; none where it is none.
fn group(packet: &Packet<u8>) -> Option<Group> {
    let bytes = packet.items();
    if bytes.len() != GROUP {
        return None;
    }
    let letters = packet.get("blocks").and_then(Value::as_str).unwrap_or("ABCD").as_bytes();
    let block = |n: usize| -> Option<Came> {
        let letter = letters.get(n)?;
        let bits = u16::from_be_bytes([bytes[2 * n], bytes[2 * n + 1]]);
        letter.is_ascii_alphabetic().then_some((bits, letter.is_ascii_uppercase()))
    };
    Some(Group { a: block(0), b: block(1)?, c: block(2), d: block(3) })
}

impl PacketBlock for RdsDecode {
    type In = u8;
    type Out = u8;

    fn packet(&mut self, mut x: Packet<u8>) -> Result<Option<Packet<u8>>, BlockError> {
        let Some(group) = group(&x) else { return Ok(None) };
        let mut said = self.station.take(&group);
        let pi = match (self.station.pi(), self.all) {
            (Some(_), false) if said.is_empty() => return Ok(None),
            (None, false) => return Ok(None),
            (pi, _) => pi,
        };
        said.extend(pi.map(|pi| ("pi", format!("{pi:04X}").into())));
        said.push(("group", group.name().into()));
        if self.all {
            said.extend(x.get("blocks").cloned().map(|blocks| ("blocks", blocks)));
        }
        x.set("fields", Value::map(said));
        Ok(Some(x))
    }
}

#[declare(
    name = "rds_decode",
    category = "fm",
    summary = "Puts into words what groups of RDS say: name, text, clock, frequencies and more.",
    ports(
        input("in", "messages", "packets of u8: groups of 8 bytes"),
        output("out", "messages", "the same, with what they say in their metadata")
    )
)]
fn rds_decode_block(
    /// Whose programme types and codes: those of RDS, or of RBDS.
    #[param(kind = Kind::Choice(&["europe", "america"]), default = "europe")]
    region: &str,
    /// Whether every group is a message, not only one that says something new.
    #[param(default = false)]
    all: bool,
) -> AnyBlock {
    let region = if region == "america" { Region::America } else { Region::Europe };
    AnyBlock::new(RdsDecode::new(region, all).messages())
}

#[cfg(test)]
mod tests {
    use super::super::{Rds, RdsEncoder, RdsFramer};
    use super::*;
    use superhet_runtime::harness::VecSource;
    use superhet_runtime::{Graph, Options, Single, SyncBlock};

    use crate::sinks::{Lines, MessageDebug};

    /// What the bits of an encoder say, as lines of fields.
    fn decode(bits: &[u8], all: bool) -> Vec<String> {
        let soft: Vec<f32> = bits.iter().map(|bit| if *bit == 1 { 1.0 } else { -1.0 }).collect();
        let (lines, text) = Lines::memory();
        let mut graph = Graph::new();
        graph.add("source", VecSource::new(soft));
        graph.add("framer", RdsFramer::new());
        graph.add("decode", RdsDecode::new(Region::Europe, all).messages());
        graph.add("split", crate::packets::PduSplit::new());
        graph.add("print", MessageDebug::new(lines, None));
        graph.add("rest", MessageDebug::new(Lines::memory().0, None));
        for (from, to) in [
            ("source", "framer"),
            ("framer", "decode"),
            ("decode", "split"),
            ("split.dict", "print"),
            ("split.vec", "rest"),
        ] {
            graph.connect_names(from, to);
        }
        graph.check().unwrap().start(&Single, &Options::default()).unwrap().wait().unwrap();
        text.take().lines().map(str::to_owned).collect()
    }

    fn has(lines: &[String], wanted: &str) -> usize {
        lines.iter().filter(|line| line.contains(wanted)).count()
    }

    #[test]
    fn what_an_encoder_says_comes_back_once() {
        for type_b in [false, true] {
            let rds = Rds {
                pi: 0xd3c1,
                ps: "Süd 1".into(),
                radiotext: "A text – with umlauts äöü".into(),
                pty: 10,
                tp: true,
                type_b,
                af_mhz: vec![88.0, 99.9],
                clock_s: Some(1_795_626_895.0),
                local_offset: 2,
                groups: vec![
                    [0x3016, 0, 0x4bd7],
                    [0xa000, 0x4152, 0x4249],
                    [0xa001, 0x5554, 0x2020],
                    [0x8000, 1, 2],
                ],
                ..Rds::default()
            };
            let mut bits = vec![0; 104 * 200];
            RdsEncoder::new(rds).unwrap().process((), &mut bits);
            let lines = decode(&bits, false);
            for wanted in [
                "\"ps\":\"Süd 1\"",
                "\"radiotext\":\"A text ? with umlauts äöü\"",
                "\"programme_type\":\"pop music\"",
                "\"clock\":\"2026-11-25T18:15+01:00\"",
                "\"programme_type_name\":\"ARBIUT\"",
                "\"name\":\"RadioText Plus\"",
                "\"tmc\":true",
                "\"ta\":false",
            ] {
                assert_eq!(has(&lines, wanted), 1, "{wanted}: {lines:#?}");
            }
            assert_eq!(
                has(&lines, "\"alternative_frequencies_mhz\":[88.0,99.9]"),
                usize::from(!type_b),
                "{lines:#?}"
            );
            assert!(lines.len() < 16 && has(&lines, "\"pi\":\"D3C1\"") == lines.len(), "{lines:#?}");
            assert_eq!(decode(&bits, true).len(), 200);
        }
    }

    #[test]
    fn what_is_no_group_is_dropped() {
        let mut decode = RdsDecode::new(Region::Europe, true);
        for bytes in [&[][..], &[1; 7], &[1; 9]] {
            assert!(decode.packet(Packet::from_items(bytes)).unwrap().is_none());
        }
        let mut packet = Packet::from_items(&[1u8; 8]);
        packet.set("blocks", "A-CD");
        assert!(decode.packet(packet.clone()).unwrap().is_none());
        packet.set("blocks", "-b");
        assert!(decode.packet(packet).unwrap().is_some());
    }
}
