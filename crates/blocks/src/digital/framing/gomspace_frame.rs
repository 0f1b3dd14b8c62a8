//! What frames of GOMspace's radios are made of.

use std::sync::{Arc, LazyLock};

use crate::digital::framing::whitening::Whitening;
use crate::fec::code::GeneralTrellis;
use crate::fec::{Corrected, Generator, ReedSolomon, RsSettings};

/// How frames are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GomspaceFormat {
    /// NanoCom AX100, mode 5: a synchronisation word, the length in a Golay code, whitened bytes with Reed-Solomon checks.
    Ax100Asm,
    /// NanoCom AX100, mode 6: bits scrambled as G3RUH's, a synchronisation word, the length, bytes with Reed-Solomon checks.
    Ax100Rs,
    /// NanoCom U482C: as mode 5, and the header says whether there is a convolutional code, whitening, Reed-Solomon checks.
    U482c,
}

impl GomspaceFormat {
    /// The synchronisation word.
    pub fn sync(self) -> u32 {
        match self {
            GomspaceFormat::Ax100Asm | GomspaceFormat::Ax100Rs => 0x930b_51de,
            GomspaceFormat::U482c => 0xc3aa_6655,
        }
    }

    /// What messages name it.
    pub fn protocol(self) -> &'static str {
        match self {
            GomspaceFormat::Ax100Asm => "AX100 ASM+Golay",
            GomspaceFormat::Ax100Rs => "AX100 RS",
            GomspaceFormat::U482c => "U482C",
        }
    }

    /// Bits of the header.
    fn header_bits(self) -> usize {
        if self == GomspaceFormat::Ax100Rs { 8 } else { 24 }
    }
}

/// A frame, decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    pub bytes: Vec<u8>,
    /// Bytes that Reed-Solomon's code has corrected.
    pub corrected: usize,
}

/// A frame whose bits come one after the other.
#[derive(Clone, Debug)]
pub struct Frame {
    format: GomspaceFormat,
    /// The bits so far, positive for 1.
    soft: Vec<f32>,
    /// The bits of the bytes behind the header, and what was done to them, once the header is there.
    body: Option<(usize, Flags)>,
}

/// How far a frame has come.
#[derive(Debug, PartialEq, Eq)]
pub enum Progress {
    Needs,
    Wrong,
    Whole(Decoded),
}

/// Check bytes of the code, and the longest frame that it has.
const CHECKS: usize = 32;
const LONGEST: usize = 255;

impl Frame {
    pub fn new(format: GomspaceFormat) -> Frame {
        Frame { format, soft: Vec::new(), body: None }
    }

    /// Its bits so far.
    pub fn soft(&self) -> &[f32] {
        &self.soft
    }

    /// Takes a bit.
    pub fn take(&mut self, soft: f32) -> Progress {
        self.soft.push(soft);
        let header = self.format.header_bits();
        match self.body {
            None if self.soft.len() < header => Progress::Needs,
            None => {
                self.body = self.header();
                if self.body.is_some() { Progress::Needs } else { Progress::Wrong }
            }
            Some((bits, _)) if self.soft.len() < header + bits => Progress::Needs,
            Some((_, flags)) => decode(&self.soft[header..], flags).map_or(Progress::Wrong, Progress::Whole),
        }
    }

    /// What the header says.
    fn header(&self) -> Option<(usize, Flags)> {
        let word = self.soft.iter().fold(0u32, |word, soft| word << 1 | u32::from(*soft > 0.0));
        let (length, flags) = match self.format {
            // The length counts itself.
            GomspaceFormat::Ax100Rs => ((word as usize).checked_sub(1)?, Flags::RS),
            GomspaceFormat::Ax100Asm => ((golay(word)? & 0xff) as usize, Flags::RS | Flags::WHITE),
            GomspaceFormat::U482c => {
                let said = golay(word)?;
                ((said & 0xff) as usize, Flags((said >> 8) as u8 & 7))
            }
        };
        (1..=LONGEST).contains(&length).then_some((8 * length, flags))
    }
}

/// What was done to the bytes of a frame.
#[derive(Clone, Copy, Debug)]
struct Flags(u8);

impl Flags {
    const CONVOLVED: Flags = Flags(1);
    const WHITE: Flags = Flags(2);
    const RS: Flags = Flags(4);

    fn has(self, other: Flags) -> bool {
        self.0 & other.0 != 0
    }
}

impl std::ops::BitOr for Flags {
    type Output = Flags;

