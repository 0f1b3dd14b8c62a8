//! Packets of VITA 49.2, and of DIFI, which says how they are used between a converter and a modem.
//!
//! ```text
//! word 0   type 4 · class 1 · indicators 3 · TSI 2 · TSF 2 · count 4 · size 16, in words
//! word 1   stream
//! word 2   pad bits 5 · 0 · OUI 24                  where the class is there
//! word 3   information class 16 · packet class 16   where the class is there
//! then     seconds (where TSI is not 0), fraction in 64 bits (where TSF is not 0), the body, a trailer of one word if there is one
//! ```
//!
//! All numbers are big endian, and words have 32 bits.
//!
//! **Source**: ANSI/VITA 49.2-2017, sections 5.1 (prologue), 6 (signal data packets), 7 and 9 (context packets and their
//! fields); IEEE-ISTO 4900-2021 (DIFI 1.1), sections 4 and 5.

pub(crate) mod context;
pub(crate) mod follow;
pub(crate) mod fuzzing;

use superhet_runtime::clock::Moment;

/// The OUI of DIFI.
pub(crate) const DIFI: u32 = 0x006a_621e;
/// Bytes of a word.
pub(crate) const WORD: usize = 4;
/// Picoseconds of a second.
const PICO: f64 = 1e12;

/// What a packet is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Data,
    Context,
    /// DIFI sends its version in one.
    ExtensionContext,
    /// Commands, and data in a format of somebody's own.
    Other,
}

/// When its first sample was taken.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Stamp {
    /// Seconds, and what they are counted from: 1 is UTC, 2 GPS, 3 POSIX in DIFI and else something.
    pub seconds: Option<(u8, u32)>,
    pub fraction: Fraction,
}

/// What stands behind the seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Fraction {
    #[default]
    None,
    /// Samples since the second began.
    Samples(u64),
    Picoseconds(u64),
    /// Samples since some time or other.
    Free(u64),
}

/// The seconds between the beginning of GPS time and that of UTC as computers count it, without the leap seconds since.
const GPS: i64 = 315_964_800;
/// The leap seconds between GPS time and UTC, since 2017.
const LEAP: i64 = 18;

impl Stamp {
    /// UTC, to a picosecond.
    pub fn utc(moment: Moment) -> Self {
        let moment = moment.plus(0.0);
        Stamp {
            seconds: Some((1, u32::try_from(moment.seconds).unwrap_or(0))),
            fraction: Fraction::Picoseconds((moment.fraction * PICO) as u64),
        }
    }

    /// The time that it says; `None` where it counts from something unknown.
    pub fn moment(self, rate_hz: Option<f64>) -> Option<Moment> {
        let seconds = match self.seconds? {
            (2, seconds) => i64::from(seconds) + GPS - LEAP,
            (_, seconds) => i64::from(seconds),
        };
        let fraction = match self.fraction {
            Fraction::None => 0.0,
            Fraction::Picoseconds(picoseconds) => picoseconds as f64 / PICO,
            Fraction::Samples(samples) => samples as f64 / rate_hz?,
            Fraction::Free(_) => return None,
        };
        Some(Moment { seconds, fraction: 0.0 }.plus(fraction))
    }
}

/// A class: whose packet it is, and which of theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Class {
    pub oui: u32,
    pub information: u16,
    pub packet: u16,
}

/// A packet's header and the place of its body.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Packet<'a> {
    pub kind: Kind,
    pub count: u8,
    pub stream: Option<u32>,
    pub class: Option<Class>,
    pub stamp: Stamp,
    /// Context, or samples without what fills the last word up.
    pub body: &'a [u8],
}

/// Takes words from the front.
struct Words<'a>(&'a [u8]);

impl Words<'_> {
    fn word(&mut self) -> Result<u32, String> {
        let (word, rest) = self.0.split_first_chunk::<WORD>().ok_or("it ends in its header")?;
        self.0 = rest;
        Ok(u32::from_be_bytes(*word))
    }

    fn long(&mut self) -> Result<u64, String> {
        Ok(u64::from(self.word()?) << 32 | u64::from(self.word()?))
    }
}

