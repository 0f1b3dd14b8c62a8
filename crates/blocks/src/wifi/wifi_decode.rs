//! What frames of 802.11 say.

use superhet_runtime::{AnyBlock, BlockError, Packet, Value, declare, packet::PacketBlock};

use super::mac;

/// Puts into words what frames of 802.11 say: packets get the entries `fields` and `protocol`. What is no frame is dropped.
///
/// It is a [`PacketBlock`]: [`messages`](PacketBlock::messages) makes a block of it.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | packets of `u8` | frames without their checksum |
/// | out `out` | packets of `u8` | the same |
///
/// | field | is |
/// |---|---|
/// | `type`, `subtype` | as the standard names them |
/// | `receiver`, `transmitter`, `destination`, `source`, `bssid` | addresses, as far as the frame has them |
/// | `duration_us` or `association_id` | how long the medium is taken |
/// | `sequence`, `fragment`, `tid` | numbers, of data and management |
/// | `retry`, `protected`, `power_save`, `more_fragments` | `true`, or not there |
/// | `ssid`, `channel`, `rates_mbps`, `country`, `rsn` | elements of beacons, probes and requests of association |
/// | `timestamp_us`, `beacon_interval_tu`, `privacy` | of beacons and answers to probes |
/// | `mbps`, `length`, `evm_db` | those of the packet's metadata: rate in Mbit/s, bytes with the checksum, dB |
///
/// # Source
/// IEEE Std 802.11-2016, section 9: header (9.2), management (9.3.3), elements (9.4.2).
///
/// ```
/// use superhet_blocks::wifi::WifiDecode;
/// use superhet_runtime::{Packet, Value, packet::PacketBlock};
///
/// let ack = Packet::from_items(&[0xd4, 0, 0, 0, 2, 0, 0, 0, 0, 1]);
/// let said = WifiDecode.packet(ack)?.unwrap();
/// assert_eq!(said.get("fields").unwrap().get("receiver"), Some(&Value::from("02:00:00:00:00:01")));
/// # Ok::<(), superhet_runtime::BlockError>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct WifiDecode;

#[declare(
    category = "wifi",
    summary = "Puts into words what frames of 802.11 say.",
    ports(
        input("in", "messages", "packets of u8: frames without their checksum"),
        output("out", "messages", "the same, with what they say in their metadata")
    )
)]
fn wifi_decode() -> AnyBlock {
    AnyBlock::new(WifiDecode.messages())
}

impl PacketBlock for WifiDecode {
    type In = u8;
    type Out = u8;

    fn packet(&mut self, mut x: Packet<u8>) -> Result<Option<Packet<u8>>, BlockError> {
        if !mac::is_frame(x.items()) {
            return Ok(None);
        }
        let mut fields = mac::fields(x.items());
        for key in ["mbps", "length"] {
            fields.extend(x.get(key).map(|value| (key, value.clone())));
        }
        let evm_db = x.get("evm_db").and_then(Value::as_f64);
        fields.extend(evm_db.map(|evm_db| ("evm_db", ((10.0 * evm_db).round() / 10.0).into())));
        x.set("fields", Value::map(fields));
        x.set("protocol", "802.11");
        Ok(Some(x))
    }
}
