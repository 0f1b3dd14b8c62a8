//! Frames as HDLC has them: flags, stuffed bits, and a checksum.
//!
//! # Source
//! ISO/IEC 13239; the checksum is CRC-16/IBM-SDLC, its lower byte first.

use crate::packets::{Algorithm, ByteOrder, Checksum};

/// The flag before and behind each frame, in the order of time.
pub(super) const FLAG: [u8; 8] = [0, 1, 1, 1, 1, 1, 1, 0];
/// How many bytes the checksum has.
pub(super) const SUM_BYTES: usize = 2;

/// The checksum of a frame.
pub(super) fn checksum() -> Checksum {
    Checksum::new(Algorithm::Crc16IbmSdlc, ByteOrder::Little)
}

/// The bits of bytes in the order of time, the lowest of each first, with a zero behind every five ones.
pub(super) fn stuff(bytes: impl Iterator<Item = u8>, bits: &mut Vec<u8>) {
    let mut ones = 0;
    for byte in bytes {
        for place in 0..8 {
            let bit = byte >> place & 1;
            bits.push(bit);
            ones = if bit == 1 { ones + 1 } else { 0 };
            if ones == 5 {
                bits.push(0);
                ones = 0;
            }
        }
    }
}
