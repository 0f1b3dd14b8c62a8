//! The bits of RDS that a station sends.

use superhet_runtime::catalog::{Kind, Parameters, Params, Reads};
use superhet_runtime::{BlockError, SyncBlock, Value, declare, parameter::no_parameter};

use super::BIT_RATE_HZ;
use super::block_code::{BLOCK, BLOCKS, GROUP, OFFSET_C2, OFFSETS, block};
use super::clock::clock_blocks;
use super::text::byte;
use crate::error::{Error, check};

/// The bits of RDS that a station sends, without an end: groups 0 (name, flags, other frequencies) and 2 (text) in turns, 4A (clock) at
/// the beginning of each minute, and others that are given.
///
/// | port | item | unit |
/// |---|---|---|
/// | out `out` | `u8` | bits, 0 or 1, at 1187.5 bits/s; [`RdsModulator`](super::RdsModulator) makes a signal of them |
/// | in `set` | messages | new values of `ps`, `radiotext`, `pty` and `ta` |
///
/// A new name or text is sent from its beginning on, when the old one has been sent to its end. With a new text the flag A/B changes.
/// Characters that RDS does not have are sent as question marks.
///
/// # Source
/// IEC 62106: section 5 (groups), 6.1 (their contents), annexes A (offsets), E (characters), G (the clock).
///
/// ```
/// use superhet_blocks::fm::{Rds, RdsEncoder};
/// use superhet_runtime::SyncBlock;
///
/// let mut bits = [9u8; 26];
/// RdsEncoder::new(Rds { pi: 0xd3c1, ps: "SUPERHET".to_owned(), ..Rds::default() })?.process((), &mut bits);
/// // The first block of each group says the PI code.
/// assert_eq!(bits[..16].iter().fold(0, |sum, bit| sum << 1 | u32::from(*bit)), 0xd3c1);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RdsEncoder {
    rds: Rds,
    /// Groups that have begun.
    sent: u64,
    /// The next segments of the name and of the text, the next pair of frequencies, the next of the other groups.
    name_at: usize,
    text_at: usize,
    pair_at: usize,
    other_at: usize,
    /// The name and the text that are being sent, and the text's flag.
    name: [u8; NAME],
    text: Vec<u8>,
    flag: u16,
    /// The last minute whose clock was sent, since 1970.
    minute: i64,
    bits: [u8; GROUP],
    next: usize,
}

/// What a station says by RDS.
#[derive(Clone, Debug, PartialEq, Parameters)]
pub struct Rds {
    /// The code of the programme.
    #[param(default = 4096)]
    pub pi: u16,
    /// The name of the station: 8 characters are sent.
    #[param(default = "")]
    pub ps: String,
    /// A text of up to 64 characters; empty: none.
    #[param(default = "")]
    pub radiotext: String,
    /// The type of the programme.
    #[param(range = 0..=31, default = 0)]
    pub pty: u8,
    /// Whether the station has announcements about traffic.
    #[param(default = false)]
    pub tp: bool,
    /// Whether there is such an announcement now.
    #[param(default = false)]
    pub ta: bool,
    /// Whether there is music, not speech.
    #[param(default = true)]
    pub music: bool,
    /// Whether groups 0B and 2B are sent in the place of 0A and 2A.
    #[param(default = false)]
    pub type_b: bool,
    /// Other frequencies of the programme, 87.6 to 107.9, up to 25.
    #[param(unit = "MHz", json = "[]")]
    pub af_mhz: Vec<f32>,
    /// The time of the first bit since 1970, UTC; 0: no clock is sent.
    #[param(unit = "s", range = 0.0..=1e10, default = 0)]
    pub clock_s: Option<f64>,
    /// By how much the local time is ahead of UTC.
    #[param(unit = "half hours", range = -31..=31, default = 0)]
    pub local_offset: i8,
    /// Blocks B, C and D of more groups in hexadecimal digits, as "3016 0000 cd46, …".
    #[param(by = Groups, kind = Kind::Text, default = "")]
    pub groups: Vec<[u16; 3]>,
}

