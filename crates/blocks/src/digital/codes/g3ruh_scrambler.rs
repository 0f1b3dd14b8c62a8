//! The scrambling of G3RUH modems.

use superhet_runtime::{AnyBlock, BlockError, declare};

use crate::digital::codes::Scrambler;
use crate::digital::codes::g3ruh_descrambler::register;

#[declare(
    category = "digital",
    summary = "Scrambles as G3RUH modems do, by 1 + x¹² + x¹⁷; bits come 17 later.",
    ports(input("in", "u8", "a bit each, the lowest"), output("out", "u8", "0 or 1, scrambled"))
)]
fn g3ruh_scrambler() -> Result<AnyBlock, BlockError> {
    Ok(AnyBlock::new(Scrambler::new(register()?)))
}
