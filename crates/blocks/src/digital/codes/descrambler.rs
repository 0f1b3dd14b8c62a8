//! Takes off scrambling that synchronises itself.

use superhet_runtime::AnyBlock;
use superhet_runtime::catalog::{Entry, input, output};

use crate::digital::codes::lfsr::{LENGTH, Lfsr, MASK, SEED, self_synchronising};

self_synchronising! {
    Descrambler descramble descramble_eight
    /// Takes off what a [`Scrambler`](crate::digital::Scrambler) did, as soon as the register has filled: [`Lfsr::descramble`].
}

/// How files and the command line find [`Descrambler`].
pub const ENTRY: Entry = Entry {
    name: "descrambler",
    category: "digital",
    summary: "Takes off what a scrambler did.",
    params: &[MASK, SEED, LENGTH],
    ports: &[input("in", "u8", "a bit each, the lowest"), output("out", "u8", "0 or 1")],
    make: |params| {
        let (mask, seed) = (params.integer("mask") as u64, params.integer("seed") as u64);
        Ok(AnyBlock::new(Descrambler::new(Lfsr::new(mask, seed, params.count("length") as u32)?)))
    },
};
