//! A word that marks where data begins, searched for bit by bit.

use crate::error::{Error, check};

/// Looks for a word of up to 64 bits in a stream of bits, with some of them wrong at most.
///
/// ```
/// use superhet_blocks::digital::AccessCode;
///
/// let mut code = AccessCode::new("1011", 0)?;
/// let found: Vec<bool> = [0, 1, 0, 1, 1].iter().map(|bit| code.next(*bit).is_some()).collect();
/// assert_eq!(found, [false, false, false, false, true]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct AccessCode {
    code: u64,
    mask: u64,
    length: usize,
    most_wrong: u32,
    /// The last bits.
    bits: u64,
    /// How many bits there must still be before there can be a whole word.
    missing: usize,
}

impl AccessCode {
    /// Looks for the word that the digits 0 and 1 of `code` are, or the hexadecimal digits behind `0x`, with at most `threshold`
    /// wrong.
    ///
    /// # Errors
    /// [`Error::WrongKind`] unless these are 1 to 64 bits, [`Error::OutOfRange`] where `threshold` is beyond 64.
    pub fn new(code: &str, threshold: u32) -> Result<Self, Error> {
        let wrong = || Error::WrongKind {
            parameter: "access_code",
            wanted: "1 to 64 digits, each 0 or 1, or up to 16 hexadecimal ones behind 0x",
            got: code.chars().take(100).collect(),
        };
        if let Some(digits) = code.strip_prefix("0x") {
            let is_short = (1..=16).contains(&digits.len());
            let number =
                u64::from_str_radix(digits, 16).ok().filter(|_| is_short && !digits.starts_with('+'));
            let length = 4 * digits.len();
            let binary = format!("{:0length$b}", number.ok_or_else(wrong)?);
            return AccessCode::new(&binary, threshold);
        }
        if code.is_empty() || code.len() > 64 || !code.bytes().all(|digit| matches!(digit, b'0' | b'1')) {
            return Err(wrong());
        }
        check(threshold <= 64, "threshold", "a whole number from 0 to 64", threshold)?;
        let length = code.len();
        let mask = u64::MAX >> (64 - length);
        let code = code.bytes().fold(0, |bits, digit| bits << 1 | u64::from(digit & 1));
        Ok(AccessCode { code, mask, length, most_wrong: threshold, bits: 0, missing: length })
    }

    /// The same, as if zeros came before the first bit.
    #[must_use]
    pub fn behind_zeros(mut self) -> Self {
        (self.bits, self.missing) = (0, 0);
        self
    }

    /// Forgets the bits so far: the next word begins behind them.
    pub fn restart(&mut self) {
        self.missing = self.length;
    }

    /// As of the last [`next`](Self::next), for the word with all bits inverted.
    #[inline(always)]
    pub fn inverted(&self) -> Option<u32> {
        let wrong = (!(self.bits ^ self.code) & self.mask).count_ones();
        (wrong <= self.most_wrong && self.missing == 0).then_some(wrong)
    }

    /// The bits of the word, −1 for 0 and 1 for 1.
    pub fn signs(&self) -> Vec<f32> {
        (0..self.length).rev().map(|bit| if self.code >> bit & 1 == 1 { 1.0 } else { -1.0 }).collect()
    }

    /// How many bits the word has.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Takes the lowest bit of `bit`; how many bits are wrong, where the word ends with it.
    #[inline(always)]
    pub fn next(&mut self, bit: u8) -> Option<u32> {
        self.bits = self.bits << 1 | u64::from(bit & 1);
        self.missing = self.missing.saturating_sub(1);
        let wrong = ((self.bits ^ self.code) & self.mask).count_ones();
        (wrong <= self.most_wrong && self.missing == 0).then_some(wrong)
    }
}

/// Items that say bits.
pub trait BitItem: superhet_runtime::Item {
    /// The bit.
    fn bit(self) -> u8;
    /// As a soft bit: greater than 0 for a one.
    fn soft(self) -> f32;
}

impl BitItem for u8 {
    #[inline(always)]
    fn bit(self) -> u8 {
        self & 1
    }
    #[inline(always)]
    fn soft(self) -> f32 {
        f32::from(self & 1) * 2.0 - 1.0
    }
}

impl BitItem for f32 {
    #[inline(always)]
    fn bit(self) -> u8 {
        u8::from(self >= 0.0)
    }
    #[inline(always)]
    fn soft(self) -> f32 {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_with_as_many_wrong_bits_as_may_be() {
        let bits = [0, 0, 1, 0, 1, 1, 0, 1, 1, 1, 0, 0, 1, 0, 1, 1];
        let found = |threshold| -> Vec<(usize, u32)> {
            let mut code = AccessCode::new("1011", threshold).unwrap();
            let found = bits.iter().enumerate().filter_map(|(n, bit)| Some((n, code.next(*bit)?)));
            found.collect()
        };
        assert_eq!(found(0), [(5, 0), (8, 0), (15, 0)]);
        assert_eq!(found(1), [(5, 0), (8, 0), (12, 1), (15, 0)]);
    }

    #[test]
    fn what_is_no_word_is_refused() {
        for code in ["", "012", &"1".repeat(65), "ü"] {
            assert!(AccessCode::new(code, 0).is_err(), "{code}");
        }
        assert!(AccessCode::new(&"1".repeat(64), 65).is_err());
        assert!(AccessCode::new(&"1".repeat(64), 3).is_ok());
    }
}
