//! Real samples to signed 32-bit integers.

use superhet_runtime::{AnyBlock, BlockError, declare};

use super::scaled::FromFloat;

#[declare(
    category = "convert",
    summary = "Real samples to signed 32-bit integers: y[n] = scale · x[n].",
    ports(
        input("in", "f32", "full scale = 1.0"),
        output("out", "i32", "codes, rounded half to even, saturated"),
        set_port("new values of scale")
    )
)]
fn float_to_int(
    /// The code for 1.0, not 0.
    #[param(default = 2147483648.0)]
    scale: f64,
) -> Result<AnyBlock, BlockError> {
    Ok(AnyBlock::new(FromFloat::<i32>::new(scale)?))
}