impl Default for Rds {
    fn default() -> Self {
        Rds {
            pi: 0,
            ps: String::new(),
            radiotext: String::new(),
            pty: 0,
            tp: false,
            ta: false,
            music: true,
            type_b: false,
            af_mhz: Vec::new(),
            clock_s: None,
            local_offset: 0,
            groups: Vec::new(),
        }
    }
}

/// Characters of a name, and how many groups they take.
const NAME: usize = 8;
const NAME_GROUPS: usize = NAME / 2;
/// The end of a text that is shorter than it may be.
const END_OF_TEXT: u8 = 0x0d;
/// One of so many groups is one of those that are given.
const OTHERS_PERIOD: u64 = 8;
/// What says how many frequencies follow, and what stands where there is none.
const FREQUENCIES: u16 = 224;
const NO_FREQUENCY: u16 = 205;
/// The most frequencies.
const MOST_FREQUENCIES: usize = 25;
/// The flags of block B.
const TYPE_B: u16 = 1 << 11;
const TP: u16 = 1 << 10;
const TA: u16 = 1 << 4;
const MUSIC: u16 = 1 << 3;
const DI: u16 = 1 << 2;

#[declare(
    category = "fm",
    summary = "The bits of RDS that a station sends: name, text, clock, other frequencies.",
    ports(
        output("out", "u8", "bits, 0 or 1, at 1187.5 bits/s"),
        set_port("new values of ps, radiotext, pty and ta")
    )
)]
impl RdsEncoder {
    /// The bits of a station that says this.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where a number is.
    pub fn new(#[param(group)] rds: Rds) -> Result<Self, Error> {
        check(rds.pty < 32, "pty", "0 to 31", rds.pty)?;
        check(rds.local_offset.abs() < 32, "local_offset", "-31 to 31 half hours", rds.local_offset)?;
        let count = rds.af_mhz.len();
        check(count <= MOST_FREQUENCIES, "the number of af_mhz", "at most 25", count as f64)?;
        for mhz in &rds.af_mhz {
            check((1..=204).contains(&code(*mhz)), "af_mhz", "87.6 to 107.9", *mhz)?;
        }
        if let Some(clock) = rds.clock_s {
            check((0.0..1e10).contains(&clock), "clock_s", "0 to 10¹⁰", clock)?;
        }
        let minute = rds.clock_s.map_or(0, |clock_s| (clock_s / 60.0).ceil() as i64 - 1);
        Ok(RdsEncoder {
            rds,
            sent: 0,
            name_at: 0,
            text_at: 0,
            pair_at: 0,
            other_at: 0,
            name: [b' '; NAME],
            text: Vec::new(),
            flag: 0,
            minute,
            bits: [0; GROUP],
            next: GROUP,
        })
    }

    /// The next group's blocks.
    fn group(&mut self) -> [u16; BLOCKS] {
        let at_s = self.rds.clock_s.map(|first| first + (self.sent * GROUP as u64) as f64 / BIT_RATE_HZ);
        self.sent += 1;
        let minute = at_s.map_or(self.minute, |at_s| (at_s / 60.0).floor() as i64);
        let [b, c, d] = if minute > self.minute {
            self.minute = minute;
            clock_blocks(minute, self.rds.local_offset)
        } else if self.sent.is_multiple_of(OTHERS_PERIOD) && !self.rds.groups.is_empty() {
            let other = self.rds.groups[self.other_at % self.rds.groups.len()];
            self.other_at += 1;
            other
        } else if self.sent.is_multiple_of(2) {
            self.text_group().unwrap_or_else(|| self.name_group())
        } else {
            self.name_group()
        };
        let programme = u16::from(self.rds.tp) * TP + (u16::from(self.rds.pty) << 5);
        let b = (b & !(TP | 31 << 5)) | programme;
        [self.rds.pi, b, if b & TYPE_B != 0 { self.rds.pi } else { c }, d]
    }

