//! Takes an entry out of packets' metadata.

use std::sync::Arc;

use superhet_runtime::catalog::{Entry, Kind, input, output, required};
use superhet_runtime::{AnyBlock, AnyPacket};

use super::Pdu;

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

impl PduRemove {
    /// Takes `key` out.
    pub fn new(key: impl Into<Arc<str>>) -> Self {
        PduRemove { key: key.into() }
    }
}

impl Pdu for PduRemove {
    fn pdu(&mut self, mut packet: AnyPacket) -> Option<AnyPacket> {
        packet.unset(&self.key);
        Some(packet)
    }
}

/// How files and the command line find [`PduRemove`].
pub const ENTRY: Entry = Entry {
    name: "pdu_remove",
    category: "packets",
    summary: "Takes an entry out of each packet's metadata.",
    params: &[required("key", Kind::Text, "", "The entry.")],
    ports: &[
        input("in", "messages", "packets of any items"),
        output("out", "messages", "the packets, changed"),
    ],
    make: |params| Ok(AnyBlock::new(PduRemove::new(params.text("key")).block())),
};

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
}
