//! Frames of AMSAT's satellites with the code of AO-40: FUNcube and others.

use std::collections::VecDeque;
use std::sync::{Arc, LazyLock};

use superhet_runtime::catalog::Kind;
use superhet_runtime::{
    Block, BlockError, Context, In, MsgOut, Packet, Step, Work, declare, message::MessageType,
};

use super::whitening::Whitening;
use crate::error::{Error, check};
use crate::fec::code::GeneralTrellis;
use crate::fec::{Corrected, Generator, ReedSolomon, RsSettings};
use crate::tags::{IndexHistory, Piece};

/// Sends the frames of 256 bytes that satellites of AMSAT send with the code of AO-40.
///
/// A frame has 5200 bits, written by columns and sent by rows of 80. The first column is a known word of 65 bits, so that fading harms
/// it as little as the rest; it is found with up to `threshold` wrong bits, upright or inverted. The rest is a convolutional code around
/// whitened bytes with the checks of two Reed-Solomon blocks. A frame counts where both can be corrected.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `f32` | soft bits, positive for 1, without the differential coding |
/// | out `out` | packets of `u8` | 256 bytes |
///
/// | metadata | is |
/// |---|---|
/// | `sample_index`, `duration_samples` | behind [`IndexTags`](crate::tags::IndexTags): where the frame is |
/// | `sync_errors` | wrong bits of the known word |
/// | `corrected` | bytes that were wrong |
///
/// # Source
/// P. Karn, "Proposed Coded AO-40 Telemetry Format", 2002. CCSDS 131.0-B for the codes and the whitening.
#[derive(Debug, Block)]
pub struct Ao40Deframer {
    #[port("in")]
    input: In<f32>,
    #[port("out")]
    output: MsgOut,
    threshold: usize,
    /// The last bits, as many as a frame has.
    bits: VecDeque<f32>,
    history: IndexHistory,
}

/// Rows and columns of a frame.
const ROWS: usize = 65;
const COLUMNS: usize = 80;
/// The known word in the first column, the first bit highest.
const SYNC: u128 = 0b1_1111_1100_0011_1011_1100_1011_0010_0100_0000_1000_1001_1000_1011_1010_1101_1000;
/// The coded bits of 320 bytes and six zeros.
const CODED: usize = 2 * (8 * 320 + 6);
const BLOCKS: usize = 2;
const CHECKS: usize = 32;

#[declare(
    category = "digital",
    summary = "Sends the frames with the code of AO-40, as FUNcube's, that soft bits say.",
    ports(input("in", "f32", "soft bits, positive for 1"), output("out", "messages", "packets of 256 u8"))
)]
impl Ao40Deframer {
    /// A deframer that lets so many bits of the known word be wrong.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where the threshold is.
    pub fn new(
        /// So many of the 65 bits of the known word may be wrong.
        #[param(kind = Kind::Integer(0, 16), default = 10)]
        threshold: usize,
    ) -> Result<Self, Error> {
        check(threshold <= 16, "threshold", "a whole number from 0 to 16", threshold as f64)?;
        Ok(Ao40Deframer {
            input: In::new(),
            output: MsgOut::new().sends(MessageType::packets_of::<u8>()),
            threshold,
            bits: VecDeque::with_capacity(ROWS * COLUMNS + 1),
            history: IndexHistory::default(),
        })
    }

    /// Takes a soft bit, the one at this place; the packet of a frame that is whole with it.
    fn take(&mut self, soft: f32, at: u64) -> Option<Packet<u8>> {
        self.bits.push_back(soft);
        if self.bits.len() > ROWS * COLUMNS {
            self.bits.pop_front();
        }
        if self.bits.len() < ROWS * COLUMNS {
            return None;
        }
        let is_wrong = |row: &usize| (self.bits[row * COLUMNS] > 0.0) != (SYNC >> (ROWS - 1 - row) & 1 == 1);
        let wrong = (0..ROWS).filter(is_wrong).count();
        let is_inverted = wrong > ROWS / 2;
        let wrong = wrong.min(ROWS - wrong);
        if wrong > self.threshold {
            return None;
        }
        let sign = if is_inverted { -1.0 } else { 1.0 };
        // By columns, without the first.
        let place = |n: usize| n % ROWS * COLUMNS + n / ROWS;
        let coded: Vec<f32> = (ROWS..ROWS + CODED).map(|n| sign * self.bits[place(n)]).collect();
        let (bytes, corrected) = decode(&coded)?;
        self.bits.clear();
        let mut packet = Packet::from_items(&bytes);
        packet.set("sync_errors", wrong);
        packet.set("corrected", corrected);
        let first = at + 1 - (ROWS * COLUMNS) as u64;
        if let Some((first, end)) = self.history.sample_of(first).zip(self.history.sample_of(at)) {
            packet.set("sample_index", first);
            packet.set("duration_samples", end.saturating_sub(first));
        }
        Some(packet)
    }
}

