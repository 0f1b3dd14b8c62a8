//! When packets pass, in their metadata.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use superhet_runtime::catalog::{Entry, Kind, input, optional, output};
use superhet_runtime::{AnyBlock, AnyPacket};

use super::Pdu;

/// Sets an entry of each packet's metadata to the time: seconds since the beginning of 1970, UTC.
///
/// ```
/// use superhet_blocks::packets::{AddSystemTime, Pdu};
/// use superhet_runtime::Packet;
///
/// let packet = AddSystemTime::new("systime").pdu(Packet::from_items(&[0u8]).into()).unwrap();
/// assert!(packet.get("systime").and_then(|time| time.as_f64()).unwrap() > 1.7e9);
/// ```
#[derive(Clone, Debug)]
pub struct AddSystemTime(Arc<str>);

impl AddSystemTime {
    /// Sets the entry `key`.
    pub fn new(key: impl Into<Arc<str>>) -> Self {
        AddSystemTime(key.into())
    }
}

/// Now, in seconds since the beginning of 1970; negative before.
pub(super) fn now() -> f64 {
    match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(since) => since.as_secs_f64(),
        Err(before) => -before.duration().as_secs_f64(),
    }
}

impl Pdu for AddSystemTime {
    fn pdu(&mut self, mut packet: AnyPacket) -> Option<AnyPacket> {
        packet.set(self.0.clone(), now());
        Some(packet)
    }
}

/// How files and the command line find [`AddSystemTime`].
pub const ENTRY: Entry = Entry {
    name: "add_system_time",
    category: "packets",
    summary: "Sets an entry of each packet's metadata to the time.",
    params: &[optional("key", Kind::Text, "", "\"systime\"", "The entry.")],
    ports: &[
        input("in", "messages", "packets of any items"),
        output("out", "messages", "the packets, with the time in seconds since 1970"),
    ],
    make: |params| Ok(AnyBlock::new(AddSystemTime::new(params.text("key")).block())),
};
