//! Doors for the fuzz targets, see [`crate::fuzzing`].

use superhet_runtime::Tag;

use super::datagrams::{Shape, UdpHeader, look};
use super::zmq::tags::read_header;
use crate::zmtp::Memory;

/// What a receiver would take from these datagrams: the bytes of samples and the items that are missing before them, or
/// none where the datagram is late or wrong. `words` says what is wrong.
pub fn udp_header<'a>(
    header: UdpHeader,
    item_bytes: usize,
    datagrams: impl IntoIterator<Item = &'a [u8]>,
    words: &mut dyn FnMut(&str),
) -> Vec<Option<(usize, Option<u64>)>> {
    let shape = Shape { header, full: 1472, item_bytes, eof: false };
    look(shape, datagrams, words)
}

/// The tags at the beginning of a message of a ZeroMQ stream, and how many bytes they take up.
///
/// # Errors
/// What is wrong with them.
pub fn tags_header(bytes: &[u8]) -> Result<(Vec<Tag>, usize), String> {
    read_header(bytes, Memory::default().decoded())
}