    /// Blocks B, C and D of the next group 0.
    fn name_group(&mut self) -> [u16; 3] {
        let at = self.name_at;
        self.name_at = (at + 1) % NAME_GROUPS;
        if at == 0 {
            self.name = [b' '; NAME];
            self.name.iter_mut().zip(self.rds.ps.chars()).for_each(|(to, from)| *to = byte(from));
        }
        // The last of the four bits of DI says that there is stereo.
        let stereo = if at + 1 == NAME_GROUPS { DI } else { 0 };
        let flags = u16::from(self.rds.ta) * TA + u16::from(self.rds.music) * MUSIC + stereo;
        let b = self.type_flag() | flags | at as u16;
        let c = if self.rds.type_b { 0 } else { self.frequencies() };
        [b, c, u16::from_be_bytes([self.name[2 * at], self.name[2 * at + 1]])]
    }

    /// The next two codes of frequencies: their number and the first, then two at a time.
    fn frequencies(&mut self) -> u16 {
        let codes: Vec<u16> = self.rds.af_mhz.iter().map(|mhz| code(*mhz)).collect();
        let all: Vec<u16> = std::iter::once(FREQUENCIES + codes.len() as u16).chain(codes).collect();
        let at = 2 * self.pair_at;
        self.pair_at = (self.pair_at + 1) % all.len().div_ceil(2);
        all[at] << 8 | all.get(at + 1).copied().unwrap_or(NO_FREQUENCY)
    }

    /// Blocks B, C and D of the next group 2; none where there is no text.
    fn text_group(&mut self) -> Option<[u16; 3]> {
        let (characters, most) = if self.rds.type_b { (2, 32) } else { (4, 64) };
        if self.text_at * characters >= self.text.len() {
            self.text_at = 0;
        }
        if self.text_at == 0 {
            let mut text: Vec<u8> = self.rds.radiotext.chars().take(most).map(byte).collect();
            if text.is_empty() {
                self.text.clear();
                return None;
            }
            if text.len() < most {
                text.push(END_OF_TEXT);
            }
            text.resize(text.len().next_multiple_of(characters), b' ');
            if text != self.text {
                self.flag = if self.text.is_empty() { self.flag } else { self.flag ^ 1 };
                self.text = text;
            }
        }
        let at = self.text_at;
        self.text_at += 1;
        let b = 2 << 12 | self.type_flag() | self.flag << 4 | at as u16;
        let pair = |n: usize| u16::from_be_bytes([self.text[n], self.text[n + 1]]);
        let n = characters * at;
        Some(if self.rds.type_b { [b, 0, pair(n)] } else { [b, pair(n), pair(n + 2)] })
    }

    fn type_flag(&self) -> u16 {
        if self.rds.type_b { TYPE_B } else { 0 }
    }

    fn next_bit(&mut self) -> u8 {
        if self.next == GROUP {
            let group = self.group();
            let is_type_b = group[1] & TYPE_B != 0;
            for (n, (bits, content)) in self.bits.chunks_exact_mut(BLOCK).zip(group).enumerate() {
                let offset = if n == 2 && is_type_b { OFFSET_C2 } else { OFFSETS[n] };
                let word = block(content, offset);
                bits.iter_mut().rev().enumerate().for_each(|(n, bit)| *bit = (word >> n & 1) as u8);
            }
            self.next = 0;
        }
        self.next += 1;
        self.bits[self.next - 1]
    }
}

/// The code of a frequency.
fn code(mhz: f32) -> u16 {
    ((mhz - 87.5) * 10.0).round().clamp(0.0, 1000.0) as u16
}

impl SyncBlock for RdsEncoder {
    type In = ();
    type Out = u8;
    const PARAMETERS: &'static [&'static str] = &["ps", "radiotext", "pty", "ta"];

    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        let text =
            || value.as_str().map(str::to_owned).ok_or_else(|| format!("{name} = {value}: expected text"));
        match name {
            "ps" => self.rds.ps = text()?,
            "radiotext" => self.rds.radiotext = text()?,
            "pty" => {
                let pty = value.as_u64().and_then(|pty| u8::try_from(pty).ok()).filter(|pty| *pty < 32);
                self.rds.pty = pty.ok_or_else(|| format!("pty = {value}: expected 0 to 31"))?;
            }
            "ta" => match value {
                Value::Bool(ta) => self.rds.ta = *ta,
                _ => return Err(format!("ta = {value}: expected true or false").into()),
            },
            _ => return Err(no_parameter(name, Self::PARAMETERS)),
        }
        Ok(())
    }

    fn parameter(&self, name: &str) -> Option<Value> {
        match name {
            "ps" => Some(self.rds.ps.as_str().into()),
            "radiotext" => Some(self.rds.radiotext.as_str().into()),
            "pty" => Some(u64::from(self.rds.pty).into()),
            "ta" => Some(self.rds.ta.into()),
            _ => None,
        }
    }

    fn process(&mut self, _: (), y: &mut [u8]) {
        y.iter_mut().for_each(|y| *y = self.next_bit());
    }
}

