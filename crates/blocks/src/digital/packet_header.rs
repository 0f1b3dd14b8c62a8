//! Headers of packets: how long each is and which, and a checksum.

use superhet_runtime::catalog::{Kind, Param, optional};

use super::crc::{Crc, CrcSettings};
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
}

/// Bits of a header, without padding.
const BITS: usize = 32;

impl PacketHeader {
    /// Headers of `length` items with so many bits each, the lowest first; zeros fill what is left.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless an item has 1 to 8 bits and a header has place for 32, and at most 65536 items.
    pub fn new(length: usize, bits_per_item: u32) -> Result<Self, Error> {
        check(
            (1..=8).contains(&bits_per_item),
            "bits_per_item",
            "a whole number from 1 to 8",
            bits_per_item,
        )?;
        let fits = length <= 65536 && length * bits_per_item as usize >= BITS;
        check(fits, "header_len", "room for 32 bits, and at most 65536", length as f64)?;
        let crc = Crc::new(&CrcSettings {
            bits: 8,
            polynomial: 0x07,
            initial: 0xff,
            final_xor: 0,
            input_reflected: false,
            result_reflected: false,
        })?;
        Ok(PacketHeader { length, bits_per_item, crc })
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
            if shift < BITS { (header >> shift) as u8 & (0xff >> (8 - self.bits_per_item)) } else { 0 }
        };
        (0..self.length).map(item).collect()
    }

    /// What a header says, if its checksum is right.
    pub fn read(&self, items: &[u8]) -> Option<HeaderFields> {
        let width = self.bits_per_item;
        let mask = u64::from(0xffu8 >> (8 - width));
        let used = BITS.div_ceil(width as usize);
        let header =
            items.get(..used)?.iter().rev().fold(0, |header, item| header << width | u64::from(*item) & mask);
        let (length, number) = (header as u32 & 0xfff, (header >> 12) as u32 & 0xfff);
        let is_right = self.checksum(length, number) == (header >> 24) as u32 & 0xff;
        is_right.then_some(HeaderFields { length, number })
    }
}

/// The parameter `header_len`.
pub(super) const HEADER_LENGTH: Param =
    optional("header_len", Kind::Integer(4, 65536), "items", "32", "How many items a header has.");
/// The parameter `bits_per_item`.
pub(super) const BITS_PER_ITEM: Param =
    optional("bits_per_item", Kind::Integer(1, 8), "", "1", "How many bits an item of a header has.");
/// The parameter `number_tag`.
pub(super) const NUMBER_TAG: Param =
    optional("number_tag", Kind::Text, "", "\"packet_num\"", "The key of what says the number of a packet.");

#[cfg(test)]
mod tests {
    use super::*;

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
    fn what_was_written_is_read_and_a_wrong_bit_is_noticed() {
        for (length, width) in [(32, 1), (40, 1), (16, 2), (11, 3), (4, 8), (9, 8)] {
            let header = PacketHeader::new(length, width).unwrap();
            let fields = HeaderFields { length: 0xabc, number: 0x123 };
            let mut items = header.write(fields);
            assert_eq!((items.len(), header.read(&items)), (length, Some(fields)));
            items[1] ^= 1;
            assert_eq!(header.read(&items), None);
        }
        assert!(PacketHeader::new(15, 2).is_err() && PacketHeader::new(32, 9).is_err());
    }
}
