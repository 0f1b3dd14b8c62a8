//! Headers of packets: how long each is and which, and a checksum.

use crate::digital::codes::crc::{Crc, CrcSettings};
use crate::digital::codes::lfsr::Lfsr;
use crate::error::{Error, check};

/// What a header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeaderFields {
    /// How many items the packet has, below 4096.
    pub length: u32,
    /// Its number, below 4096.
    pub number: u32,
}

/// Headers of 32 bits: 12 of the length, 12 of the number, 8 of a checksum, the lowest bit of each first.
///
/// The checksum has the polynomial 0x07 and begins with 0xff; it is that of length and number, two bytes each, the lower first.
/// A header without room for 32 bits has the first of them: one of 12 says the length alone, and one of 24 has no checksum.
///
/// ```
/// use superhet_blocks::digital::{HeaderFields, PacketHeader};
///
/// let header = PacketHeader::new(32, 1)?;
/// let bits = header.write(HeaderFields { length: 4, number: 0 });
/// assert_eq!(bits[..4], [0, 0, 1, 0]);
/// assert_eq!(header.read(&bits), Some(HeaderFields { length: 4, number: 0 }));
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PacketHeader {
    length: usize,
    bits_per_item: u32,
    crc: Crc,
    /// Bits that are flipped in each item.
    flips: Vec<u8>,
}

/// Bits of a header, without padding.
const BITS: usize = 32;

impl PacketHeader {
    /// Headers of `length` items with so many bits each, the lowest first; zeros fill what is left.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless an item has 1 to 8 bits, and a header 1 to 65536 items.
    pub fn new(length: usize, bits_per_item: u32) -> Result<Self, Error> {
        check(
            (1..=8).contains(&bits_per_item),
            "bits_per_item",
            "a whole number from 1 to 8",
            bits_per_item,
        )?;
        let fits = (1..=65536).contains(&length);
        check(fits, "header_length", "a whole number from 1 to 65536", length as f64)?;
        let crc = Crc::new(&CrcSettings {
            bits: 8,
            polynomial: 0x07,
            initial: 0xff,
            final_xor: 0,
            input_reflected: false,
            result_reflected: false,
        })?;
        Ok(PacketHeader { length, bits_per_item, crc, flips: vec![0; length] })
    }

    /// The same with bits flipped by the sequence of a shift register of 7 bits with the mask 0x8a and the seed 0x6f, so that long
    /// runs of one bit become rare.
    #[must_use]
    pub fn scrambled(mut self) -> Self {
        // The numbers are fine.
        if let Ok(mut register) = Lfsr::new(0x8a, 0x6f, 7) {
            for flips in &mut self.flips {
                *flips = (0..self.bits_per_item).fold(0, |flips, bit| flips | register.next() << bit);
            }
        }
        self
    }

    /// How many items a header has.
    pub fn length(&self) -> usize {
        self.length
    }

    fn checksum(&self, length: u32, number: u32) -> u32 {
        let bytes = [length as u8, (length >> 8) as u8, number as u8, (number >> 8) as u8];
        self.crc.of(&bytes) as u32
    }

    /// The header of a packet; of its length and number the lower 12 bits.
    pub fn write(&self, fields: HeaderFields) -> Vec<u8> {
        let (length, number) = (fields.length & 0xfff, fields.number & 0xfff);
        let header = u64::from(length | number << 12 | self.checksum(length, number) << 24);
        let item = |place: usize| {
            let shift = place * self.bits_per_item as usize;
            let bits =
                if shift < BITS { (header >> shift) as u8 & (0xff >> (8 - self.bits_per_item)) } else { 0 };
            bits ^ self.flips[place]
        };
        (0..self.length).map(item).collect()
    }

    /// Whether a header has room for any bit of the number.
    pub fn has_number(&self) -> bool {
        self.length * self.bits_per_item as usize > 12
    }

    /// What a header says, if what it has of its checksum is right.
    pub fn read(&self, items: &[u8]) -> Option<HeaderFields> {
        let width = self.bits_per_item;
        let mask = u64::from(0xffu8 >> (8 - width));
        let used = BITS.div_ceil(width as usize).min(self.length);
        let items = items.get(..used)?.iter().zip(&self.flips).rev();
        let header = items.fold(0, |header, (item, flips)| header << width | u64::from(item ^ flips) & mask);
        let (length, number) = (header as u32 & 0xfff, (header >> 12) as u32 & 0xfff);
        let checked = (used * width as usize).min(BITS).saturating_sub(24);
        let differs = (self.checksum(length, number) ^ (header >> 24) as u32) & 0xff;
        let is_right = differs & ((1 << checked) - 1) == 0;
        is_right.then_some(HeaderFields { length, number })
    }
}

/// The header that such parameters say.
pub(super) fn header_of(length: usize, bits_per_item: u32, scramble: bool) -> Result<PacketHeader, Error> {
    let header = PacketHeader::new(length, bits_per_item)?;
    Ok(if scramble { header.scrambled() } else { header })
}

/// How OFDM frames carry packets: how many items, and how many symbols, a packet takes.
#[derive(Clone, Debug)]
pub struct OfdmFrames {
    bits_per_item: u64,
    carriers: Vec<u64>,
}

