//! Signed 32-bit integers to real samples.

use superhet_runtime::AnyBlock;
use superhet_runtime::catalog::{Entry, input, output, set_port};

use super::scaled::{ToFloat, scale};

/// How files and the command line find [`ToFloat`] of `i32`.
pub const ENTRY: Entry = Entry {
    name: "int_to_float",
    category: "convert",
    summary: "Signed 32-bit integers to real samples: y[n] = x[n] / scale.",
    params: &[scale("2147483648.0")],
    ports: &[
        input("in", "i32", "codes"),
        output("out", "f32", "full scale = 1.0"),
        set_port("new values of scale"),
    ],
    make: |params| Ok(AnyBlock::new(ToFloat::<i32>::new(params.float("scale"))?)),
};
