//! Packets of VITA 49.2 in a row.

use superhet::io::fuzzing::vita49;

use crate::assert_harmless;
use crate::draw::Draw;

/// Bytes of a sample.
const SAMPLES: &[usize] = &[2, 4, 8];

/// Draws datagrams, each of which may get a header with its own length, and looks at them in their order.
pub fn run(data: &[u8]) {
    let mut draw = Draw::new(data);
    let sample_bytes = *draw.one(SAMPLES);
    let rate_hz = draw.once_in(2).then_some(1e6);
    let mut datagrams = Vec::new();
    while !draw.is_empty() {
        let length = draw.below(64);
        let mut datagram = draw.take(4 * length).to_vec();
        if datagram.len() >= 4 && !draw.once_in(8) {
            datagram.truncate(datagram.len() / 4 * 4);
            let words = (datagram.len() / 4) as u16;
            datagram[2..4].copy_from_slice(&words.to_be_bytes());
        }
        datagrams.push(datagram);
    }
    for looked in vita49(sample_bytes, rate_hz, datagrams.iter().map(Vec::as_slice)) {
        match looked {
            Ok((Some(again), _)) => {
                let twice = vita49(sample_bytes, rate_hz, [&again[..]]).remove(0);
                assert_eq!(twice.map(|(again, _)| again), Ok(Some(again)), "it is not read as it is written");
            }
            Ok((None, _)) => {}
            Err(problem) => assert_harmless(&problem),
        }
    }
}
