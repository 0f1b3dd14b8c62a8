//! Context: what the samples of a stream are.

use super::{Class, DIFI, Words};
use crate::format::{Endian, Number, SampleFormat, Shape};

/// What the context packets of a stream have said; each says what it knows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ContextFields {
    pub bandwidth_hz: Option<f64>,
    /// What 0 Hz of the samples is on the air, where the packet says it.
    pub center_hz: Option<f64>,
    /// All stages together.
    pub gain_db: Option<f64>,
    pub rate_hz: Option<f64>,
    /// How samples are stored; `Err` is a format that is not read here.
    pub format: Option<Result<SampleFormat, u64>>,
}

/// The bits of the first indicator field of what DIFI always sends, in the order of the fields.
const DIFI_FIELDS: u32 = 0x7bb9_8000;
/// The bit that says that something has changed.
const CHANGED: u32 = 1 << 31;
/// How many words the field of a bit has, for bits 30 down to 11; those of lower ones have any length.
const WORDS: [usize; 20] = [1, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 1, 1, 2, 1, 2, 11, 11, 13, 13];
/// The reference point of DIFI.
const REFERENCE_POINT: u32 = 0x64;
/// That the time is calibrated, the data are valid, and the clock has its reference: enabled, and so.
const STATE: u32 = 0xa000_0000;
/// Parts of a hertz, and of a decibel.
const HZ: f64 = (1u64 << 20) as f64;
const DB: f64 = 128.0;

impl ContextFields {
    /// What the body of a context packet says.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(body: &[u8]) -> Result<Self, String> {
        let mut words = Words(body);
        let indicators = words.word()?;
        // Further indicator fields stand behind the first.
        for bit in [1, 2, 3, 7] {
            if indicators >> bit & 1 == 1 {
                words.word()?;
            }
        }
        let mut context = ContextFields::default();
        let (mut if_hz, mut rf_hz) = (0.0, None);
        for (bit, length) in (11..=30).rev().zip(WORDS) {
            if indicators >> bit & 1 == 0 {
                continue;
            }
            let value = match length {
                1 => u64::from(words.word()?),
                2 => words.long()?,
                _ => {
                    for _ in 0..length {
                        words.word()?;
                    }
                    continue;
                }
            };
            let hz = value.cast_signed() as f64 / HZ;
            match bit {
                29 => context.bandwidth_hz = Some(hz),
                28 => if_hz = hz,
                27 => rf_hz = Some(hz),
                23 => {
                    let stage = |shift: u32| f64::from((value >> shift) as u16 as i16) / DB;
                    context.gain_db = Some(stage(0) + stage(16));
                }
                21 if hz > 0.0 => context.rate_hz = Some(hz),
                15 => context.format = Some(format_of(value)),
                _ => {}
            }
        }
        context.center_hz = rf_hz.map(|rf_hz| rf_hz - if_hz);
        Ok(context)
    }

    /// The body of a context packet of DIFI; what is not known is 0.
    pub fn difi(&self, has_changed: bool) -> Vec<u8> {
        let hz = |hz: Option<f64>| ((hz.unwrap_or(0.0) * HZ).round() as i64).to_be_bytes();
        let gain = (self.gain_db.unwrap_or(0.0) * DB).round() as i16;
        let mut body = Vec::with_capacity(80);
        body.extend((DIFI_FIELDS | if has_changed { CHANGED } else { 0 }).to_be_bytes());
        body.extend(REFERENCE_POINT.to_be_bytes());
        body.extend(hz(self.bandwidth_hz));
        body.extend(hz(None));
        body.extend(hz(self.center_hz));
        body.extend(hz(None));
        // The level of full scale is not known.
        body.extend([0; 4]);
        body.extend([0; 2]);
        body.extend(gain.to_be_bytes());
        body.extend(hz(self.rate_hz));
        // The time needs no adjustment, and was never calibrated.
        body.extend([0; 12]);
        body.extend(STATE.to_be_bytes());
        let format = self.format.and_then(Result::ok).map_or(0, format_word);
        body.extend(format.to_be_bytes());
        body
    }
}

/// The packet classes of DIFI.
pub(crate) const DATA_CLASS: Class = Class { oui: DIFI, information: 0, packet: 0 };
pub(crate) const CONTEXT_CLASS: Class = Class { oui: DIFI, information: 0, packet: 1 };
pub(crate) const VERSION_CLASS: Class = Class { oui: DIFI, information: 1, packet: 4 };

