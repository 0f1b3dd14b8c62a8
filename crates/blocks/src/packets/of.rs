//! Element-wise blocks on packets.

use superhet_runtime::packet::{AnyPacket, PacketBlock, PacketItems};
use superhet_runtime::{BlockError, Packet, value::ItemType};

use crate::elementwise::{Elementwise, map, map_in_place};

/// An element-wise block on packets: each of a packet's items as on a stream; metadata and tags stay.
///
/// Where the items have one type before and after, it works in the packet itself, unless others have that, too.
///
/// On streams of packets element-wise blocks run as they are: tags, and with them the packets' bounds, pass.
///
/// ```
/// use superhet_blocks::{math::Saxpy, packets::PacketsOf};
/// use superhet_runtime::{Packet, packet::PacketBlock};
///
/// let mut packet = Packet::from_items(&[1.0f32, 2.0]);
/// packet.set("snr_db", 9.5);
/// let packet = PacketsOf(Saxpy::new(2.0, 0.5)).packet(packet)?.unwrap();
/// assert_eq!(packet.items(), [2.5, 4.5]);
/// assert_eq!(packet.get("snr_db"), Some(&9.5.into()));
/// # Ok::<(), superhet_runtime::BlockError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PacketsOf<E>(
    /// The block.
    pub E,
);

impl<E: Elementwise> PacketBlock for PacketsOf<E> {
    type In = E::In;
    type Out = E::Out;
    const ITEMS: Option<PacketItems<Self>> = Some(|block, x, y| {
        map(&block.0, x, y);
        Ok(())
    });

    fn packet(&mut self, x: Packet<E::In>) -> Result<Option<Packet<E::Out>>, BlockError> {
        if ItemType::of::<E::In>() == ItemType::of::<E::Out>() {
            let mut y = AnyPacket::from(x).of::<E::Out>()?;
            map_in_place(&self.0, y.items_mut());
            return Ok(Some(y));
        }
        let mut y = x.with_meta(x.len());
        map(&self.0, x.items(), y.items_mut());
        x.tags().iter().for_each(|tag| y.put_tag(tag.clone()));
        Ok(Some(y))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::{ComplexToMag, Cs16ToC32};
    use crate::math::{Conjugate, MultiplyConst};
    use crate::testing::complex_noise;
    use superhet_runtime::{C32, Tag, Value, harness};

    fn tagged<T: superhet_runtime::Item>(items: &[T]) -> Packet<T> {
        let mut packet = Packet::from_items(items);
        packet.set("snr", 9);
        packet.put_tag(Tag { index: 2, key: "k".into(), value: Value::Null, source: "s".into() });
        packet
    }

    #[test]
    fn the_items_are_those_that_the_block_gives_on_a_stream() {
        let x = complex_noise(1000);
        let block = MultiplyConst::new(C32::new(0.5, -2.0));
        let (old, wanted) = (tagged(&x), harness::run(block, &x));
        let new = PacketsOf(block).packet(old.clone()).unwrap().unwrap();
        assert_eq!((new.items(), old.items()), (&wanted[..], &x[..]), "others keep what they have");
        let magnitudes = PacketsOf(ComplexToMag).packet(old).unwrap().unwrap();
        assert_eq!(magnitudes.items(), harness::run(ComplexToMag, &x));
        assert_eq!((magnitudes.get("snr"), magnitudes.tags().len()), (Some(&Value::from(9)), 1));
    }

    #[test]
    fn items_of_one_size_and_one_type_are_changed_in_place() {
        let packet = tagged(&complex_noise(100));
        let address = packet.items().as_ptr();
        let packet = PacketsOf(Conjugate).packet(packet).unwrap().unwrap();
        assert_eq!(packet.items().as_ptr(), address);
        let packet = PacketsOf(Cs16ToC32).packet(tagged(&[[0i16, 16384]; 5])).unwrap().unwrap();
        assert_eq!(packet.items(), [C32::new(0.0, 0.5); 5]);
    }
}
