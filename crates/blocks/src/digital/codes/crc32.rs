//! The checksum of Ethernet behind packets, or taken off again.

use superhet_runtime::{AnyBlock, BlockError, Packet, Tag, declare, packet::PacketBlock};

use crate::packets::{Algorithm, ByteOrder, Checksum};

/// Puts CRC-32 behind each packet, its lowest byte first; or, with `check`, takes it off, and drops packets where it is wrong.
///
/// A packet is bytes, or, not `packed`, bits, one an item: the lowest of each byte first, also those of the checksum. Bits that are no
/// whole bytes have the checksum that they have with zeros behind them. Tags on a checksum that is taken off move to the last item before it.
///
/// ```
/// use superhet_blocks::digital::Crc32;
/// use superhet_runtime::{Packet, packet::PacketBlock};
///
/// let long = Crc32::new(false, true).packet(Packet::from_items(b"123456789"))?.unwrap();
/// assert_eq!(long.items(), b"123456789\x26\x39\xf4\xcb");
/// assert_eq!(Crc32::new(true, true).packet(long)?.unwrap().items(), b"123456789");
/// # Ok::<(), superhet_runtime::BlockError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Crc32 {
    checksum: Checksum,
    check: bool,
    packed: bool,
}

impl Crc32 {
    /// Appends or checks.
    pub fn new(check: bool, packed: bool) -> Self {
        Crc32 { checksum: Checksum::new(Algorithm::Crc32IsoHdlc, ByteOrder::Little), check, packed }
    }

    fn sum(&self, items: &[u8]) -> Vec<u8> {
        if self.packed {
            return self.checksum.of(items).to_le_bytes().to_vec();
        }
        let byte = |bits: &[u8]| bits.iter().rev().fold(0, |byte, bit| byte << 1 | bit & 1);
        let bytes: Vec<u8> = items.chunks(8).map(byte).collect();
        let sum = self.checksum.of(&bytes);
        (0..32).map(|place| (sum >> place & 1) as u8).collect()
    }
}

impl PacketBlock for Crc32 {
    type In = u8;
    type Out = u8;

    fn packet(&mut self, mut x: Packet<u8>) -> Result<Option<Packet<u8>>, BlockError> {
        let width = if self.packed { 4 } else { 32 };
        if self.check {
            let Some(n) = x.len().checked_sub(width) else { return Ok(None) };
            let (data, sum) = x.items().split_at(n);
            if self.sum(data) != sum {
                return Ok(None);
            }
            let on_the_sum: Vec<Tag> = x.tags().iter().filter(|tag| tag.index >= n as u64).cloned().collect();
            x.truncate(n);
            if let Some(last) = n.checked_sub(1) {
                on_the_sum.into_iter().for_each(|tag| x.put_tag(Tag { index: last as u64, ..tag }));
            }
            return Ok(Some(x));
        }
        let mut y = x.with_meta(x.len() + width);
        let (data, sum) = y.items_mut().split_at_mut(x.len());
        data.copy_from_slice(x.items());
        sum.copy_from_slice(&self.sum(x.items()));
        x.tags().iter().for_each(|tag| y.put_tag(tag.clone()));
        Ok(Some(y))
    }
}

#[declare(
    category = "digital",
    summary = "Puts CRC-32 behind each packet, or takes it off where it is right.",
    ports(input("in", "u8", "packets in a stream"), output("out", "u8", "packets in a stream"))
)]
fn crc32(
    /// Whether the checksum is taken off where it is right, not appended.
    #[param(default = false)]
    check: bool,
    /// Whether an item is a byte, not a bit.
    #[param(default = true)]
    packed: bool,
    /// The key of the tag on the first item of each packet that says how many items it has.
    #[param(default = "packet_len")]
    length_tag: &str,
) -> AnyBlock {
    AnyBlock::new(Crc32::new(check, packed).tagged(length_tag))
}

#[declare(
    category = "digital",
    summary = "Puts CRC-32 behind each packet, or takes it off where it is right.",
    entry = ENTRY_PDU,
    ports(
        input("in", "messages", "packets of u8"),
        output("out", "messages", "packets of u8")
    )
)]
fn crc32_pdu(
    /// Whether the checksum is taken off where it is right, not appended.
    #[param(default = false)]
    check: bool,
    /// Whether an item is a byte, not a bit.
    #[param(default = true)]
    packed: bool,
) -> AnyBlock {
    AnyBlock::new(Crc32::new(check, packed).messages())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_come_back_and_wrong_ones_do_not() {
        let bits: Vec<u8> =
            b"123456789".iter().flat_map(|byte| (0..8).rev().map(move |n| byte >> n & 1)).collect();
        let long = Crc32::new(false, false).packet(Packet::from_items(&bits)).unwrap().unwrap();
        // Values of GNU Radio 3.10.5.
        let sum =
            [1, 1, 1, 1, 1, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0];
        assert_eq!(long.items()[72..], sum);
        let mut check = Crc32::new(true, false);
        assert_eq!(check.packet(long.clone()).unwrap().unwrap().items(), bits);
        let mut wrong = long;
        wrong.items_mut()[3] ^= 1;
        assert!(check.packet(wrong).unwrap().is_none());
        assert!(check.packet(Packet::from_items(&[1; 31])).unwrap().is_none());
        assert!(check.packet(Packet::from_items(&[1; 33])).unwrap().is_none());
    }

    #[test]
    fn bits_that_are_no_whole_bytes_have_the_sum_of_those_with_zeros_behind() {
        let bits = [1, 0, 1, 1, 0, 0, 1];
        let long = Crc32::new(false, false).packet(Packet::from_items(&bits)).unwrap().unwrap();
        let sum = long.items()[7..].iter().rev().fold(0u32, |sum, bit| sum << 1 | u32::from(*bit));
        assert_eq!(sum, Checksum::new(Algorithm::Crc32IsoHdlc, ByteOrder::Little).of(&[0x4d]));
        assert_eq!(Crc32::new(true, false).packet(long).unwrap().unwrap().items(), bits);
    }

    #[test]
    fn tags_on_the_checksum_move_to_the_last_item() {
        let mut long = Crc32::new(false, true).packet(Packet::from_items(b"12345678")).unwrap().unwrap();
        for (index, key) in [(2, "a"), (8, "first"), (11, "last")] {
            long.put_tag(Tag { index, key: key.into(), value: 1.into(), source: "".into() });
        }
        let short = Crc32::new(true, true).packet(long).unwrap().unwrap();
        let tags: Vec<_> = short.tags().iter().map(|tag| (tag.index, tag.key.to_string())).collect();
        assert_eq!(tags, [(2, "a".into()), (7, "first".into()), (7, "last".into())]);
    }
}
