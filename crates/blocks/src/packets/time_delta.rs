//! How long packets took.

use std::sync::Arc;

use superhet_runtime::{declare, packet::AnyPacket};

use super::Pdu;
use super::add_system_time::now;

/// Sets an entry of each packet's metadata to how long ago the time in another was, in milliseconds: what
/// [`AddSystemTime`](super::AddSystemTime) has set. Packets without that pass as they are.
///
/// ```
/// use superhet_blocks::packets::{AddSystemTime, Pdu, TimeDelta};
/// use superhet_runtime::Packet;
///
/// let packet = AddSystemTime::new("systime").pdu(Packet::from_items(&[0u8]).into()).unwrap();
/// let packet = TimeDelta::new("delta_ms", "systime").pdu(packet).unwrap();
/// assert!(packet.get("delta_ms").and_then(|delta| delta.as_f64()).unwrap() < 1e4);
/// ```
#[derive(Clone, Debug)]
pub struct TimeDelta {
    delta: Arc<str>,
    time: Arc<str>,
}

#[declare(
    category = "packets",
    summary = "Sets an entry of each packet's metadata to how long ago the time in another was.",
    through = TimeDelta::block,
    ports(
        input("in", "messages", "packets of any items"),
        output("out", "messages", "the packets, with the difference")
    )
)]
impl TimeDelta {
    /// Sets the entry `delta_key` by the entry `time_key`.
    pub fn new(
        /// The entry that is set, in milliseconds.
        #[param(type = String, default = "delta_ms")]
        delta_key: impl Into<Arc<str>>,
        /// The entry with the time, in seconds since 1970.
        #[param(type = String, default = "systime")]
        time_key: impl Into<Arc<str>>,
    ) -> Self {
        TimeDelta { delta: delta_key.into(), time: time_key.into() }
    }
}

impl Pdu for TimeDelta {
    fn pdu(&mut self, mut packet: AnyPacket) -> Option<AnyPacket> {
        if let Some(time) = packet.get(&self.time).and_then(|time| time.as_f64()) {
            packet.set(self.delta.clone(), (now() - time) * 1e3);
        }
        Some(packet)
    }
}
