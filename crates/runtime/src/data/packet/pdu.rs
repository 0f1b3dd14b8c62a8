//! Packets as the pairs of metadata and items that GNU Radio's PDUs are.

use super::{AnyPacket, Packet};
use crate::data::{C32, C64, Item, ItemType, Value, Vector};

macro_rules! vectors {
    ($($kind:ident: $item:ty),*) => {
        fn vector_of(packet: &AnyPacket) -> Option<Value> {
            $(if let Some(items) = items_of::<$item>(packet) {
                return Some(items.to_vec().into());
            })*
            None
        }

        fn packet_of(vector: &Vector) -> AnyPacket {
            match vector {
                $(Vector::$kind(items) => Packet::from_items(&items[..]).into(),)*
            }
        }
    };
}

vectors!(
    I8: i8, U16: u16, I16: i16, U32: u32, I32: i32, U64: u64, I64: i64, F32: f32, F64: f64, C32: C32, C64: C64
);

fn items_of<T: Item>(packet: &AnyPacket) -> Option<&[T]> {
    (packet.item() == ItemType::of::<T>()).then(|| bytemuck::cast_slice(packet.bytes()))
}

impl AnyPacket {
    /// The items as `Bytes` or a `Vector`, where there is one of their type.
    pub fn to_vector(&self) -> Option<Value> {
        match items_of::<u8>(self) {
            Some(bytes) => Some(bytes.to_vec().into()),
            None => vector_of(self),
        }
    }

    /// A packet of metadata (a map, or null) and items (bytes or a vector); `None` of anything else.
    pub fn from_pdu(meta: &Value, items: &Value) -> Option<AnyPacket> {
        let mut packet = match items {
            Value::Bytes(bytes) => Packet::from_items(bytes).into(),
            Value::Vector(vector) => packet_of(vector),
            _ => return None,
        };
        packet.meta = match meta {
            Value::Null => None,
            Value::Map(map) => Some(map.clone()),
            _ => return None,
        };
        Some(packet)
    }

    /// As [`from_pdu`](Self::from_pdu), of the pair of both, as a PMT has it.
    pub(crate) fn from_pairs(value: &Value) -> Option<AnyPacket> {
        match value {
            Value::Pairs(pairs) => match pairs.items() {
                [meta] => AnyPacket::from_pdu(meta, pairs.end()),
                _ => None,
            },
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pdu_that_comes_as_a_pmt_is_a_packet() {
        let mut packet = Packet::from_items(&[C32::new(1.0, -2.0)]);
        packet.set("snr_db", 9.5);
        let message = Value::from_pmt(&Value::from(packet.clone()).to_pmt().unwrap()).unwrap();
        assert_eq!(Packet::try_from(message).as_ref(), Ok(&packet));
        let json = Value::from(packet.clone()).to_json();
        assert_eq!(Value::from_json(&json), packet.into());
    }

    #[test]
    fn what_is_no_pdu_is_no_packet() {
        for value in [Value::pairs([5], vec![1u8]), Value::pairs([Value::Null], 5), Value::Null] {
            assert!(AnyPacket::try_from(value).is_err());
        }
    }
}
