//! Sets an entry of packets' metadata.

use std::sync::Arc;

use superhet_runtime::{AnyPacket, Value, declare};

use super::Pdu;

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
}
