//! Other numbers of bits in an item.

use superhet_runtime::{AnyBlock, BlockError, declare, packet::PacketBlock};

use super::repack::{BitOrder, Repack, RepackPackets, Width};

#[declare(
    category = "bits",
    summary = "Takes k bits of each item and gives l in each.",
    ports(
        input("in", "u8", "k bits in each item"),
        output("out", "u8", "l bits in each item: ⌊n · k / l⌋ items for n")
    )
)]
fn repack_bits(
    /// How many bits of an item that comes count, the lowest.
    #[param(unit = "bits", range = 1..=8)]
    k: u32,
    /// How many bits an item that goes gets.
    #[param(unit = "bits", range = 1..=8, default = 8)]
    l: u32,
    /// Which bit of an item comes first, of those that come and of those that go.
    #[param(default = "msb_first")]
    order: BitOrder,
    /// The key of the tag that says how long a packet is, each of which begins anew; empty: there are none.
    #[param(default = "")]
    length_tag: &str,
    /// Whether bits at the end of a packet that do not fill an item are lost; else zeros fill it.
    #[param(default = false)]
    whole: bool,
) -> Result<AnyBlock, BlockError> {
    let [from, to] = [k, l].map(|bits| Width { bits, order });
    Ok(match length_tag {
        "" => AnyBlock::new(Repack::<u8>::new(from, to)?),
        key => AnyBlock::new(RepackPackets::<u8>::new(from, to, whole)?.tagged(key)),
    })
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
    fn a_stream_is_one_row_of_bits() {
        let given = &[("k", 8.into()), ("l", 3.into()), ("order", "lsb_first".into())];
        let y: Vec<u8> = run_entry(&ENTRY, given, &[0xabu8, 0xcd, 0xef, 0x12]);
        assert_eq!(y, [3, 5, 6, 6, 4, 7, 3, 7, 2, 2]);
    }

    #[test]
    fn packets_begin_anew_and_get_a_new_length() {
        for options in crate::testing::cuts() {
            let block = ENTRY.build(&given(&[("k", 3.into()), ("length_tag", "len".into())])).unwrap();
            let tags = vec![(0, "len", Value::from(4)), (4, "len", Value::from(4))];
            let (items, tags) =
                crate::testing::run_any::<u8, u8>(block, [3, 5, 2, 7].repeat(2), tags, &options);
            assert_eq!(items, [117, 112, 117, 112]);
            let lengths: Vec<_> = tags.iter().map(|(index, _, value)| (*index, value.as_u64())).collect();
            assert_eq!(lengths, [(0, Some(2)), (2, Some(2))]);
        }
    }
}
