//! All bits of an item, so many in each.

use super::repack::{BitOrder, Repack, Width, Word};
use crate::error::Error;
use superhet_runtime::declare;

#[declare(
    category = "bits",
    summary = "Gives all bits of each item, so many in each, the first highest.",
    items(u8, i32, i16),
    ports(
        input("in", "item", "bits"),
        output("out", "item", "the same bits: ⌊n · bits of an item / bits⌋ items for n")
    )
)]
fn packed_to_unpacked<T: Word>(
    /// How many bits lie in an item that is not full: as many as it has, at most.
    #[param(unit = "bits", range = 1..=32)]
    bits: u32,
    /// Which bit of an item comes first.
    #[param(default = "msb_first")]
    order: BitOrder,
) -> Result<Repack<T>, Error> {
    Repack::new(Width { bits: T::BITS, order }, Width::msb(bits))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::run_entry;
    use std::collections::BTreeMap;
    use superhet_runtime::Value;

    fn given(pairs: &[(&str, Value)]) -> BTreeMap<String, Value> {
        pairs.iter().map(|(name, value)| (name.to_string(), value.clone())).collect()
    }

    #[test]
    fn the_order_is_that_of_the_full_items() {
        let given = &[("bits", 3.into()), ("order", "lsb_first".into())];
        assert_eq!(run_entry::<u8, u8>(&ENTRY, given, &[0xab, 0xcd, 0xef]), [6, 5, 3, 3, 1, 7, 6, 7]);
    }

    #[test]
    fn more_bits_than_an_item_has_are_refused() {
        assert!(ENTRY.build(&given(&[("bits", 9.into())])).is_err());
        assert!(ENTRY.build(&given(&[("bits", 9.into()), ("item", "i16".into())])).is_ok());
    }
}
