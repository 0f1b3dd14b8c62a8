//! Several bits, an item each, in one item.

use superhet_runtime::{AnyBlock, BlockError, declare};

use super::repack::{Repack, Width};

#[declare(
    category = "bits",
    summary = "Puts k bits, the lowest of an item each, into one item, the first highest.",
    ports(
        input("in", "u8", "bits: the lowest of each item"),
        output("out", "u8", "k bits in each item, the first highest: ⌊n / k⌋ items for n")
    )
)]
fn pack_k_bits(
    /// How many bits an item gets.
    #[param(unit = "bits", range = 1..=8)]
    k: u32,
) -> Result<AnyBlock, BlockError> {
    Ok(AnyBlock::new(Repack::<u8>::new(Width::msb(1), Width::msb(k))?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::run_entry;

    #[test]
    fn the_first_bit_is_the_highest() {
        let given = &[("k", 3.into())];
        assert_eq!(run_entry::<u8, u8>(&ENTRY, given, &[1, 0, 1, 2, 1, 3, 1, 1]), [5, 3]);
    }
}