    fn bitor(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}

fn decode(soft: &[f32], flags: Flags) -> Option<Decoded> {
    let mut bytes: Vec<u8> = if flags.has(Flags::CONVOLVED) {
        viterbi(soft)
    } else {
        let byte = |bits: &[f32]| bits.iter().fold(0, |byte, soft| byte << 1 | u8::from(*soft > 0.0));
        soft.chunks_exact(8).map(byte).collect()
    };
    if flags.has(Flags::WHITE) {
        Whitening::Ccsds.apply(&mut bytes);
    }
    static CODE: LazyLock<ReedSolomon> = LazyLock::new(|| {
        let settings = RsSettings { dual_basis: false, ..RsSettings::CCSDS_223 };
        ReedSolomon::new(&settings).expect("the code of CCSDS is one")
    });
    // Without checks, any noise would be a frame.
    if !flags.has(Flags::RS) || bytes.len() <= CHECKS {
        return None;
    }
    let Corrected::Symbols(corrected) = CODE.decode(&mut bytes, &[]) else { return None };
    bytes.truncate(bytes.len() - CHECKS);
    // Zeros are a word of the code: without whitening, a long run of one symbol in noise, which no frame is.
    let is_run = !flags.has(Flags::WHITE) && bytes.iter().all(|byte| *byte == 0);
    (!is_run).then_some(Decoded { bytes, corrected })
}

/// The bytes of bits of the convolutional code of CCSDS, the bit of 133 before that of 171 and none inverted; its tail brings it back to zero.
fn viterbi(soft: &[f32]) -> Vec<u8> {
    static GENERATOR: LazyLock<Arc<Generator>> =
        LazyLock::new(|| Generator::new(7, &[0o155, 0o117]).expect("the code of CCSDS is one"));
    let mean = soft.iter().map(|soft| soft.abs()).sum::<f32>() / soft.len().max(1) as f32;
    let scale = if mean > 0.0 { 64.0 / mean } else { 0.0 };
    let bits: Vec<u8> = soft.iter().map(|soft| (128.0 + scale * soft).clamp(0.0, 255.0) as u8).collect();
    let mut trellis = GeneralTrellis::new(GENERATOR.clone(), true);
    trellis.take(&bits);
    let mut decoded = vec![0; trellis.len()];
    trellis.trace(0, &mut decoded);
    // The tail, six zeros, is no whole byte.
    decoded.truncate(decoded.len().saturating_sub(6));
    decoded.chunks_exact(8).map(|bits| bits.iter().fold(0, |byte, bit| byte << 1 | bit)).collect()
}

/// The check bits of each of twelve bits, the highest check first: Golay's code in the form [I | B] with B symmetric.
const GOLAY: [u16; 12] = [0x8ed, 0x1db, 0x3b5, 0x769, 0xed1, 0xda3, 0xb47, 0x68f, 0xd1d, 0xa3b, 0x477, 0xffe];

fn golay_checks(data: u16) -> u16 {
    GOLAY.iter().fold(0, |checks, row| checks << 1 | ((row & data).count_ones() as u16 % 2))
}

/// The lower twelve bits of a word of Golay's extended code, of which up to three of 24 may be wrong; the checks come first.
fn golay(word: u32) -> Option<u16> {
    let syndrome = |word: u32| (word >> 12) as u16 ^ golay_checks(word as u16 & 0xfff);
    let wanted = syndrome(word);
    if wanted == 0 {
        return Some(word as u16 & 0xfff);
    }
    let bits = || (0..24).map(|bit| 1u32 << bit);
    let one = bits();
    let two = bits().flat_map(|a| bits().take_while(move |b| *b < a).map(move |b| a | b));
    let three = bits().flat_map(|a| {
        bits()
            .take_while(move |b| *b < a)
            .flat_map(move |b| bits().take_while(move |c| *c < b).map(move |c| a | b | c))
    });
    let wrong = one.chain(two).chain(three).find(|wrong| syndrome(*wrong) == wanted)?;
    Some((word ^ wrong) as u16 & 0xfff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_one_symbol_is_no_frame() {
        let frame = |byte: u8| {
            let mut frame = Frame::new(GomspaceFormat::Ax100Rs);
            // The length counts itself: 22 bytes and 32 of checks, of which 16 are wrong.
            let bytes = [vec![55], vec![byte; 22], vec![0; 16], vec![0x5a; 16]].concat();
            let bits =
                bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| f32::from(byte >> bit & 1) - 0.5));
            bits.map(|soft| frame.take(soft)).last().unwrap()
        };
        assert_eq!(frame(0), Progress::Wrong);
    }

    #[test]
    fn three_wrong_bits_of_a_header_are_corrected_and_four_are_seen() {
        // Headers of recordings: 70 and 49 bytes; 248 bytes with two flags.
        for (word, data) in [(0x3e_f046, 0x046), (0x23_6031, 0x031), (0x1c_96f8, 0x6f8)] {
            for wrong in [0, 1, 0x80_0000, 0x80_0801, 0x00_0700] {
                assert_eq!(golay(word ^ wrong), Some(data));
            }
            assert_eq!(golay(word ^ 0x10_1101), None);
        }
    }
}
