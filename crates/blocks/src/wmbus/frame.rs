//! Frames of wireless M-Bus: blocks with their checksums.

use std::sync::OnceLock;

use crate::digital::{Crc, CrcSettings};

/// How a frame is divided into blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A checksum behind the first 10 bytes, and behind every 16 after that.
    A,
    /// A checksum at the end, and one behind 126 bytes.
    B,
}

/// A frame whose checksums are right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Its bytes without the checksums, the first of which (L) says how many follow.
    pub bytes: Vec<u8>,
    /// How it was divided.
    pub format: Format,
}

/// What comes of the bytes that are there.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// So far it may be a frame.
    Needs,
    /// It is none.
    Wrong,
    Whole(Frame),
}

/// L, C, M and A.
const HEADER: usize = 10;
const BLOCK: usize = 16;
const SUM: usize = 2;
/// Of format B, the bytes up to the end of the second block.
const FIRST_B: usize = 128;

fn crc(bytes: &[u8]) -> u16 {
    static CRC: OnceLock<Option<Crc>> = OnceLock::new();
    // CRC-16/EN-13757; its settings are in their ranges.
    let settings = CrcSettings {
        bits: 16,
        polynomial: 0x3d65,
        initial: 0,
        final_xor: 0xffff,
        input_reflected: false,
        result_reflected: false,
    };
    let crc = CRC.get_or_init(|| Crc::new(&settings).ok());
    crc.as_ref().map_or(0, |crc| crc.of(bytes) as u16)
}

/// Whether a block ends with its checksum.
fn is_right(block: &[u8]) -> bool {
    let (bytes, sum) = block.split_at(block.len() - SUM);
    crc(bytes).to_be_bytes() == *sum
}

/// What bytes with checksums are, as far as they go.
pub(super) fn progress(bytes: &[u8], format: Format) -> Progress {
    let Some(length) = bytes.first().map(|length| usize::from(*length)) else { return Progress::Needs };
    // Where each block ends.
    let ends: Vec<usize> = match format {
        // L counts neither itself nor checksums.
        Format::A if length + 1 < HEADER => return Progress::Wrong,
        Format::A => {
            let rest = length + 1 - HEADER;
            let whole = (1..=rest.div_ceil(BLOCK)).map(|n| HEADER + (n * BLOCK).min(rest) + (n + 1) * SUM);
            std::iter::once(HEADER + SUM).chain(whole).collect()
        }
        // L counts checksums, too.
        Format::B if length + 1 < HEADER + SUM => return Progress::Wrong,
        Format::B if length < FIRST_B => vec![length + 1],
        Format::B if length < FIRST_B + SUM => return Progress::Wrong,
        Format::B => vec![FIRST_B, length + 1],
    };
    let mut taken = Vec::new();
    let mut start = 0;
    for end in ends {
        let Some(block) = bytes.get(start..end) else { return Progress::Needs };
        start = end;
        if !is_right(block) {
            return Progress::Wrong;
        }
        taken.extend_from_slice(&block[..block.len() - SUM]);
    }
    Progress::Whole(Frame { bytes: taken, format })
}

impl Frame {
    /// The bytes as they are sent, with their checksums.
    pub fn with_sums(&self) -> Vec<u8> {
        let sum = |block: &[u8]| [block, &crc(block).to_be_bytes()].concat();
        match self.format {
            Format::A => {
                let (first, rest) = self.bytes.split_at(HEADER.min(self.bytes.len()));
                [sum(first)].into_iter().chain(rest.chunks(BLOCK).map(sum)).collect::<Vec<_>>().concat()
            }
            Format::B => {
                let first = self.bytes.len().min(FIRST_B - SUM);
                let (first, rest) = self.bytes.split_at(first);
                let rest = if rest.is_empty() { Vec::new() } else { sum(rest) };
                [sum(first), rest].concat()
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A frame with so many bytes behind its header.
    pub fn frame(data: usize, format: Format) -> Frame {
        let mut bytes = vec![0, 0x44, 0x68, 0x50, 0x69, 0x85, 0x16, 0x60, 0x76, 0xf0];
        bytes.extend((0..data).map(|n| (n * 37 + 5) as u8));
        let frame = Frame { bytes, format };
        let sums = frame.with_sums().len() - frame.bytes.len();
        let counted = if format == Format::B { sums } else { 0 };
        let mut bytes = frame.bytes;
        bytes[0] = (bytes.len() - 1 + counted) as u8;
        Frame { bytes, format }
    }

    #[test]
    fn the_checksum_is_that_of_the_catalogue() {
        assert_eq!(crc(b"123456789"), 0xc2b7);
    }

    #[test]
    fn frames_of_any_length_are_whole_with_their_last_byte_and_not_before() {
        for format in [Format::A, Format::B] {
            for data in [0, 1, 15, 16, 17, 40, 116, 117, 120, 200] {
                let frame = frame(data, format);
                let sent = frame.with_sums();
                for n in 0..sent.len() {
                    assert_eq!(progress(&sent[..n], format), Progress::Needs, "{format:?} {data} {n}");
                }
                assert_eq!(progress(&sent, format), Progress::Whole(frame), "{format:?} {data}");
            }
        }
    }

    #[test]
    fn a_wrong_bit_is_found() {
        for format in [Format::A, Format::B] {
            let sent = frame(40, format).with_sums();
            for n in 8..sent.len() * 8 {
                let mut wrong = sent.clone();
                wrong[n / 8] ^= 1 << (n % 8);
                assert_eq!(progress(&wrong, format), Progress::Wrong, "{format:?} bit {n}");
            }
        }
        assert_eq!(progress(&[3; 300], Format::A), Progress::Wrong);
        assert_eq!(progress(&[3; 300], Format::B), Progress::Wrong);
    }
}
