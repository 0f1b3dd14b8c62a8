//! Encoding of NRZI, by name.

use crate::error::Error;
use superhet_runtime::declare;

use crate::digital::codes::nrzi_decode::Change;
use crate::digital::constellations::DiffEncoder;

#[declare(
    category = "digital",
    summary = "Encodes NRZI: the level changes with each zero, or with each one.",
    ports(input("in", "u8", "a bit each, the lowest"), output("out", "u8", "levels, 0 or 1"))
)]
fn nrzi_encode(
    /// Which bit is a change of the level: zero in HDLC, AX.25 and USB (NRZ-S), one in NRZ-M.
    #[param(default = "zero")]
    change: Change,
) -> Result<DiffEncoder, Error> {
    DiffEncoder::new(2, change.coding())
}