/// The bytes of coded bits, and how many were wrong.
fn decode(coded: &[f32]) -> Option<(Vec<u8>, usize)> {
    static GENERATOR: LazyLock<Arc<Generator>> =
        LazyLock::new(|| Generator::new(7, &[79, -109]).expect("the code of CCSDS is one"));
    static CODE: LazyLock<ReedSolomon> = LazyLock::new(|| {
        let settings = RsSettings { dual_basis: false, ..RsSettings::CCSDS_223 };
        ReedSolomon::new(&settings).expect("the code of CCSDS is one")
    });
    let mean = coded.iter().map(|soft| soft.abs()).sum::<f32>() / coded.len() as f32;
    let scale = if mean > 0.0 { 64.0 / mean } else { 0.0 };
    let soft: Vec<u8> = coded.iter().map(|soft| (128.0 + scale * soft).clamp(0.0, 255.0) as u8).collect();
    let mut trellis = GeneralTrellis::new(GENERATOR.clone(), true);
    trellis.take(&soft);
    let mut bits = vec![0; trellis.len()];
    trellis.trace(0, &mut bits);
    let mut bytes: Vec<u8> =
        bits[..8 * 320].chunks(8).map(|bits| bits.iter().fold(0, |byte, bit| byte << 1 | bit)).collect();
    Whitening::Ccsds.apply(&mut bytes);
    let mut corrected = 0;
    for block in 0..BLOCKS {
        let mut symbols: Vec<u8> = bytes.iter().skip(block).step_by(BLOCKS).copied().collect();
        let Corrected::Symbols(count) = CODE.decode(&mut symbols, &[]) else { return None };
        corrected += count;
        bytes.iter_mut().skip(block).step_by(BLOCKS).zip(&symbols).for_each(|(byte, symbol)| *byte = *symbol);
    }
    bytes.truncate(bytes.len() - BLOCKS * CHECKS);
    Some((bytes, corrected))
}

/// So many bits are taken in one call.
const AT_ONCE: usize = 1024;

impl Work for Ao40Deframer {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let piece = Piece::take(&mut self.input, AT_ONCE);
        for (at, soft, tags) in piece.each() {
            tags.iter().for_each(|tag| self.history.note(tag));
            if let Some(packet) = self.take(if soft.is_finite() { soft } else { 0.0 }, at) {
                self.output.send(packet)?;
            }
        }
        Ok(piece.step())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::noise;

    /// The soft bits of a frame.
    fn frame(bytes: &[u8]) -> Vec<f32> {
        let code = ReedSolomon::new(&RsSettings { dual_basis: false, ..RsSettings::CCSDS_223 }).unwrap();
        let mut all = vec![0; 320];
        for block in 0..BLOCKS {
            let mut symbols: Vec<u8> = bytes.iter().skip(block).step_by(BLOCKS).copied().collect();
            symbols.resize(160, 0);
            code.encode(&mut symbols);
            all.iter_mut().skip(block).step_by(BLOCKS).zip(symbols).for_each(|(to, from)| *to = from);
        }
        Whitening::Ccsds.apply(&mut all);
        let generator = Generator::new(7, &[79, -109]).unwrap();
        let mut register = 0;
        let bits = all.iter().flat_map(|byte| (0..8).rev().map(move |n| byte >> n & 1)).chain([0; 6]);
        let coded = bits.flat_map(|bit| {
            let mut sent = [0; 2];
            generator.encode(&mut register, bit, &mut sent);
            sent
        });
        let mut sent = vec![-1.0; ROWS * COLUMNS];
        for row in 0..ROWS {
            sent[row * COLUMNS] = if SYNC >> (ROWS - 1 - row) & 1 == 1 { 1.0 } else { -1.0 };
        }
        for (n, bit) in (ROWS..).zip(coded) {
            sent[n % ROWS * COLUMNS + n / ROWS] = f32::from(bit) * 2.0 - 1.0;
        }
        sent
    }

    fn frames(soft: &[f32]) -> Vec<Vec<u8>> {
        let mut deframer = Ao40Deframer::new(10).unwrap();
        let packets = soft.iter().enumerate().filter_map(|(at, soft)| deframer.take(*soft, at as u64));
        packets.map(|packet| packet.items().to_vec()).collect()
    }

    #[test]
    fn a_frame_is_found_upright_and_inverted_behind_a_fade_and_noise() {
        let bytes: Vec<u8> = (0..=255).collect();
        let mut sent = frame(&bytes);
        // A fade of ten rows, and every 23rd bit wrong.
        sent[800..1600].fill(0.0);
        sent.iter_mut().step_by(23).for_each(|soft| *soft *= -0.7);
        let inverted: Vec<f32> = sent.iter().map(|soft| -soft).collect();
        let stream = [noise(777), sent, noise(100), inverted, noise(777)].concat();
        assert_eq!(frames(&stream), [bytes.clone(), bytes]);
        assert!(frames(&noise(50_000)).is_empty());
    }
}
