//! Data off the carriers of OFDM symbols.

use std::sync::Arc;

use superhet_runtime::{AnyBlock, BlockError, C32, Packet, Tag, Value, declare, packet::PacketBlock};

use crate::digital::ofdm::carriers::{MOST_CARRIERS, carriers, check_carriers};
use crate::digital::ofdm::ofdm_carrier_allocator::check_places;
use crate::error::{Error, check};

/// Takes the data off the carriers of the OFDM symbols of each packet: what
/// [`OfdmCarrierAllocator`](crate::digital::OfdmCarrierAllocator) has put there.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | packets of whole symbols, `fft_length` items each |
/// | out `out` | `C32` | packets of data |
///
/// Where the metadata has an entry `packet_length_tag`, no more items than that are given; where it has `carrier_offset_tag`, all
/// carriers are so many places further. Tags move to the first item of their symbol.
///
/// # Errors
/// At run time: a packet that is no whole symbols.
///
/// ```
/// use superhet_blocks::digital::OfdmSerializer;
/// use superhet_runtime::{C32, Packet, packet::PacketBlock};
///
/// let mut serializer = OfdmSerializer::new(4, vec![vec![1, 3]], 0)?;
/// let data = serializer.packet(Packet::from_items(&[C32::ZERO, C32::ONE, C32::ZERO, C32::I]))?.unwrap();
/// assert_eq!(data.items(), [C32::ONE, C32::I]);
/// # Ok::<(), superhet_runtime::BlockError>(())
/// ```
#[derive(Clone, Debug)]
pub struct OfdmSerializer {
    fft_length: usize,
    occupied: Vec<Vec<usize>>,
    symbols_skipped: usize,
    packet_length_tag: Option<Arc<str>>,
    carrier_offset_tag: Option<Arc<str>>,
}

impl OfdmSerializer {
    /// A serializer, with carriers as places in a symbol; the first symbol of a packet has those of the list `symbols_skipped`.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless there is a list, and no place lies beyond a symbol.
    pub fn new(fft_length: usize, occupied: Vec<Vec<usize>>, symbols_skipped: usize) -> Result<Self, Error> {
        check_carriers(fft_length)?;
        check(!occupied.is_empty(), "occupied_carriers", "at least one list", 0)?;
        check_places("occupied_carriers", &occupied, fft_length)?;
        let symbols_skipped = symbols_skipped % occupied.len();
        Ok(OfdmSerializer {
            fft_length,
            occupied,
            symbols_skipped,
            packet_length_tag: None,
            carrier_offset_tag: None,
        })
    }

    /// The entry of the metadata that says how many items a packet has.
    #[must_use]
    pub fn packet_length_tag(mut self, key: impl Into<Arc<str>>) -> Self {
        self.packet_length_tag = Some(key.into());
        self
    }

    /// The entry of the metadata that says how far the carriers are off.
    #[must_use]
    pub fn carrier_offset_tag(mut self, key: impl Into<Arc<str>>) -> Self {
        self.carrier_offset_tag = Some(key.into());
        self
    }
}

impl PacketBlock for OfdmSerializer {
    type In = C32;
    type Out = C32;

    fn packet(&mut self, x: Packet<C32>) -> Result<Option<Packet<C32>>, BlockError> {
        let n = self.fft_length;
        if !x.len().is_multiple_of(n) {
            return Err(format!("a packet of {} items: expected whole symbols of {n}", x.len()).into());
        }
        let entry =
            |key: &Option<Arc<str>>| key.as_ref().and_then(|key| x.get(key)).and_then(|value| value.as_i64());
        let offset = entry(&self.carrier_offset_tag).unwrap_or(0).rem_euclid(n as i64) as usize;
        let most =
            entry(&self.packet_length_tag).and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX);
        let (mut items, mut starts) = (Vec::new(), Vec::new());
        for (symbol, x) in x.items().chunks_exact(n).enumerate() {
            starts.push(items.len());
            let places = &self.occupied[(symbol + self.symbols_skipped) % self.occupied.len()];
            items.extend(places.iter().map(|place| x[(place + offset) % n]));
        }
        items.truncate(most);
        let mut y = x.with_meta(items.len());
        y.items_mut().copy_from_slice(&items);
        for tag in x.tags() {
            let index = starts.get(tag.index as usize / n).copied().unwrap_or(0);
            if index < items.len() {
                y.put_tag(Tag { index: index as u64, ..tag.clone() });
            }
        }
        Ok(Some(y))
    }
}