/// Reads groups that are written as text.
enum Groups {}

impl Reads<Vec<[u16; 3]>> for Groups {
    const KIND: Kind = Kind::Text;

    fn read(params: &Params, name: &'static str) -> Result<Vec<[u16; 3]>, BlockError> {
        Ok(groups(params.text(name))?)
    }
    fn change(_: &'static str, value: &Value) -> Result<Vec<[u16; 3]>, BlockError> {
        Ok(groups(value.as_str().unwrap_or_default())?)
    }
    fn say(groups: &Vec<[u16; 3]>) -> Value {
        let group = |[b, c, d]: &[u16; 3]| format!("{b:04x} {c:04x} {d:04x}");
        groups.iter().map(group).collect::<Vec<_>>().join(", ").into()
    }
}

fn groups(text: &str) -> Result<Vec<[u16; 3]>, Error> {
    let wrong = |got: &str| Error::WrongKind {
        parameter: "groups",
        wanted: "groups such as \"3016 0000 cd46\", with commas between",
        got: got.to_owned(),
    };
    let group = |group: &str| {
        let blocks: Option<Vec<u16>> =
            group.split_whitespace().map(|block| u16::from_str_radix(block, 16).ok()).collect();
        blocks.and_then(|blocks| blocks.try_into().ok()).ok_or_else(|| wrong(group))
    };
    text.split(',').filter(|group| !group.trim().is_empty()).map(group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_those_of_the_standard() {
        let rds = Rds { pi: 0x1234, ps: "ABCDEFGH".into(), tp: true, pty: 10, ..Rds::default() };
        let mut encoder = RdsEncoder::new(Rds { af_mhz: vec![87.6, 107.9], ..rds }).unwrap();
        // 0A, TP, PTY 10, music; then two frequencies, 1 and 204.
        assert_eq!(encoder.group(), [0x1234, 0x0548, 0xe201, 0x4142]);
        assert_eq!(encoder.group(), [0x1234, 0x0549, 0xcccd, 0x4344]);
        assert_eq!((2..4).map(|_| encoder.group()[1]).collect::<Vec<_>>(), [0x054a, 0x054f]);
    }

    #[test]
    fn a_new_text_has_another_flag() {
        let mut encoder = RdsEncoder::new(Rds { radiotext: "one".into(), ..Rds::default() }).unwrap();
        let text =
            |encoder: &mut RdsEncoder| (0..2).map(|_| encoder.group()).find(|group| group[1] >> 12 == 2);
        assert_eq!(text(&mut encoder).unwrap(), [0, 0x2000, 0x6f6e, 0x650d]);
        encoder.set_parameter("radiotext", &"two".into()).unwrap();
        assert_eq!(text(&mut encoder).unwrap(), [0, 0x2010, 0x7477, 0x6f0d]);
        encoder.set_parameter("radiotext", &"".into()).unwrap();
        assert_eq!(text(&mut encoder), None);
        assert!(encoder.set_parameter("pty", &32.into()).is_err());
    }

    #[test]
    fn settings_out_of_range_are_refused() {
        for wrong in [
            Rds { pty: 32, ..Rds::default() },
            Rds { af_mhz: vec![87.5], ..Rds::default() },
            Rds { af_mhz: vec![100.0; 26], ..Rds::default() },
            Rds { clock_s: Some(f64::NAN), ..Rds::default() },
        ] {
            assert!(RdsEncoder::new(wrong).is_err());
        }
        assert_eq!(
            groups("3016 0 cd46, 1000 ffff 0000,").unwrap(),
            [[0x3016, 0, 0xcd46], [0x1000, 0xffff, 0]]
        );
        assert!(groups("3016 0").is_err() && groups("x y z").is_err());
    }
}
