//! A header for each packet.

use std::sync::Arc;

use superhet_runtime::{AnyBlock, BlockError, Packet, declare, packet::PacketBlock};

use crate::digital::framing::packet_header::{HeaderFields, PacketHeader, header_of};

/// Gives the header of each packet in place of it: its length, and its number, counted from 0.
///
/// Where the metadata has an entry `number_tag`, that is the number, and the next ones follow it.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `u8` | packets of fewer than 4096 items |
/// | out `out` | `u8` | headers as [`PacketHeader`] says, each with the metadata |
///
/// # Errors
/// At run time: a packet of 4096 items or more.
///
/// ```
/// use superhet_blocks::digital::{PacketHeader, PacketHeaderGenerator};
/// use superhet_runtime::{Packet, packet::PacketBlock};
///
/// let mut headers = PacketHeaderGenerator::new(PacketHeader::new(32, 1)?, "packet_num");
/// let header = headers.packet(Packet::from_items(&[0; 5]))?.unwrap();
/// assert_eq!(header.items()[..4], [1, 0, 1, 0]);
/// # Ok::<(), superhet_runtime::BlockError>(())
/// ```
#[derive(Clone, Debug)]
pub struct PacketHeaderGenerator {
    header: PacketHeader,
    number_tag: Arc<str>,
    number: u32,
}

impl PacketHeaderGenerator {
    /// Gives such headers.
    pub fn new(header: PacketHeader, number_tag: impl Into<Arc<str>>) -> Self {
        PacketHeaderGenerator { header, number_tag: number_tag.into(), number: 0 }
    }
}

impl PacketBlock for PacketHeaderGenerator {
    type In = u8;
    type Out = u8;

    fn packet(&mut self, x: Packet<u8>) -> Result<Option<Packet<u8>>, BlockError> {
        if x.len() > 0xfff {
            return Err(format!("a packet of {} items: its header can say 4095 at most", x.len()).into());
        }
        if let Some(number) = x.get(&self.number_tag).and_then(|number| number.as_u64()) {
            self.number = (number & 0xfff) as u32;
        }
        let items = self.header.write(HeaderFields { length: x.len() as u32, number: self.number });
        self.number = (self.number + 1) & 0xfff;
        let mut y = x.with_meta(items.len());
        y.items_mut().copy_from_slice(&items);
        Ok(Some(y))
    }
}

#[declare(
    category = "digital",
    summary = "Gives the header of each packet: its length, its number and a checksum.",
    ports(input("in", "u8", "packets in a stream"), output("out", "u8", "headers in a stream"))
)]
fn packet_headergenerator(
    /// How many items a header has.
    #[param(formerly = "header_len", unit = "items", range = 4..=65536, default = 32)]
    header_length: usize,
    /// How many bits an item of a header has.
    #[param(range = 1..=8, default = 1)]
    bits_per_item: u32,
    /// Whether bits of a header are flipped by a fixed sequence, so that long runs of one bit become rare.
    #[param(default = false)]
    scramble: bool,
    /// The key of the tag on the first item of each packet that says how many items it has.
    #[param(default = "packet_len")]
    length_tag: &str,
    /// The key of what says the number of a packet.
    #[param(default = "packet_num")]
    number_tag: &str,
) -> Result<AnyBlock, BlockError> {
    let header = header_of(header_length, bits_per_item, scramble)?;
    Ok(AnyBlock::new(PacketHeaderGenerator::new(header, number_tag).tagged(length_tag)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_counted_and_long_ones_refused() {
        let header = PacketHeader::new(32, 1).unwrap();
        let mut generator = PacketHeaderGenerator::new(header.clone(), "packet_num");
        let mut next =
            |packet: Packet<u8>| header.read(generator.packet(packet).unwrap().unwrap().items()).unwrap();
        assert_eq!(next(Packet::from_items(&[0; 4])), HeaderFields { length: 4, number: 0 });
        assert_eq!(next(Packet::from_items(&[0; 6])), HeaderFields { length: 6, number: 1 });
        let mut numbered = Packet::from_items(&[0; 1]);
        numbered.set("packet_num", 4095);
        assert_eq!(next(numbered).number, 4095);
        assert_eq!(next(Packet::from_items(&[0; 1])).number, 0);
        assert!(generator.packet(Packet::from_items(&[0; 4096])).is_err());
    }
}
