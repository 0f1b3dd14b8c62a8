//! Encoding of NRZI, by name.

use superhet_runtime::AnyBlock;
use superhet_runtime::catalog::{Entry, input, output};

use crate::digital::codes::nrzi_decode::{CHANGE, coding};
use crate::digital::constellations::DiffEncoder;

/// How files and the command line find a [`DiffEncoder`] of NRZI.
pub const ENTRY: Entry = Entry {
    name: "nrzi_encode",
    category: "digital",
    summary: "Encodes NRZI: the level changes with each zero, or with each one.",
    params: &[CHANGE],
    ports: &[input("in", "u8", "a bit each, the lowest"), output("out", "u8", "levels, 0 or 1")],
    make: |params| Ok(AnyBlock::new(DiffEncoder::new(2, coding(params))?)),
};
