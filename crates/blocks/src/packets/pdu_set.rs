//! Sets an entry of packets' metadata.

use std::sync::Arc;

use superhet_runtime::{BlockError, Value, declare, packet::AnyPacket};

use super::Pdu;
use super::pdu::by_metadata;

/// Sets the entry `key` of each packet's metadata to `value`; the items stay where they are.
///
/// ```
/// use superhet_blocks::packets::{Pdu, PduSet};
/// use superhet_runtime::Packet;
///
/// let packet = PduSet::new("channel", 7).pdu(Packet::from_items(&[1u8, 2]).into()).unwrap();
/// assert_eq!(packet.get("channel"), Some(&7.into()));
/// ```
#[derive(Clone, Debug)]
pub struct PduSet {
    key: Arc<str>,
    value: Value,
}

#[declare(
    category = "packets",
    summary = "Sets an entry of each packet's metadata.",
    through = PduSet::block,
    ports(input("in", "messages", "packets of any items"), output("out", "messages", "the packets, changed"))
)]
impl PduSet {
    /// Sets `key` to `value`.
    pub fn new(
        /// The entry.
        #[param(type = String)]
        key: impl Into<Arc<str>>,
        /// Its value; in files JSON, or plain text where it is not JSON.
        #[param(type = Value)]
        value: impl Into<Value>,
    ) -> Self {
        PduSet { key: key.into(), value: value.into() }
    }
}

impl Pdu for PduSet {
    fn pdu(&mut self, mut packet: AnyPacket) -> Option<AnyPacket> {
        packet.set(self.key.clone(), self.value.clone());
        Some(packet)
    }

    fn message(&mut self, message: Value) -> Result<Option<Value>, BlockError> {
        by_metadata(self, message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packets::pdu::tests::{packet, printed};

    #[test]
    fn an_entry_is_set_whether_it_was_there_or_not() {
        let packets = vec![packet(1, "k", 5), packet(2, "other", 5)];
        assert_eq!(
            printed(PduSet::new("k", 6).block(), packets).unwrap(),
            "{\"packet\":[{\"k\":6},{\"hex\":\"01\"}]}\n\
             {\"packet\":[{\"k\":6,\"other\":5},{\"hex\":\"02\"}]}\n"
        );
    }

    #[test]
    fn the_metadata_of_a_pair_are_set_whatever_its_second_value_is() {
        let meta = || Value::map([("a", 1)]);
        let messages = vec![
            Value::pairs([meta()], Value::Null),
            Value::pairs([Value::Null], Value::Null),
            Value::pairs([meta()], 5),
            Value::pairs([meta(), 1.into(), 2.into()], "x"),
            Value::pairs([Value::Null], vec![1u8]),
        ];
        assert_eq!(
            printed(PduSet::new("new", 7).block(), messages).unwrap(),
            "{\"pairs\":[{\"a\":1,\"new\":7},null]}\n\
             {\"pairs\":[{\"new\":7},null]}\n\
             {\"pairs\":[{\"a\":1,\"new\":7},5]}\n\
             {\"pairs\":[{\"a\":1,\"new\":7},1,2,\"x\"]}\n\
             {\"packet\":[{\"new\":7},{\"hex\":\"01\"}]}\n"
        );
        let error =
            printed(PduSet::new("new", 7).block(), vec![Value::pairs(["k"], 1)]).unwrap_err().to_string();
        assert!(error.contains("expected a packet"), "{error}");
    }
}
