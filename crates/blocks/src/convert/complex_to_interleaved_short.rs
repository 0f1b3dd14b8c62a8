//! Complex samples to signed 16-bit integers, real and imaginary parts in turn.

use superhet_runtime::AnyBlock;
use superhet_runtime::catalog::{Entry, input, output, set_port};

use super::interleaved::ComplexToInterleaved;
use super::scaled::scale;

/// How files and the command line find [`ComplexToInterleaved`] of `i16`.
pub const ENTRY: Entry = Entry {
    name: "complex_to_interleaved_short",
    category: "convert",
    summary: "Complex samples to signed 16-bit integers, real and imaginary parts in turn.",
    params: &[scale("32768.0")],
    ports: &[
        input("in", "C32", "full scale = 1.0"),
        output("out", "i16", "codes, real and imaginary parts in turn: 2 · n items for n"),
        set_port("new values of scale"),
    ],
    make: |params| Ok(AnyBlock::new(ComplexToInterleaved::<i16>::new(params.float("scale"))?)),
};
