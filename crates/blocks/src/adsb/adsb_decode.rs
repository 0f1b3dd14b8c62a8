//! What messages of aircraft say, for a demodulator that another core may run.

use superhet_runtime::{BlockError, C64, Packet, declare, packet::PacketBlock};

use super::adsb_demod::receiver;
use super::decoder::Decoder;
use super::{AdsbError, AircraftTable, Frame, Position, Settings};

/// Puts into words what messages of aircraft say that [`AdsbBlock::undecoded`](super::AdsbBlock::undecoded) gives: their metadata become
/// those that [`AdsbBlock`](super::AdsbBlock) lists.
///
/// It is a [`PacketBlock`]: [`messages`](PacketBlock::messages) makes a block of it. A packet without `sample_index`, or whose bytes
/// are no message of 7 or 14 bytes, is an error.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | packets | `u8`: the bytes of each message |
/// | out `out` | packets | the same, with what they say in their metadata |
#[derive(Debug)]
pub struct AdsbDecode {
    decoder: Decoder,
}

impl AdsbDecode {
    /// A block that has heard nobody yet, for messages of a stream of this rate.
    ///
    /// # Errors
    /// [`AdsbError::Rate`] unless the rate is a whole number from 2 MHz to 1 GHz.
    pub fn new(rate_hz: f64) -> Result<Self, AdsbError> {
        Settings { rate_hz, repair: true }.whole_rate()?;
        Ok(AdsbDecode { decoder: Decoder::new(rate_hz) })
    }

    /// Sets where the receiver is, without which an aircraft first heard on the ground has no position.
    #[must_use]
    pub fn with_receiver(self, place: Position) -> Self {
        self.decoder.set_receiver(place);
        self
    }

    /// A handle to the table of aircraft, to be taken before the block is added to a graph.
    pub fn aircraft(&self) -> AircraftTable {
        self.decoder.aircraft()
    }
}

impl PacketBlock for AdsbDecode {
    type In = u8;
    type Out = u8;

    fn packet(&mut self, mut x: Packet<u8>) -> Result<Option<Packet<u8>>, BlockError> {
        let mut frame = Frame::from_bytes(x.items())?;
        let index = x.get("sample_index").and_then(superhet_runtime::Value::as_u64);
        frame.index = index.ok_or("expected packets with the entry sample_index, got one without it")?;
        x.set_all(self.decoder.entries(&frame));
        Ok(Some(x))
    }
}

#[declare(
    category = "adsb",
    summary = "Decodes Mode S and ADS-B messages that a demodulator has found with decode = false.",
    through = AdsbDecode::messages,
    ports(
        input("in", "messages", "packets of u8, the bytes of each message; metadata: sample_index"),
        output("out", "messages", "the same packets; metadata: what they say, too")
    )
)]
fn adsb_decode(
    /// Samples per second, a whole number.
    #[param(unit = "Hz", range = 2e6..=1e9, default = 2000000)]
    rate_hz: f64,
    /// Latitude and longitude of the receiver, without which aircraft first heard on the ground have no position.
    #[param(unit = "degrees", json = "[]")]
    receiver_deg: Vec<C64>,
) -> Result<AdsbDecode, BlockError> {
    let block = AdsbDecode::new(rate_hz)?;
    Ok(match receiver(&receiver_deg)? {
        Some(place) => block.with_receiver(place),
        None => block,
    })
}

#[cfg(test)]
mod tests {
    use superhet_runtime::{Graph, Value};

    use super::*;
    use crate::sources::VectorSource;

    #[test]
    fn a_message_says_who_and_what_beside_what_was_known_of_it() {
        let frame = Frame::from_hex("8d4840d6202cc371c32ce0576098").unwrap();
        let mut packet = Packet::from_items(frame.bytes());
        packet.set("sample_index", 5);
        packet.set("level_dbfs", -3.5);
        let mut block = AdsbDecode::new(2e6).unwrap();
        let table = block.aircraft();
        let said = block.packet(packet).unwrap().unwrap();
        assert_eq!(said.get("callsign"), Some(&Value::from("KLM1023")));
        assert_eq!(said.get("level_dbfs"), Some(&Value::from(-3.5)));
        assert_eq!((table.snapshot()[0].address, table.snapshot()[0].last_index), (0x4840d6, 5));
    }

    #[test]
    fn messages_that_lie_in_a_stream_are_decoded_as_well() {
        let frame = Frame::from_hex("8d4840d6202cc371c32ce0576098").unwrap();
        let source = VectorSource::new(frame.bytes().to_vec(), false).unwrap();
        let source = source.with_tag(0, "packet_len", 14).unwrap().with_tag(0, "sample_index", 5).unwrap();
        let block = AdsbDecode::new(2e6).unwrap();
        let table = block.aircraft();
        let mut graph = Graph::new();
        let (source, block) = (graph.add("source", source), graph.add("decode", block.tagged("packet_len")));
        graph.connect(source.output, block.input);
        let bytes = graph.collect(block.output);
        graph.run().unwrap();
        assert_eq!(bytes.take(), frame.bytes());
        assert_eq!((table.snapshot()[0].address, table.snapshot()[0].last_index), (0x4840d6, 5));
    }

    #[test]
    fn packets_that_are_no_messages_are_refused() {
        let mut block = AdsbDecode::new(2e6).unwrap();
        let error = block.packet(Packet::from_items(&[0x8d; 7])).unwrap_err().to_string();
        assert!(error.contains('7'), "{error}");
        let error = block.packet(Packet::from_items(&[0x5d; 7])).unwrap_err().to_string();
        assert!(error.contains("sample_index"), "{error}");
        assert!(AdsbDecode::new(48e3).is_err());
    }
}
