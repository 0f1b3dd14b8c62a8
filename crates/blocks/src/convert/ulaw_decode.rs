//! Bytes to 16-bit samples by µ-law.

use superhet_runtime::AnyBlock;
use superhet_runtime::catalog::{Entry, input, output};

use super::g711::{G711Decode, Law};

/// How files and the command line find [`G711Decode`] with µ-law.
pub const ENTRY: Entry = Entry {
    name: "ulaw_decode",
    category: "convert",
    summary: "Bytes to 16-bit samples by the µ-law of G.711.",
    params: &[],
    ports: &[input("in", "u8", "codes"), output("out", "i16", "full scale = 32768")],
    make: |_| Ok(AnyBlock::new(G711Decode(Law::Mu))),
};