/// The body of a version packet of DIFI 1.1: VITA 49.2, of the first day of 2021, revision 1.
pub(crate) fn version(has_changed: bool) -> Vec<u8> {
    let (year, day, revision) = (21u32, 1u32, 1u32);
    let words =
        [2 | if has_changed { CHANGED } else { 0 }, 0x0000_000c, 4, year << 25 | day << 16 | revision << 10];
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

/// The number of a format in the field of the payload format.
const SIGNED: u64 = 0;
const FLOAT: u64 = 14;

/// The payload format: complex, packed without gaps, of one number after the other.
pub(crate) fn format_word(format: SampleFormat) -> u64 {
    let bits = format.number().bytes() as u64 * 8;
    let number = if format.number() == Number::F32 { FLOAT } else { SIGNED };
    (1 << 31 | 1 << 29 | number << 24 | (bits - 1) << 6 | (bits - 1)) << 32
}

/// The format that a payload format says; else the word again.
fn format_of(word: u64) -> Result<SampleFormat, u64> {
    let formats = [Number::I8, Number::I16, Number::F32];
    let formats = formats.map(|number| SampleFormat::new(Shape::Complex, number, Endian::Big));
    // How numbers are packed makes no difference to those that fill whole bytes, nor how fractions are read.
    let meaning = |word: u64| word >> 32 & 0x7fff_0fff;
    formats.into_iter().find(|format| meaning(format_word(*format)) == meaning(word)).ok_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_be_bytes()).collect()
    }

    fn format(number: Number) -> SampleFormat {
        SampleFormat::new(Shape::Complex, number, Endian::Big)
    }

    /// The body of a context packet of DIFI, field by field.
    const CONTEXT: [u32; 20] = [
        0xfbb9_8000, // what is there
        0x0000_0064, // reference point
        0x0000_01e8,
        0x4800_0000, // bandwidth: 2 MHz, in parts of 2⁻²⁰ Hz
        0,
        0, // IF
        0x0004_0f81,
        0x4800_0000, // RF: 1090 MHz
        0,
        0,           // band offset
        0,           // reference level
        0xff40_0a00, // gain: second stage -1.5 dB, first 20 dB
        0x0000_01e8,
        0x4800_0000, // rate: 2 MHz
        0,
        0, // adjustment
        0, // calibration
        0xa000_0000,
        0xa000_03cf,
        0,
    ];

    #[test]
    fn fields_are_read_as_the_tables_say() {
        let context = ContextFields::parse(&bytes(&CONTEXT)).unwrap();
        assert_eq!((context.rate_hz, context.bandwidth_hz), (Some(2e6), Some(2e6)));
        assert_eq!(context.center_hz, Some(1090e6));
        assert_eq!(context.gain_db, Some(18.5));
        assert_eq!(context.format, Some(Ok(format(Number::I16))));
    }

    #[test]
    fn what_is_written_is_read_again_and_has_the_words_of_difi() {
        let context = ContextFields {
            bandwidth_hz: Some(1.6e6),
            center_hz: Some(1090e6),
            gain_db: Some(-3.5),
            rate_hz: Some(2e6),
            format: Some(Ok(format(Number::I8))),
        };
        let body = context.difi(true);
        assert_eq!(body.len(), 80);
        assert_eq!(ContextFields::parse(&body), Ok(context));
        assert_eq!(body[..8], bytes(&[0xfbb9_8000, 0x64]));
        assert_eq!(body[72..], bytes(&[0xa000_01c7, 0]));
        assert_eq!(context.difi(false)[..4], bytes(&[0x7bb9_8000]));
        assert_eq!(version(true), bytes(&[0x8000_0002, 0xc, 4, 0x2a01_0400]));
    }

    #[test]
    fn formats_are_told_and_others_kept_as_they_are() {
        for (number, word) in
            [(Number::I8, 0xa000_01c7), (Number::I16, 0xa000_03cf), (Number::F32, 0xae00_07df)]
        {
            assert_eq!(format_word(format(number)) >> 32, word);
            assert_eq!(format_of(word << 32), Ok(format(number)));
            assert_eq!(format_of((word & !(1 << 31)) << 32), Ok(format(number)), "packed for processing");
        }
        // 12 bits, real samples, and with tags.
        for word in [0xa000_02cb_u64, 0x8000_03cf, 0xa001_03cf] {
            assert_eq!(format_of(word << 32), Err(word << 32));
        }
    }

    #[test]
    fn other_fields_are_passed_over_and_cut_ones_refused() {
        // A temperature, GPS, more indicators; then the format.
        let mut words = vec![1 << 18 | 1 << 14 | 1 << 15 | 1 << 1, 0, 7, 0xa000_01c7, 0];
        words.extend([0; 11]);
        let context = ContextFields::parse(&bytes(&words)).unwrap();
        assert_eq!(context.format, Some(Ok(format(Number::I8))));
        let whole = bytes(&words);
        for length in 0..whole.len() {
            assert!(ContextFields::parse(&whole[..length]).is_err(), "{length}");
        }
        let body = bytes(&CONTEXT);
        for length in 0..body.len() {
            assert!(ContextFields::parse(&body[..length]).is_err(), "{length}");
        }
        assert_eq!(ContextFields::parse(&[0; 4]), Ok(ContextFields::default()));
    }
}
