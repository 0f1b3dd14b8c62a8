//! A demodulated Mode S message and where in the stream it was.

use super::crc;
use super::error::AdsbError;
use super::field::Fields;

/// What the 24 parity bits say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parity {
    /// DF11, DF17 or DF18 without a remainder.
    Intact,
    /// DF11 whose remainder is the code, 1 to 79, of the interrogator it answers.
    Interrogator(u8),
    /// The remainder is the sender's address; it proves nothing until the address is known otherwise.
    Address,
    /// DF11, DF17 or DF18 with a remainder that is no interrogator code.
    Wrong,
}

/// A Mode S message of 56 or 112 bits.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    bytes: [u8; 14],
    /// Sample of the stream at which the preamble starts.
    pub index: u64,
    /// Mean power of the message's pulses, linear, full scale = 1.0.
    pub level: f32,
    /// The bit, counted from 0, that was wrong on air and is corrected in [`bytes`](Self::bytes).
    pub repaired_bit: Option<u8>,
    /// A second such bit.
    pub second_repaired_bit: Option<u8>,
    /// The sender's 24-bit address.
    pub address: u32,
    /// What the parity says.
    pub parity: Parity,
}

impl Frame {
    /// Takes the bytes of a message and works out its address and parity; index and level are 0.
    ///
    /// **Errors**: [`AdsbError::Length`] unless there are 7 bytes (DF0 to DF15) or 14 (DF16 and above).
    pub fn from_bytes(message: &[u8]) -> Result<Self, AdsbError> {
        let wrong_length = AdsbError::Length { got: message.len() };
        let Some(first) = message.first() else { return Err(wrong_length) };
        if message.len() != length_of(first >> 3) {
            return Err(wrong_length);
        }
        let mut bytes = [0; 14];
        bytes[..message.len()].copy_from_slice(message);
        let remainder = crc::remainder(message);
        let announced = u32::from_be_bytes([0, bytes[1], bytes[2], bytes[3]]);
        let (address, parity) = match (first >> 3, remainder) {
            (11 | 17 | 18, 0) => (announced, Parity::Intact),
            (11, 1..80) => (announced, Parity::Interrogator(remainder as u8)),
            (11 | 17 | 18, _) => (announced, Parity::Wrong),
            _ => (remainder, Parity::Address),
        };
        Ok(Self {
            bytes,
            index: 0,
            level: 0.0,
            repaired_bit: None,
            second_repaired_bit: None,
            address,
            parity,
        })
    }

    /// Takes a message in hexadecimal digits, upper or lower case.
    ///
    /// **Errors**: [`AdsbError::Hex`] for other characters or an odd number of digits, [`AdsbError::Length`].
    ///
    /// **Example**: `Frame::from_hex("5d4d20237a55a6")?.address == 0x4d2023`.
    pub fn from_hex(digits: &str) -> Result<Self, AdsbError> {
        let value = |digit: u8| char::from(digit).to_digit(16);
        let pair = |pair: &[u8]| match pair {
            [high, low] => Some((value(*high)? * 16 + value(*low)?) as u8),
            _ => None,
        };
        let bytes: Option<Vec<u8>> = digits.as_bytes().chunks(2).map(pair).collect();
        Self::from_bytes(&bytes.ok_or_else(|| AdsbError::Hex { got: digits.to_owned() })?)
    }

