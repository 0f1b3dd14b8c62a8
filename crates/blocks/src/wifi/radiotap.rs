//! What a receiver says of frames, in front of them, for PCAP files.

use superhet_runtime::catalog::Kind;
use superhet_runtime::{BlockError, Packet, Value, declare, packet::PacketBlock};

use super::wifi_sync::FULL_HZ;
use crate::error::{Error, check_positive};

/// Puts a radiotap header before frames of 802.11, and says when they came: what a PCAP file of the link type 127 has.
///
/// It is a [`PacketBlock`]: [`messages`](PacketBlock::messages) makes a block of it.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | packets of `u8` | frames without their checksum, of [`WifiDemod`](super::WifiDemod) |
/// | out `out` | packets of `u8` | the same behind a header |
///
/// | of the packet's metadata | becomes |
/// |---|---|
/// | `sample_index` | TSFT, µs since the first sample; and `time_ns`, that after `start_ns` |
/// | `mbps` | rate |
/// | `snr_db` | signal in dB above a reference, which is the noise |
/// | `frequency_hz` | channel, with the parameter `frequency_hz` (0: there is none); the nearest multiple of 5 MHz |
///
/// # Source
/// Radiotap, <https://www.radiotap.org>: fields TSFT, Rate, Channel, dB antenna signal.
#[derive(Clone, Debug)]
pub struct Radiotap {
    rate_hz: f64,
    frequency_hz: f64,
    bandwidth_hz: f64,
    start_ns: u64,
}

/// Bits of the header's first word: which fields there are.
const TSFT: u32 = 1;
const RATE: u32 = 1 << 2;
const CHANNEL: u32 = 1 << 3;
const DB_SIGNAL: u32 = 1 << 12;
/// Flags of a channel.
const OFDM: u16 = 0x40;
const BAND_2_GHZ: u16 = 0x80;
const BAND_5_GHZ: u16 = 0x100;
const HALF_RATE: u16 = 0x4000;
const QUARTER_RATE: u16 = 0x8000;
/// Channels lie on such a grid.
const GRID_HZ: f64 = 5e6;

#[declare(
    category = "wifi",
    summary = "Puts a radiotap header before frames of 802.11: for PCAP files of the link type 127.",
    ports(
        input("in", "messages", "packets of u8: frames without their checksum"),
        output("out", "messages", "the same behind a header; time_ns in their metadata")
    ),
    through = PacketBlock::messages
)]
impl Radiotap {
    /// For the frames of a recording.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless the rate and the bandwidth are more than 0.
    pub fn new(
        /// The rate of the recording, > 0.
        #[param(unit = "samples/s", range = 0.0.., default = 20e6)]
        rate_hz: f64,
        /// The middle of its band; 0: it is not known.
        #[param(formerly = "center_hz", unit = "Hz", kind = Kind::Float(-1e12, 1e12), default = 0)]
        frequency_hz: f64,
        /// How wide a channel is: 20e6, 10e6 or 5e6.
        #[param(unit = "Hz", range = 0.0.., default = 20e6)]
        bandwidth_hz: f64,
        /// When the first sample came, in nanoseconds since the beginning of 1970.
        #[param(unit = "ns", default = 0)]
        start_ns: u64,
    ) -> Result<Self, Error> {
        check_positive("rate_hz", rate_hz)?;
        check_positive("bandwidth_hz", bandwidth_hz)?;
        Ok(Radiotap { rate_hz, frequency_hz, bandwidth_hz, start_ns })
    }

