//! Takes the checksum of 16 bits behind each packet off, if it is right.

use superhet_runtime::{AnyBlock, declare, packet::PacketBlock};

use super::crc::{Checksum16, CrcCheck, WhenBad};

#[declare(
    category = "packets",
    summary = "Takes the checksum of 16 bits behind each packet off, if it is right.",
    ports(
        input("in", "u8", "packets with a checksum, in a stream"),
        output("out", "u8", "packets without their checksum")
    )
)]
fn crc16_check(
    #[param(group)] checksum: Checksum16,
    /// Whether bad packets are dropped, pass with crc_ok = false in their metadata, or are an error.
    #[param(default = "drop")]
    when_bad: WhenBad,
    /// The key of the tag on the first item of each packet that says how many items it has.
    #[param(default = "packet_len")]
    length_tag: &str,
) -> AnyBlock {
    AnyBlock::new(CrcCheck::new(checksum.into(), when_bad).tagged(length_tag))
}

#[declare(
    category = "packets",
    summary = "Takes the checksum of 16 bits behind each packet off, if it is right.",
    entry = ENTRY_PDU,
    through = CrcCheck::messages,
    ports(
        input("in", "messages", "packets with a checksum of u8"),
        output("out", "messages", "packets without their checksum")
    )
)]
fn crc16_check_pdu(
    #[param(group)] checksum: Checksum16,
    /// Whether bad packets are dropped, pass with crc_ok = false in their metadata, or are an error.
    #[param(default = "drop")]
    when_bad: WhenBad,
) -> CrcCheck {
    CrcCheck::new(checksum.into(), when_bad)
}
