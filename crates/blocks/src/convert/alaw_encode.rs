//! 16-bit samples to bytes by A-law.

use superhet_runtime::AnyBlock;
use superhet_runtime::catalog::{Entry, input, output};

use super::g711::{G711Encode, Law};

/// How files and the command line find [`G711Encode`] with A-law.
pub const ENTRY: Entry = Entry {
    name: "alaw_encode",
    category: "convert",
    summary: "16-bit samples to bytes by the A-law of G.711.",
    params: &[],
    ports: &[input("in", "i16", "full scale = 32768"), output("out", "u8", "codes")],
    make: |_| Ok(AnyBlock::new(G711Encode(Law::A))),
};