#[declare(
    category = "digital",
    summary = "Takes the data off the carriers of the OFDM symbols of each packet.",
    ports(
        input("in", "C32", "packets of symbols in a stream"),
        output("out", "C32", "packets of data in a stream")
    )
)]
fn ofdm_serializer(
    /// How many carriers a symbol has.
    #[param(formerly = "fft_len", unit = "carriers", range = 2..=MOST_CARRIERS)]
    fft_length: usize,
    /// For one symbol after another, and then from the first on: the numbers of the carriers with data, negative below 0.
    occupied_carriers: &Value,
    /// The key of the tag on the first item of each packet that says how many items it has.
    #[param(default = "packet_len")]
    length_tag: &str,
    /// The entry that says how many items a packet has; none if empty.
    #[param(default = "")]
    packet_length_tag: &str,
    /// Which list of carriers the first symbol has.
    #[param(unit = "symbols", default = 0)]
    symbols_skipped: usize,
    /// The entry that says how far carriers are off; none if empty.
    #[param(default = "")]
    carrier_offset_tag: &str,
    /// Whether carrier 0 is in the middle of a symbol.
    #[param(default = true)]
    input_is_shifted: bool,
) -> Result<AnyBlock, BlockError> {
    let occupied = carriers("occupied_carriers", occupied_carriers, fft_length, input_is_shifted)?;
    let mut serializer = OfdmSerializer::new(fft_length, occupied, symbols_skipped)?;
    if !packet_length_tag.is_empty() {
        serializer = serializer.packet_length_tag(packet_length_tag);
    }
    if !carrier_offset_tag.is_empty() {
        serializer = serializer.carrier_offset_tag(carrier_offset_tag);
    }
    Ok(AnyBlock::new(serializer.tagged(length_tag)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digital::ofdm::ofdm_carrier_allocator::nested;
    use superhet_runtime::Value;

    fn real(numbers: impl IntoIterator<Item = i32>) -> Vec<C32> {
        numbers.into_iter().map(|n| C32::new(n as f32, 0.0)).collect()
    }

    fn serializer(skipped: usize) -> OfdmSerializer {
        let occupied = carriers("c", &nested(&[&[1, 2, -1], &[-2, 3]]), 8, true).unwrap();
        OfdmSerializer::new(8, occupied, skipped).unwrap()
    }

    #[test]
    fn the_data_is_that_of_gnu_radio() {
        let mut packet = Packet::from_items(&real(0..24));
        packet.put_tag(Tag { index: 8, key: "m".into(), value: Value::Null, source: "s".into() });
        let y = serializer(0).packet(packet).unwrap().unwrap();
        assert_eq!(y.items(), real([5, 6, 3, 10, 15, 21, 22, 19]));
        assert_eq!(y.tags()[0].index, 3);
    }

    #[test]
    fn lengths_offsets_and_skipped_symbols_count() {
        let mut packet = Packet::from_items(&real(0..24));
        packet.set("packet_len", 3);
        packet.set("off", -1);
        let mut block = serializer(1).packet_length_tag("packet_len").carrier_offset_tag("off");
        assert_eq!(block.packet(packet).unwrap().unwrap().items(), real([1, 6, 12]));
        assert!(block.packet(Packet::from_items(&real(0..9))).is_err());
    }
}
