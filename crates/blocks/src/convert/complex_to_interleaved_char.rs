//! Complex samples to signed bytes, real and imaginary parts in turn.

use superhet_runtime::{AnyBlock, BlockError, declare};

use super::interleaved::ComplexToInterleaved;

#[declare(
    category = "convert",
    summary = "Complex samples to signed bytes, real and imaginary parts in turn.",
    ports(
        input("in", "C32", "full scale = 1.0"),
        output("out", "i8", "codes, real and imaginary parts in turn: 2 · n items for n"),
        set_port("new values of scale")
    )
)]
fn complex_to_interleaved_char(
    /// The code for 1.0, not 0.
    #[param(default = 128.0)]
    scale: f64,
) -> Result<AnyBlock, BlockError> {
    Ok(AnyBlock::new(ComplexToInterleaved::<i8>::new(scale)?))
}
