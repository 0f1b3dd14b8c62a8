//! Sequences that whiten packets: added to their bytes, or to their bits.

use crate::digital::codes::Lfsr;
use superhet_runtime::catalog::Choice;

/// A sequence that begins anew with each packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Whitening {
    /// None.
    None,
    /// `x⁹ + x⁵ + 1`, begun with ones, the lowest bit of each byte first.
    Pn9,
    /// `x⁸ + x⁷ + x⁵ + x³ + 1`, begun with ones, the highest bit of each byte first.
    Ccsds,
}

impl Whitening {
    /// Adds the sequence to bytes.
    ///
    /// # Source
    /// Texas Instruments, CC1101 data sheet, section 15.1; CCSDS 131.0-B, section 10.
    ///
    /// ```
    /// use superhet_blocks::digital::Whitening;
    /// let mut bytes = [0; 4];
    /// Whitening::Ccsds.apply(&mut bytes);
    /// assert_eq!(bytes, [0xff, 0x48, 0x0e, 0xc0]);
    /// ```
    pub fn apply(self, bytes: &mut [u8]) {
        let (mask, length, lowest_first) = match self {
            Whitening::None => return,
            Whitening::Pn9 => (1 << 5 | 1, 8, true),
            Whitening::Ccsds => (1 << 7 | 1 << 5 | 1 << 3 | 1, 7, false),
        };
        let Ok(mut register) = Lfsr::new(mask, (2 << length) - 1, length) else { return };
        for byte in bytes {
            let places = |place: u32| if lowest_first { place } else { 7 - place };
            *byte ^= (0..8).map(places).fold(0, |sum, place| sum | register.next() << place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequences_are_those_of_the_standards() {
        let sequence = |whitening: Whitening| {
            let mut bytes = [0; 16];
            whitening.apply(&mut bytes);
            bytes
        };
        let pn9 =
            [0xff, 0xe1, 0x1d, 0x9a, 0xed, 0x85, 0x33, 0x24, 0xea, 0x7a, 0xd2, 0x39, 0x70, 0x97, 0x57, 0x0a];
        assert_eq!(sequence(Whitening::Pn9), pn9);
        assert_eq!(
            sequence(Whitening::Ccsds)[..10],
            [0xff, 0x48, 0x0e, 0xc0, 0x9a, 0x0d, 0x70, 0xbc, 0x8e, 0x2c]
        );
        assert_eq!(sequence(Whitening::None), [0; 16]);
    }
}
