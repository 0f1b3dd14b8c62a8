//! Complex samples to signed 16-bit integers, real and imaginary parts in turn.

use superhet_runtime::{AnyBlock, BlockError, declare};

use super::interleaved::ComplexToInterleaved;

#[declare(
    category = "convert",
    summary = "Complex samples to signed 16-bit integers, real and imaginary parts in turn.",
    ports(
        input("in", "C32", "full scale = 1.0"),
        output("out", "i16", "codes, real and imaginary parts in turn: 2 · n items for n"),
        set_port("new values of scale")
    )
)]
fn complex_to_interleaved_short(
    /// The code for 1.0, not 0.
    #[param(default = 32768.0)]
    scale: f64,
) -> Result<AnyBlock, BlockError> {
    Ok(AnyBlock::new(ComplexToInterleaved::<i16>::new(scale)?))
}
