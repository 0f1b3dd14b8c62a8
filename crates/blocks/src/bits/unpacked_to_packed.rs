//! Items full of bits, of so many in each.

use super::repack::{BitOrder, Repack, Width, Word};
use crate::error::Error;
use superhet_runtime::declare;

#[declare(
    category = "bits",
    summary = "Fills items with bits, of which so many come in each, the highest first.",
    items(u8, i32, i16),
    ports(
        input("in", "item", "bits"),
        output("out", "item", "the same bits: ⌊n · bits / bits of an item⌋ items for n")
    )
)]
fn unpacked_to_packed<T: Word>(
    /// How many bits lie in an item that is not full: as many as it has, at most.
    #[param(unit = "bits", range = 1..=32)]
    bits: u32,
    /// Which bit of an item that goes is filled first.
    #[param(default = "msb_first")]
    order: BitOrder,
) -> Result<Repack<T>, Error> {
    Repack::new(Width::msb(bits), Width { bits: T::BITS, order })
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
        assert_eq!(run_entry::<u8, u8>(&ENTRY, given, &[3, 5, 2, 7, 6, 5, 1, 7, 2]), [174, 190, 242]);
    }

    #[test]
    fn more_bits_than_an_item_has_are_refused() {
        assert!(ENTRY.build(&given(&[("bits", 9.into())])).is_err());
        assert!(ENTRY.build(&given(&[("bits", 9.into()), ("item", "i16".into())])).is_ok());
    }
}
