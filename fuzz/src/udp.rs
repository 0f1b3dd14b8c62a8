//! Headers of UDP datagrams with samples.

use superhet::io::blocks::UdpHeader;
use superhet::io::fuzzing::udp_header;

use crate::assert_harmless;
use crate::draw::Draw;

/// Bytes of an item; all are powers of two.
const ITEMS: &[usize] = &[1, 2, 4, 8];

/// Draws a shape and datagrams, half of which have numbers near each other, and looks at them in their order.
pub fn run(data: &[u8]) {
    let mut draw = Draw::new(data);
    let header = *draw.one(&[UdpHeader::Sequence, UdpHeader::SequenceAndSize, UdpHeader::None]);
    let item_bytes = *draw.one(ITEMS);
    let mut datagrams = Vec::new();
    while !draw.is_empty() {
        datagrams.push(datagram(&mut draw));
    }
    let pieces = datagrams.iter().map(Vec::as_slice);
    let taken = udp_header(header, item_bytes, pieces, &mut |problem| assert_harmless(&problem));
    assert_eq!(taken.len(), datagrams.len());
    for (datagram, taken) in datagrams.iter().zip(taken) {
        let Some((bytes, _)) = taken else { continue };
        assert_eq!(bytes + header.bytes(), datagram.len());
        assert!(bytes > 0 && bytes % item_bytes == 0, "{bytes} bytes are no samples");
    }
}

fn datagram(draw: &mut Draw<'_>) -> Vec<u8> {
    if draw.once_in(2) {
        let length = draw.below(64);
        return draw.take(length).to_vec();
    }
    let (number, length) = (u64::from(draw.byte()), draw.below(200));
    let mut datagram = vec![0; length.max(16)];
    datagram[..8].copy_from_slice(&number.to_le_bytes());
    datagram[8..10].copy_from_slice(&(length as u16).to_le_bytes());
    datagram.truncate(length);
    datagram
}
