//! The bits of an item, an item each.

use superhet_runtime::AnyBlock;
use superhet_runtime::catalog::{Entry, Kind, input, output, required};

use super::repack::{Repack, Width};

/// How files and the command line find the [`Repack`] that takes `k` bits of each item and gives one.
pub const ENTRY: Entry = Entry {
    name: "unpack_k_bits",
    category: "bits",
    summary: "Gives k bits of each item, the lowest ones, as an item each, the highest first.",
    params: &[required("k", Kind::Integer(1, 8), "bits", "How many bits of an item count, the lowest.")],
    ports: &[
        input("in", "u8", "k bits in each item"),
        output("out", "u8", "bits, 0 or 1: n · k items for n"),
    ],
    make: |params| Ok(AnyBlock::new(Repack::<u8>::new(Width::msb(params.count("k") as u32), Width::msb(1))?)),
};

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
