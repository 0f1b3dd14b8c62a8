//! When packets pass, in their metadata.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use superhet_runtime::{declare, packet::AnyPacket};

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

#[declare(
    category = "packets",
    summary = "Sets an entry of each packet's metadata to the time.",
    through = AddSystemTime::block,
    ports(
        input("in", "messages", "packets of any items"),
        output("out", "messages", "the packets, with the time in seconds since 1970")
    )
)]
impl AddSystemTime {
    /// Sets the entry `key`.
    pub fn new(
        /// The entry.
        #[param(type = String, default = "systime")]
        key: impl Into<Arc<str>>,
    ) -> Self {
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
