//! A checksum by any cyclic code behind packets.

use crate::error::Error;
use superhet_runtime::{BlockError, Packet, declare, packet::PacketBlock};

use crate::digital::codes::crc::{Crc, CrcParameters};

/// Puts a checksum behind each packet; the first `skip` bytes of that do not count.
///
/// ```
/// use superhet_blocks::digital::{AppendCrc, Crc, CrcSettings};
/// use superhet_runtime::{Packet, packet::PacketBlock};
///
/// let settings = CrcSettings {
///     bits: 8,
///     polynomial: 7,
///     initial: 0,
///     final_xor: 0,
///     input_reflected: false,
///     result_reflected: false,
/// };
/// let mut append = AppendCrc::new(Crc::new(&settings)?, false, 0);
/// let packet = append.packet(Packet::from_items(b"123456789"))?.unwrap();
/// assert_eq!(packet.items(), b"123456789\xf4");
/// # Ok::<(), superhet_runtime::BlockError>(())
/// ```
#[derive(Clone, Debug)]
pub struct AppendCrc {
    crc: Crc,
    lowest_first: bool,
    skip: usize,
}

impl AppendCrc {
    /// Appends a checksum, its lowest byte first or its highest.
    pub fn new(crc: Crc, lowest_first: bool, skip: usize) -> Self {
        AppendCrc { crc, lowest_first, skip }
    }
}

impl PacketBlock for AppendCrc {
    type In = u8;
    type Out = u8;

    fn packet(&mut self, x: Packet<u8>) -> Result<Option<Packet<u8>>, BlockError> {
        let Some(data) = x.items().get(self.skip..) else { return Ok(None) };
        let sum = self.crc.bytes_of(data, self.lowest_first);
        let mut y = x.with_meta(x.len() + sum.len());
        let (bytes, place) = y.items_mut().split_at_mut(x.len());
        bytes.copy_from_slice(x.items());
        place.copy_from_slice(&sum);
        x.tags().iter().for_each(|tag| y.put_tag(tag.clone()));
        Ok(Some(y))
    }
}

#[declare(
    category = "digital",
    summary = "Puts a checksum by any cyclic code behind each packet.",
    through = AppendCrc::messages,
    ports(
        input("in", "messages", "packets of u8; those shorter than skip_header_bytes are dropped"),
        output("out", "messages", "packets with a checksum")
    )
)]
fn crc_append(#[param(group)] crc: CrcParameters) -> Result<AppendCrc, Error> {
    Ok(AppendCrc::new(crc.crc()?, crc.swap_endianness, crc.skip_header_bytes))
}