impl<'a> Packet<'a> {
    /// What a datagram holds.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, String> {
        let mut words = Words(bytes);
        let header = words.word()?;
        let field = |low: u32, bits: u32| header >> low & ((1 << bits) - 1);
        let said = field(0, 16) as usize * WORD;
        if said != bytes.len() {
            return Err(format!("it has {} bytes, its header says {said}", bytes.len()));
        }
        let (kind, has_stream) = match field(28, 4) {
            0 => (Kind::Data, false),
            1 => (Kind::Data, true),
            4 => (Kind::Context, true),
            5 => (Kind::ExtensionContext, true),
            2 => (Kind::Other, false),
            3 | 6 | 7 => (Kind::Other, true),
            other => return Err(format!("it is of type {other}, which there is none of in VITA 49.2")),
        };
        let stream = if has_stream { Some(words.word()?) } else { None };
        let (mut class, mut pad_bits) = (None, 0);
        if field(27, 1) == 1 {
            let (first, second) = (words.word()?, words.word()?);
            pad_bits = (first >> 27) as usize;
            class = Some(Class {
                oui: first & 0xff_ffff,
                information: (second >> 16) as u16,
                packet: (second & 0xffff) as u16,
            });
        }
        let seconds = match field(22, 2) as u8 {
            0 => None,
            from => Some((from, words.word()?)),
        };
        let fraction = match field(20, 2) {
            0 => Fraction::None,
            1 => Fraction::Samples(words.long()?),
            2 => Fraction::Picoseconds(words.long()?),
            _ => Fraction::Free(words.long()?),
        };
        let mut body = words.0;
        if kind == Kind::Data {
            let after = WORD * field(26, 1) as usize + pad_bits / 8;
            let end = body.len().checked_sub(after).ok_or("it ends before its trailer")?;
            body = body.get(..end).unwrap_or_default();
        }
        Ok(Packet {
            kind,
            count: field(16, 4) as u8,
            stream,
            class,
            stamp: Stamp { seconds, fraction },
            body,
        })
    }

    /// Appends the packet. What is missing to whole words of its body is filled up, and said.
    pub fn write(&self, bytes: &mut Vec<u8>) {
        let start = bytes.len();
        let pad = self.body.len().next_multiple_of(WORD) - self.body.len();
        let (kind, indicators) = match self.kind {
            Kind::Data => (1, 0),
            // Bit 24: the time is that of what has changed, not that of the samples.
            Kind::Context => (4, 1),
            Kind::ExtensionContext | Kind::Other => (5, 1),
        };
        let Stamp { seconds, fraction } = self.stamp;
        let (fraction_kind, fraction) = match fraction {
            Fraction::None => (0, None),
            Fraction::Samples(value) => (1, Some(value)),
            Fraction::Picoseconds(value) => (2, Some(value)),
            Fraction::Free(value) => (3, Some(value)),
        };
        let header = kind << 28
            | u32::from(self.class.is_some()) << 27
            | indicators << 24
            | seconds.map_or(0, |(from, _)| u32::from(from)) << 22
            | fraction_kind << 20
            | u32::from(self.count & 15) << 16;
        bytes.extend(header.to_be_bytes());
        bytes.extend(self.stream.unwrap_or(0).to_be_bytes());
        if let Some(Class { oui, information, packet }) = self.class {
            bytes.extend(((pad as u32 * 8) << 27 | oui).to_be_bytes());
            bytes.extend(information.to_be_bytes());
            bytes.extend(packet.to_be_bytes());
        }
        if let Some((_, seconds)) = seconds {
            bytes.extend(seconds.to_be_bytes());
        }
        if let Some(fraction) = fraction {
            bytes.extend(fraction.to_be_bytes());
        }
        bytes.extend_from_slice(self.body);
        bytes.resize(bytes.len() + pad, 0);
        let words = ((bytes.len() - start) / WORD) as u16;
        bytes[start + 2..start + 4].copy_from_slice(&words.to_be_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A signal data packet of DIFI, word by word out of the tables.
    const DATA: [u32; 9] = [
        0x1865_0009, // signal data with a stream, class, UTC, picoseconds, count 5, 9 words
        0xcafe_0001, // stream
        0x806a_621e, // 16 bits of padding, the OUI
        0x0000_0000, // basic data plane, standard flow signal data
        0x6553_f100, // 1 700 000 000 s
        0x0000_003a,
        0x3529_4400, // 0.25 s in picoseconds
        0x0001_fffe,
        0x1234_0000, // three samples of 8 bits, and padding
    ];

    fn bytes(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_be_bytes()).collect()
    }

    #[test]
    fn a_packet_is_what_the_tables_say() {
        let bytes = bytes(&DATA);
        let packet = Packet::parse(&bytes).unwrap();
        let seconds = Some((1, 1_700_000_000));
        let wanted = Packet {
            kind: Kind::Data,
            count: 5,
            stream: Some(0xcafe_0001),
            class: Some(Class { oui: DIFI, information: 0, packet: 0 }),
            stamp: Stamp { seconds, fraction: Fraction::Picoseconds(250_000_000_000) },
            body: &[0, 1, 0xff, 0xfe, 0x12, 0x34],
        };
        assert_eq!(packet, wanted);
        let moment = Moment { seconds: 1_700_000_000, fraction: 0.25 };
        assert_eq!(packet.stamp.moment(None), Some(moment));
        assert_eq!(Stamp::utc(moment), packet.stamp);
        let mut written = Vec::new();
        packet.write(&mut written);
        assert_eq!(written, bytes);
    }

    #[test]
    fn packets_of_others_may_lack_class_stream_and_time_and_have_a_trailer() {
        let bytes = bytes(&[0x0400_0004, 1, 2, 3]);
        let packet = Packet::parse(&bytes).unwrap();
        assert_eq!((packet.stream, packet.class, packet.stamp), (None, None, Stamp::default()));
        assert_eq!(packet.body, [0, 0, 0, 1, 0, 0, 0, 2]);
        assert_eq!(packet.stamp.moment(Some(1.0)), None);
    }

    #[test]
    fn what_is_no_packet_says_why() {
        for (words, problem) in [
            (&[][..], "it ends in its header"),
            (&[0x1000_0003, 1], "it has 8 bytes, its header says 12"),
            (&[0x1865_0002, 1], "it ends in its header"),
            (&[0x1400_0002, 1], "it ends before its trailer"),
            (&[0xf000_0001], "it is of type 15"),
        ] {
            let error = Packet::parse(&bytes(words)).unwrap_err();
            assert!(error.contains(problem), "{error}");
        }
        let whole = bytes(&DATA);
        for length in 0..whole.len() {
            assert!(Packet::parse(&whole[..length]).is_err());
        }
    }

    #[test]
    fn times_count_from_where_they_say() {
        let stamp = |from, fraction| Stamp { seconds: Some((from, 10)), fraction };
        let at = |seconds, fraction| Some(Moment { seconds, fraction });
        assert_eq!(stamp(3, Fraction::None).moment(None), at(10, 0.0));
        assert_eq!(stamp(1, Fraction::Samples(500)).moment(Some(1000.0)), at(10, 0.5));
        assert_eq!(stamp(1, Fraction::Samples(500)).moment(None), None);
        assert_eq!(stamp(1, Fraction::Free(500)).moment(Some(1000.0)), None);
        // 2024-01-01T00:00:00Z is second 1 388 102 418 of GPS time.
        let gps = Stamp { seconds: Some((2, 1_388_102_418)), fraction: Fraction::None };
        assert_eq!(gps.moment(None), Moment::from_value(&"2024-01-01T00:00:00Z".into()));
    }
}