impl OfdmFrames {
    /// Items of so many bits, on so many carriers of one symbol after another, and then from the first on.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless an item has 1 to 64 bits and symbols have carriers.
    pub fn new(bits_per_item: u32, carriers: &[usize]) -> Result<Self, Error> {
        let range = "a whole number from 1 to 64";
        check((1..=64).contains(&bits_per_item), "payload_bits_per_item", range, bits_per_item)?;
        let all = carriers.iter().try_fold(0u64, |sum, carriers| sum.checked_add(*carriers as u64));
        let some = all.is_some_and(|all| (1..=1 << 32).contains(&all));
        check(some, "symbol_sizes", "a carrier at least, in all", all.unwrap_or(u64::MAX) as f64)?;
        let carriers = carriers.iter().map(|carriers| *carriers as u64).collect();
        Ok(OfdmFrames { bits_per_item: bits_per_item.into(), carriers })
    }

    /// How many items a packet of so many bytes has, and how many symbols those take.
    ///
    /// ```
    /// use superhet_blocks::digital::OfdmFrames;
    ///
    /// assert_eq!(OfdmFrames::new(2, &[20, 30])?.of(33), (132, 6));
    /// # Ok::<(), superhet_blocks::Error>(())
    /// ```
    pub fn of(&self, bytes: u32) -> (u64, u64) {
        let items = (8 * u64::from(bytes)).div_ceil(self.bits_per_item);
        let turn: u64 = self.carriers.iter().sum();
        let (turns, mut left) = (items / turn, items % turn);
        let mut symbols = turns * self.carriers.len() as u64;
        for carriers in &self.carriers {
            if left == 0 {
                break;
            }
            left = left.saturating_sub(*carriers);
            symbols += 1;
        }
        (items, symbols)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scrambled_headers_are_those_of_gnu_radio() {
        let fields = HeaderFields { length: 96, number: 0 };
        let digits =
            |header: &PacketHeader| header.write(fields).iter().map(u8::to_string).collect::<String>();
        let bits = PacketHeader::new(48, 1).unwrap().scrambled();
        assert_eq!(digits(&bits), "111100000110101011111100001100011100010100111101");
        let pairs = PacketHeader::new(50, 2).unwrap().scrambled();
        assert_eq!(digits(&pairs), "33002111333003023022033202301221313032223310010210");
        assert_eq!(pairs.read(&pairs.write(fields)), Some(fields));
        assert_eq!(PacketHeader::new(48, 1).unwrap().read(&bits.write(fields)), None);
    }

    #[test]
    fn frames_are_as_long_as_gnu_radio_says() {
        for (bits, carriers, bytes, wanted) in [
            (1, &[48][..], 96, (768, 16)),
            (2, &[48], 33, (132, 3)),
            (4, &[10, 30], 96, (192, 10)),
            (3, &[40], 10, (27, 1)),
            (1, &[32, 2], 5, (40, 3)),
            (1, &[32, 2], 0, (0, 0)),
        ] {
            assert_eq!(
                OfdmFrames::new(bits, carriers).unwrap().of(bytes),
                wanted,
                "{bits} bits on {carriers:?}"
            );
        }
        assert!(OfdmFrames::new(0, &[1]).is_err() && OfdmFrames::new(1, &[0]).is_err());
    }

    #[test]
    fn headers_are_those_of_gnu_radio() {
        let fields = HeaderFields { length: 6, number: 1 };
        let bits = PacketHeader::new(32, 1).unwrap().write(fields);
        let wanted =
            [0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 1];
        assert_eq!(bits, wanted);
        let pairs = PacketHeader::new(16, 2).unwrap().write(fields);
        assert_eq!(pairs, [2, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 3, 2]);
    }

    #[test]
    fn short_headers_have_the_first_bits_as_those_of_gnu_radio() {
        let fields = HeaderFields { length: 300, number: 2 };
        for (length, width, wanted, found) in [
            (8, 1, "00110100", (44, 0)),
            (12, 1, "001101001000", (300, 0)),
            (16, 1, "0011010010000100", (300, 2)),
            (28, 1, "0011010010000100000000000110", (300, 2)),
            (4, 2, "0320", (44, 0)),
        ] {
            let header = PacketHeader::new(length, width).unwrap();
            let items = header.write(fields);
            assert_eq!(items.iter().map(u8::to_string).collect::<String>(), wanted);
            assert_eq!(header.read(&items), Some(HeaderFields { length: found.0, number: found.1 }));
            assert_eq!(header.has_number(), length * width as usize > 12);
        }
        let header = PacketHeader::new(28, 1).unwrap();
        let mut items = header.write(fields);
        items[2] ^= 1;
        assert_eq!(header.read(&items), None);
    }

    #[test]
    fn what_was_written_is_read_and_a_wrong_bit_is_noticed() {
        for (length, width) in [(32, 1), (40, 1), (16, 2), (11, 3), (4, 8), (9, 8)] {
            let header = PacketHeader::new(length, width).unwrap();
            let fields = HeaderFields { length: 0xabc, number: 0x123 };
            let mut items = header.write(fields);
            assert_eq!((items.len(), header.read(&items)), (length, Some(fields)));
            items[1] ^= 1;
            assert_eq!(header.read(&items), None);
        }
        assert!(PacketHeader::new(0, 2).is_err() && PacketHeader::new(32, 9).is_err());
    }
}
