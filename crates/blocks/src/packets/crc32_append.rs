//! Puts a checksum of 32 bits behind each packet.

use superhet_runtime::{AnyBlock, declare, packet::PacketBlock};

use super::crc::{Checksum32, CrcAppend};

#[declare(
    category = "packets",
    summary = "Puts a checksum of 32 bits behind each packet.",
    ports(input("in", "u8", "packets, in a stream"), output("out", "u8", "packets with a checksum"))
)]
fn crc32_append(
    #[param(group)] checksum: Checksum32,
    /// The key of the tag on the first item of each packet that says how many items it has.
    #[param(default = "packet_len")]
    length_tag: &str,
) -> AnyBlock {
    AnyBlock::new(CrcAppend::new(checksum.into()).tagged(length_tag))
}

#[declare(
    category = "packets",
    summary = "Puts a checksum of 32 bits behind each packet.",
    entry = ENTRY_PDU,
    through = CrcAppend::messages,
    ports(input("in", "messages", "packets of u8"), output("out", "messages", "packets with a checksum"))
)]
fn crc32_append_pdu(#[param(group)] checksum: Checksum32) -> CrcAppend {
    CrcAppend::new(checksum.into())
}
