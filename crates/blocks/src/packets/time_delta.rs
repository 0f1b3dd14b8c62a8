//! How long packets took.

use std::sync::Arc;

use superhet_runtime::catalog::{Entry, Kind, input, optional, output};
use superhet_runtime::{AnyBlock, AnyPacket};

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

impl TimeDelta {
    /// Sets the entry `delta_key` by the entry `time_key`.
    pub fn new(delta_key: impl Into<Arc<str>>, time_key: impl Into<Arc<str>>) -> Self {
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

/// How files and the command line find [`TimeDelta`].
pub const ENTRY: Entry = Entry {
    name: "time_delta",
    category: "packets",
    summary: "Sets an entry of each packet's metadata to how long ago the time in another was.",
    params: &[
        optional("delta_key", Kind::Text, "", "\"delta_ms\"", "The entry that is set, in milliseconds."),
        optional(
            "time_key",
            Kind::Text,
            "",
            "\"systime\"",
            "The entry with the time, in seconds since 1970.",
        ),
    ],
    ports: &[
        input("in", "messages", "packets of any items"),
        output("out", "messages", "the packets, with the difference"),
    ],
    make: |params| {
        Ok(AnyBlock::new(TimeDelta::new(params.text("delta_key"), params.text("time_key")).block()))
    },
};
