//! PCAP files.

use superhet::io::pcap::{PcapReader, PcapWriter};

use crate::{assert_harmless, memory};

/// The packet that is being read, and the packets that this target keeps.
const TIMES: usize = 8;

/// A packet of 256 KiB, which a header may announce.
const PACKET: usize = 2 << 18;

/// Reads packets; those that were read are the same after they were written.
pub fn run(data: &[u8]) {
    let packets = memory::within(&vec![0; data.len() + PACKET], TIMES, || read(data));
    let Some((link_type, packets)) = packets else { return };
    let mut bytes = Vec::new();
    let written = PcapWriter::new(&mut bytes, link_type).and_then(|mut writer| {
        packets.iter().try_for_each(|(time_ns, packet)| writer.write(*time_ns, packet))
    });
    assert!(written.is_ok());
    assert_eq!(read(&bytes), Some((link_type, packets)));
}

type Packets = Vec<(u64, Vec<u8>)>;

/// The packets up to the first mistake, whose times have a form that files of nanoseconds hold.
fn read(data: &[u8]) -> Option<(u16, Packets)> {
    let mut reader = match PcapReader::new(data, "x.pcap") {
        Ok(reader) => reader,
        Err(error) => {
            assert_harmless(&error);
            return None;
        }
    };
    let (mut packets, mut packet) = (Packets::new(), Vec::new());
    loop {
        match reader.next(&mut packet) {
            Ok(Some(record)) if record.time_ns < u64::from(u32::MAX) * 1_000_000_000 => {
                packets.push((record.time_ns, packet.clone()))
            }
            Ok(Some(_)) => {}
            Ok(None) => break,
            Err(error) => {
                assert_harmless(&error);
                break;
            }
        }
    }
    Some((reader.link_type(), packets))
}
