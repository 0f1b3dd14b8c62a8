//! Bytes to 16-bit samples by A-law.

use superhet_runtime::{AnyBlock, declare};

use super::g711::{G711Decode, Law};

#[declare(
    category = "convert",
    summary = "Bytes to 16-bit samples by the A-law of G.711.",
    ports(input("in", "u8", "codes"), output("out", "i16", "full scale = 32768"))
)]
fn alaw_decode() -> AnyBlock {
    AnyBlock::new(G711Decode(Law::A))
}
