//! Signed 16-bit integers, real and imaginary parts in turn, to complex samples.

use superhet_runtime::AnyBlock;
use superhet_runtime::catalog::{Entry, input, output, set_port};

use super::interleaved::{InterleavedToComplex, SWAP};
use super::scaled::scale;

/// How files and the command line find [`InterleavedToComplex`] of `i16`.
pub const ENTRY: Entry = Entry {
    name: "interleaved_short_to_complex",
    category: "convert",
    summary: "Signed 16-bit integers, real and imaginary parts in turn, to complex samples.",
    params: &[scale("32768.0"), SWAP],
    ports: &[
        input("in", "i16", "codes, real and imaginary parts in turn"),
        output("out", "C32", "full scale = 1.0: ⌊n / 2⌋ items for n"),
        set_port("new values of scale and swap"),
    ],
    make: |params| {
        Ok(AnyBlock::new(InterleavedToComplex::<i16>::new(params.float("scale"), params.flag("swap"))?))
    },
};
