//! Takes the checksum of 32 bits behind each packet off, if it is right.

use superhet_runtime::catalog::{Entry, input, output};
use superhet_runtime::{AnyBlock, PacketBlock};

use super::LENGTH_TAG;
use super::crc::{ALGORITHM_32, BYTE_ORDER_32, WHEN_BAD, check};

/// How files and the command line find [`CrcCheck`](super::CrcCheck) on streams.
pub const ENTRY: Entry = Entry {
    name: "crc32_check",
    category: "packets",
    summary: "Takes the checksum of 32 bits behind each packet off, if it is right.",
    params: &[ALGORITHM_32, BYTE_ORDER_32, WHEN_BAD, LENGTH_TAG],
    ports: &[
        input("in", "u8", "packets with a checksum, in a stream"),
        output("out", "u8", "packets without their checksum"),
    ],
    make: |params| Ok(AnyBlock::new(check(params).tagged(params.text("length_tag")))),
};

/// How files and the command line find [`CrcCheck`](super::CrcCheck) on messages.
pub const ENTRY_PDU: Entry = Entry {
    name: "crc32_check_pdu",
    category: "packets",
    summary: "Takes the checksum of 32 bits behind each packet off, if it is right.",
    params: &[ALGORITHM_32, BYTE_ORDER_32, WHEN_BAD],
    ports: &[
        input("in", "messages", "packets with a checksum of u8"),
        output("out", "messages", "packets without their checksum"),
    ],
    make: |params| Ok(AnyBlock::new(check(params).messages())),
};
