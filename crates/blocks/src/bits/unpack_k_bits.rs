//! The bits of an item, an item each.

use superhet_runtime::{AnyBlock, BlockError, declare};

use super::repack::{Repack, Width};

#[declare(
    category = "bits",
    summary = "Gives k bits of each item, the lowest ones, as an item each, the highest first.",
    ports(input("in", "u8", "k bits in each item"), output("out", "u8", "bits, 0 or 1: n · k items for n"))
)]
fn unpack_k_bits(
    /// How many bits of an item count, the lowest.
    #[param(unit = "bits", range = 1..=8)]
    k: u32,
) -> Result<AnyBlock, BlockError> {
    Ok(AnyBlock::new(Repack::<u8>::new(Width::msb(k), Width::msb(1))?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::run_entry;

    #[test]
    fn the_highest_bit_is_the_first() {
        let given = &[("k", 3.into())];
        assert_eq!(run_entry::<u8, u8>(&ENTRY, given, &[5, 2, 15]), [1, 0, 1, 0, 1, 0, 1, 1, 1]);
    }
}
