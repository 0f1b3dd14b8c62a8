//! Several bits, an item each, in one item.

use superhet_runtime::AnyBlock;
use superhet_runtime::catalog::{Entry, Kind, input, output, required};

use super::repack::{Repack, Width};

/// How files and the command line find the [`Repack`] that takes one bit of each item and gives `k`.
pub const ENTRY: Entry = Entry {
    name: "pack_k_bits",
    category: "bits",
    summary: "Puts k bits, the lowest of an item each, into one item, the first highest.",
    params: &[required("k", Kind::Integer(1, 8), "bits", "How many bits an item gets.")],
    ports: &[
        input("in", "u8", "bits: the lowest of each item"),
        output("out", "u8", "k bits in each item, the first highest: ⌊n / k⌋ items for n"),
    ],
    make: |params| Ok(AnyBlock::new(Repack::<u8>::new(Width::msb(1), Width::msb(params.count("k") as u32))?)),
};

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
