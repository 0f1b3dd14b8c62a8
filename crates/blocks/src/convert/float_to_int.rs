//! Real samples to signed 32-bit integers.

use superhet_runtime::AnyBlock;
use superhet_runtime::catalog::{Entry, input, output, set_port};

use super::scaled::{FromFloat, scale};

/// How files and the command line find [`FromFloat`] of `i32`.
pub const ENTRY: Entry = Entry {
    name: "float_to_int",
    category: "convert",
    summary: "Real samples to signed 32-bit integers: y[n] = scale · x[n].",
    params: &[scale("2147483648.0")],
    ports: &[
        input("in", "f32", "full scale = 1.0"),
        output("out", "i32", "codes, rounded half to even, saturated"),
        set_port("new values of scale"),
    ],
    make: |params| Ok(AnyBlock::new(FromFloat::<i32>::new(params.float("scale"))?)),
};
