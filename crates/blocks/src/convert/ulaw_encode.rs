//! 16-bit samples to bytes by µ-law.

use superhet_runtime::{AnyBlock, declare};

use super::g711::{G711Encode, Law};

#[declare(
    category = "convert",
    summary = "16-bit samples to bytes by the µ-law of G.711.",
    ports(input("in", "i16", "full scale = 32768"), output("out", "u8", "codes"))
)]
fn ulaw_encode() -> AnyBlock {
    AnyBlock::new(G711Encode(Law::Mu))
}