    /// The message, 7 or 14 bytes, first bit sent = most significant bit of the first byte.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..length_of(self.df())]
    }

    /// The message in lower-case hexadecimal digits.
    pub fn hex(&self) -> String {
        let digit = |value: u8| char::from(b"0123456789abcdef"[usize::from(value)]);
        self.bytes().iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
    }

    /// The downlink format: the first five bits, or 24 for every value from 24 to 31.
    pub fn df(&self) -> u8 {
        (self.bytes[0] >> 3).min(24)
    }

    /// The number of bits, 56 or 112.
    pub fn bits(&self) -> usize {
        self.bytes().len() * 8
    }

    /// Samples from the start of the preamble to the end of the last bit, rounded up, at `rate_hz`.
    pub fn duration_samples(&self, rate_hz: f64) -> u64 {
        ((8 + self.bits()) as f64 * rate_hz / 1e6).ceil() as u64
    }

    /// Whether the parity does not contradict the message; for overlaid addresses that alone is no proof.
    pub fn crc_ok(&self) -> bool {
        self.parity != Parity::Wrong
    }

    /// What is known without decoding: `hex`, `sample_index`, `level_dbfs`, and when repaired `repaired_bit` and
    /// `second_repaired_bit`.
    pub fn fields(&self) -> Fields {
        let level = if self.level.is_finite() { self.level.max(1e-12) } else { 1e-12 };
        let level_dbfs = 10.0 * f64::from(level).log10();
        let mut fields = vec![
            ("hex", self.hex().into()),
            ("sample_index", i64::try_from(self.index).unwrap_or(i64::MAX).into()),
            ("level_dbfs", ((level_dbfs * 10.0).round() / 10.0).into()),
        ];
        super::field::push_some(&mut fields, "repaired_bit", self.repaired_bit);
        super::field::push_some(&mut fields, "second_repaired_bit", self.second_repaired_bit);
        fields
    }

    /// `len` bits from bit `first` (0 = first bit sent), at most 32; bits after the end of the message are 0.
    pub(super) fn bits_at(&self, first: usize, len: usize) -> u32 {
        let mut word = [0; 16];
        word[..14].copy_from_slice(&self.bytes);
        let word = u128::from_be_bytes(word);
        (word << first >> (128 - len)) as u32
    }
}

/// Bytes of a message of this downlink format.
fn length_of(df: u8) -> usize {
    if df < 16 { 7 } else { 14 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_is_read_back_as_it_was_written() {
        for hex in ["8d4840d6202cc371c32ce0576098", "5d4d20237a55a6", "280010248c796b"] {
            assert_eq!(Frame::from_hex(hex).unwrap().hex(), hex);
        }
    }

    #[test]
    fn the_address_comes_from_its_field_or_from_the_parity() {
        let frame = Frame::from_hex("8D4840D6202CC371C32CE0576098").unwrap();
        assert_eq!((frame.address, frame.parity, frame.df()), (0x4840D6, Parity::Intact, 17));
        let frame = Frame::from_hex("280010248c796b").unwrap();
        assert_eq!((frame.address, frame.parity, frame.df()), (0x4D2023, Parity::Address, 5));
        let frame = Frame::from_hex("5f4d20232daf3c").unwrap();
        assert_eq!((frame.address, frame.parity, frame.df()), (0x4D2023, Parity::Interrogator(60), 11));
    }

    #[test]
    fn a_length_that_does_not_fit_the_format_is_refused() {
        assert_eq!(Frame::from_bytes(&[]), Err(AdsbError::Length { got: 0 }));
        assert_eq!(Frame::from_bytes(&[0x8D; 7]), Err(AdsbError::Length { got: 7 }));
        assert_eq!(Frame::from_bytes(&[0x5D; 14]), Err(AdsbError::Length { got: 14 }));
    }

    #[test]
    fn text_that_is_not_hexadecimal_is_refused() {
        for text in ["5d4d20237a55a", "5d4d20237a55ag", "5d4d20237a55é6"] {
            assert_eq!(Frame::from_hex(text), Err(AdsbError::Hex { got: text.into() }));
        }
        let error = Frame::from_hex("\u{1b}[2J\u{7f}").unwrap_err().to_string();
        assert_eq!(error, "`\\u{1b}[2J\\u{7f}` is not a message in hexadecimal digits");
    }

    #[test]
    fn bits_are_counted_from_the_first_one_sent() {
        let frame = Frame::from_hex("8D4840D6202CC371C32CE0576098").unwrap();
        assert_eq!(frame.bits_at(0, 5), 17);
        assert_eq!(frame.bits_at(8, 24), 0x4840D6);
        assert_eq!(frame.bits_at(88, 24), 0x576098);
    }
}