    /// The header of a packet.
    fn header(&self, packet: &Packet<u8>, time_s: f64) -> Vec<u8> {
        let number = |key| packet.get(key).and_then(Value::as_f64);
        let (mut present, mut body) = (TSFT, ((time_s * 1e6) as u64).to_le_bytes().to_vec());
        if let Some(mbps) = number("mbps") {
            present |= RATE;
            // By half Mbit/s.
            body.push((2.0 * mbps).round() as u8);
        }
        if self.frequency_hz > 0.0 {
            present |= CHANNEL;
            let hz = self.frequency_hz + number("frequency_hz").unwrap_or(0.0);
            let mhz = ((hz / GRID_HZ).round() * GRID_HZ / 1e6) as u16;
            // The channels of 2.4 GHz lie 2 MHz beside it, the last one elsewhere.
            let mhz = match mhz {
                2400..2480 => ((hz / 1e6 - 2.0) / 5.0).round() as u16 * 5 + 2,
                2480..2500 => 2484,
                _ => mhz,
            };
            let width = match FULL_HZ / self.bandwidth_hz {
                times if times > 3.0 => QUARTER_RATE,
                times if times > 1.5 => HALF_RATE,
                _ => 0,
            };
            let flags = OFDM | width | if mhz < 3000 { BAND_2_GHZ } else { BAND_5_GHZ };
            // Two bytes, at an even place.
            body.resize(body.len().next_multiple_of(2), 0);
            body.extend(mhz.to_le_bytes());
            body.extend(flags.to_le_bytes());
        }
        if let Some(snr_db) = number("snr_db") {
            present |= DB_SIGNAL;
            body.push(snr_db.round().clamp(0.0, 255.0) as u8);
        }
        let length = 8 + body.len();
        let mut header = vec![0, 0];
        header.extend((length as u16).to_le_bytes());
        header.extend(present.to_le_bytes());
        header.extend(body);
        header
    }
}

impl PacketBlock for Radiotap {
    type In = u8;
    type Out = u8;

    fn packet(&mut self, x: Packet<u8>) -> Result<Option<Packet<u8>>, BlockError> {
        let sample = x.get("sample_index").or_else(|| x.get("offset")).and_then(Value::as_f64).unwrap_or(0.0);
        let time_s = (sample / self.rate_hz).max(0.0);
        let header = self.header(&x, time_s);
        let mut y = x.with_meta(header.len() + x.len());
        let (front, frame) = y.items_mut().split_at_mut(header.len());
        front.copy_from_slice(&header);
        frame.copy_from_slice(x.items());
        y.set("time_ns", self.start_ns.saturating_add((time_s * 1e9) as u64));
        Ok(Some(y))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_has_the_fields_that_are_known() {
        let mut packet = Packet::from_items(&[0xd4u8, 0]);
        packet.set_all([("mbps", 27.0), ("snr_db", 20.4), ("frequency_hz", -35e3), ("sample_index", 500.0)]);
        let mut block = Radiotap::new(10e6, 5.89e9, 10e6, 7).unwrap();
        let y = block.packet(packet.clone()).unwrap().unwrap();
        let wanted = [
            &[0, 0, 23, 0, 0x0d, 0x10, 0, 0][..],
            &[50, 0, 0, 0, 0, 0, 0, 0],
            &[54, 0, 2, 0x17, 0x40, 0x41, 20],
            &[0xd4, 0],
        ]
        .concat();
        assert_eq!((y.items(), y.get("time_ns")), (&wanted[..], Some(&Value::from(50_007u64))));
        let y = Radiotap::new(20e6, 0.0, 20e6, 0)
            .unwrap()
            .packet(Packet::from_items(&[0xd4u8]))
            .unwrap()
            .unwrap();
        assert_eq!(y.items(), [0, 0, 16, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xd4]);
    }

    #[test]
    fn channels_are_those_of_their_bands() {
        for (hz, wanted) in
            [(2.4371e9, 2437u16), (2.412e9, 2412), (2.484e9, 2484), (5.18004e9, 5180), (5.89e9, 5890)]
        {
            let y = Radiotap::new(20e6, hz, 20e6, 0)
                .unwrap()
                .packet(Packet::from_items(&[0u8]))
                .unwrap()
                .unwrap();
            assert_eq!(y.items()[16..18], wanted.to_le_bytes(), "{hz}");
        }
    }
}
