//! Takes an entry out of packets' metadata.

use std::sync::Arc;

use superhet_runtime::{BlockError, Value, declare, packet::AnyPacket};

use super::Pdu;
use super::pdu::by_metadata;

/// Takes the entry `key` out of each packet's metadata, where it is there.
///
/// ```
/// use superhet_blocks::packets::{Pdu, PduRemove};
/// use superhet_runtime::Packet;
///
/// let mut packet = Packet::from_items(&[1u8, 2]);
/// packet.set("index", 100);
/// let packet = PduRemove::new("index").pdu(packet.into()).unwrap();
/// assert_eq!(packet.get("index"), None);
/// ```
#[derive(Clone, Debug)]
pub struct PduRemove {
    key: Arc<str>,
}

#[declare(
    category = "packets",
    summary = "Takes an entry out of each packet's metadata.",
    through = PduRemove::block,
    ports(input("in", "messages", "packets of any items"), output("out", "messages", "the packets, changed"))
)]
impl PduRemove {
    /// Takes `key` out.
    pub fn new(
        /// The entry.
        #[param(type = String)]
        key: impl Into<Arc<str>>,
    ) -> Self {
        PduRemove { key: key.into() }
    }
}

impl Pdu for PduRemove {
    fn pdu(&mut self, mut packet: AnyPacket) -> Option<AnyPacket> {
        packet.unset(&self.key);
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
    fn an_entry_is_gone_and_others_stay() {
        let packets = vec![packet(1, "k", 5), packet(2, "other", 5)];
        assert_eq!(
            printed(PduRemove::new("k").block(), packets).unwrap(),
            "{\"packet\":[{},{\"hex\":\"01\"}]}\n\
             {\"packet\":[{\"other\":5},{\"hex\":\"02\"}]}\n"
        );
    }

    #[test]
    fn an_entry_of_a_pair_is_gone_whatever_its_second_value_is() {
        let messages = vec![Value::pairs([Value::map([("k", 1)])], 5), Value::pairs([Value::Null], 5)];
        assert_eq!(
            printed(PduRemove::new("k").block(), messages).unwrap(),
            "{\"pairs\":[{},5]}\n{\"pairs\":[{},5]}\n"
        );
    }
}
