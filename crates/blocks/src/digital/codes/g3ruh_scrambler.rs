//! The scrambling of G3RUH modems.

use superhet_runtime::AnyBlock;
use superhet_runtime::catalog::{Entry, input, output};

use crate::digital::codes::Scrambler;
use crate::digital::codes::g3ruh_descrambler::register;

/// How files and the command line find a [`Scrambler`] of G3RUH's polynomial.
pub const ENTRY: Entry = Entry {
    name: "g3ruh_scrambler",
    category: "digital",
    summary: "Scrambles as G3RUH modems do, by 1 + x¹² + x¹⁷; bits come 17 later.",
    params: &[],
    ports: &[input("in", "u8", "a bit each, the lowest"), output("out", "u8", "0 or 1, scrambled")],
    make: |_| Ok(AnyBlock::new(Scrambler::new(register()?))),
};
