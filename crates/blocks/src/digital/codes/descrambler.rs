//! Takes off scrambling that synchronises itself.

use superhet_runtime::{BlockError, declare};

use crate::digital::codes::lfsr::{Lfsr, self_synchronising};

self_synchronising! {
    Descrambler descramble_all
    /// Takes off what a [`Scrambler`](crate::digital::Scrambler) did, as soon as the register has filled: [`Lfsr::descramble`].
}

#[declare(
    category = "digital",
    summary = "Takes off what a scrambler did.",
    ports(input("in", "u8", "a bit each, the lowest"), output("out", "u8", "0 or 1"))
)]
fn descrambler(
    /// Which places of the register are fed back, as the bits of a number.
    #[param(default = 138)]
    mask: u64,
    /// What the register holds at first.
    #[param(default = 127)]
    seed: u64,
    /// The place at which bits enter, counted from 0.
    #[param(unit = "bits", range = 0..=63, default = 7)]
    length: u32,
) -> Result<Descrambler, BlockError> {
    Ok(Descrambler::new(Lfsr::new(mask, seed, length)?))
}
