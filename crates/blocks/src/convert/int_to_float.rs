//! Signed 32-bit integers to real samples.

use superhet_runtime::{AnyBlock, BlockError, declare};

use super::scaled::ToFloat;

#[declare(
    category = "convert",
    summary = "Signed 32-bit integers to real samples: y[n] = x[n] / scale.",
    ports(
        input("in", "i32", "codes"),
        output("out", "f32", "full scale = 1.0"),
        set_port("new values of scale")
    )
)]
fn int_to_float(
    /// The code for 1.0, not 0.
    #[param(default = 2147483648.0)]
    scale: f64,
) -> Result<AnyBlock, BlockError> {
    Ok(AnyBlock::new(ToFloat::<i32>::new(scale)?))
}
