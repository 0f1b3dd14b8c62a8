//! Symbols as the points of a constellation.

use crate::digital::constellations::chunks_to_symbols::ChunksToSymbols;
use crate::digital::constellations::constellation::Constellation;
use crate::error::Error;
use superhet_runtime::{AnyBlock, BlockError, C32, declare};

/// The points of each symbol: a [`ChunksToSymbols`] with the table of a constellation.
///
/// ```
/// use superhet_blocks::digital::{Constellation, constellation_encoder};
/// use superhet_runtime::{C32, harness};
///
/// let encoder = constellation_encoder::of(&Constellation::named("bpsk").unwrap())?;
/// assert_eq!(harness::run(encoder, &[0, 1]), [-C32::ONE, C32::ONE]);
/// # Ok::<(), superhet_blocks::Error>(())
/// ```
///
/// # Errors
/// As for [`ChunksToSymbols::new`].
pub fn of(constellation: &Constellation) -> Result<ChunksToSymbols<u8, C32>, Error> {
    ChunksToSymbols::new(constellation.points().to_vec(), constellation.dimension())
}

#[declare(
    name = "constellation_encoder",
    category = "digital",
    summary = "The points of each symbol.",
    ports(
        input(
            "in",
            "u8",
            "the index of the symbol; zeros come for one that the constellation does not have"
        ),
        output("out", "C32", "its points"),
        set_port("other points, as symbols")
    )
)]
fn constellation_encoder_block(#[param(group)] constellation: Constellation) -> Result<AnyBlock, BlockError> {
    Ok(AnyBlock::new(of(&constellation)?))
}
