//! Signed 16-bit integers, real and imaginary parts in turn, to complex samples.

use superhet_runtime::{AnyBlock, BlockError, declare};

use super::interleaved::InterleavedToComplex;

#[declare(
    category = "convert",
    summary = "Signed 16-bit integers, real and imaginary parts in turn, to complex samples.",
    ports(
        input("in", "i16", "codes, real and imaginary parts in turn"),
        output("out", "C32", "full scale = 1.0: ⌊n / 2⌋ items for n"),
        set_port("new values of scale and swap")
    )
)]
fn interleaved_short_to_complex(
    /// The code for 1.0, not 0.
    #[param(default = 32768.0)]
    scale: f64,
    /// Whether the imaginary part comes first.
    #[param(default = false)]
    swap: bool,
) -> Result<AnyBlock, BlockError> {
    Ok(AnyBlock::new(InterleavedToComplex::<i16>::new(scale, swap)?))
}
