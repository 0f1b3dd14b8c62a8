//! A word that marks where data begins, searched for bit by bit, or at 64 places at once.

use superhet_kernels::{Machine, Routine, run_routine};

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

impl AccessCode {
    /// As [`next`](Self::next) of each item: `found` gets the places where words end, in order, and how many bits are wrong.
    pub(crate) fn find<T: BitItem>(&mut self, items: &[T], mut found: impl FnMut(usize, u32)) {
        let begin = self.missing.min(items.len());
        let mut one_by_one = |code: &mut Self, places: std::ops::Range<usize>| {
            for place in places {
                if let Some(wrong) = code.next(items[place].bit()) {
                    found(place, wrong);
                }
            }
        };
        one_by_one(self, 0..begin);
        let mut first = begin;
        while let Some(items) = items[first..].first_chunk::<PLACES>() {
            let (bits, least) = run_routine(Search { code: self, items });
            if least <= self.most_wrong {
                one_by_one(self, first..first + PLACES);
            }
            self.bits = bits;
            first += PLACES;
        }
        one_by_one(self, first..items.len());
    }
}

/// Places that a word is searched for at once.
const PLACES: usize = 64;

/// The fewest wrong bits of the words that end with any of the items; returns the items as bits, the first highest, and that.
struct Search<'a, T> {
    code: &'a AccessCode,
    items: &'a [T; PLACES],
}

impl<T: BitItem> Routine for Search<'_, T> {
    type Output = (u64, u32);

    #[inline(always)]
    fn run<M: Machine>(self) -> (u64, u32) {
        let Search { code, items } = self;
        let bits = items.map(BitItem::bit);
        let mut word = 0;
        for eight in bits.as_chunks::<8>().0 {
            // Bit 8 k of the first factor comes to 63 − k by one bit of the second, and no two products meet above 55.
            let eight = u64::from_le_bytes(*eight).wrapping_mul(0x8040_2010_0804_0201) >> 56;
            word = word << 8 | eight;
        }
        let mut wrong = [0; PLACES];
        for (place, wrong) in wrong.iter_mut().enumerate() {
            let before = code.bits << place << 1;
            let there = word >> (PLACES - 1 - place);
            *wrong = ((before | there) ^ code.code) & code.mask;
        }
        // Bits that are set, counted in pairs, fours and bytes.
        let mut least = u64::MAX;
        for wrong in wrong {
            let pairs = wrong - (wrong >> 1 & 0x5555_5555_5555_5555);
            let fours = (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333);
            let bytes = (fours + (fours >> 4)) & 0x0f0f_0f0f_0f0f_0f0f;
            let sum = bytes + (bytes >> 32);
            let sum = sum + (sum >> 16);
            let sum = (sum + (sum >> 8)) & 0xff;
            least = if sum < least { sum } else { least };
        }
        (word, least as u32)
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
    fn words_are_found_in_many_items_as_bit_by_bit() {
        let items: Vec<u8> = crate::testing::noise(2000).iter().map(|x| u8::from(*x > 0.0)).collect();
        for (word, threshold) in
            [("1011", 0), ("1", 0), (&"10110".repeat(12)[..], 20), (&"01".repeat(32), 27)]
        {
            let code = AccessCode::new(word, threshold).unwrap();
            let mut one_by_one = code.clone();
            let wanted = items.iter().enumerate().filter_map(|(n, bit)| Some((n, one_by_one.next(*bit)?)));
            let wanted: Vec<(usize, u32)> = wanted.collect();
            assert!(!wanted.is_empty() && wanted.len() < items.len(), "{word}");
            for cut in [0, 1, 63, 64, 1000] {
                let (mut code, mut got) = (code.clone(), Vec::new());
                code.find(&items[..cut], |place, wrong| got.push((place, wrong)));
                code.find(&items[cut..], |place, wrong| got.push((cut + place, wrong)));
                assert_eq!(got, wanted, "{word}, {cut}");
            }
        }
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
