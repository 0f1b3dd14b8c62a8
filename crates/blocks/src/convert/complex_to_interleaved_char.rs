//! Complex samples to signed bytes, real and imaginary parts in turn.

use superhet_runtime::AnyBlock;
use superhet_runtime::catalog::{Entry, input, output, set_port};

use super::interleaved::ComplexToInterleaved;
use super::scaled::scale;

/// How files and the command line find [`ComplexToInterleaved`] of `i8`.
pub const ENTRY: Entry = Entry {
    name: "complex_to_interleaved_char",
    category: "convert",
    summary: "Complex samples to signed bytes, real and imaginary parts in turn.",
    params: &[scale("128.0")],
    ports: &[
        input("in", "C32", "full scale = 1.0"),
        output("out", "i8", "codes, real and imaginary parts in turn: 2 · n items for n"),
        set_port("new values of scale"),
    ],
    make: |params| Ok(AnyBlock::new(ComplexToInterleaved::<i8>::new(params.float("scale"))?)),
};
