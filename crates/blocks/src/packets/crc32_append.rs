//! Puts a checksum of 32 bits behind each packet.

use superhet_runtime::catalog::{Entry, input, output};
use superhet_runtime::{AnyBlock, PacketBlock};

use super::LENGTH_TAG;
use super::crc::{ALGORITHM_32, BYTE_ORDER_32, append};

/// How files and the command line find [`CrcAppend`](super::CrcAppend) on streams.
pub const ENTRY: Entry = Entry {
    name: "crc32_append",
    category: "packets",
    summary: "Puts a checksum of 32 bits behind each packet.",
    params: &[ALGORITHM_32, BYTE_ORDER_32, LENGTH_TAG],
    ports: &[input("in", "u8", "packets, in a stream"), output("out", "u8", "packets with a checksum")],
    make: |params| Ok(AnyBlock::new(append(params).tagged(params.text("length_tag")))),
};

/// How files and the command line find [`CrcAppend`](super::CrcAppend) on messages.
pub const ENTRY_PDU: Entry = Entry {
    name: "crc32_append_pdu",
    category: "packets",
    summary: "Puts a checksum of 32 bits behind each packet.",
    params: &[ALGORITHM_32, BYTE_ORDER_32],
    ports: &[input("in", "messages", "packets of u8"), output("out", "messages", "packets with a checksum")],
    make: |params| Ok(AnyBlock::new(append(params).messages())),
};
