//! From a preamble to a frame: reads the bits and keeps what the parity proves.

use super::crc;
use super::frame::{Frame, Parity};
use super::known::KnownAddresses;
use super::preamble::{self, PULSES};
use super::slicer::{self, PREAMBLE, Sliced, Spill};

/// The cost above which bits are a guess, and what only a known address speaks for is dropped.
const MAX_COST: f32 = 0.5;

/// Half a pulse to either side: what may come of samples that straddle two halves.
pub(super) const STRADDLING: &[Spill] = &[Spill { early: 0.5, late: 0.0 }, Spill { early: 0.0, late: 0.5 }];

/// What the filter of a channel leaves, read about the middle of each pulse.
pub(super) const FILTERED: &[Spill] =
    &[Spill { early: 0.2, late: 0.2 }, Spill { early: 0.5, late: 0.1 }, Spill { early: 0.1, late: 0.5 }];

/// What decides whether bits are a message.
#[derive(Debug)]
pub(super) struct Reading {
    repair: bool,
    known: KnownAddresses,
    spills: &'static [Spill],
}

/// Whether `frame` is a better reading of a message than `other`: proven comes before repaired, and then the
/// reading that catches more power in its pulses, which is the one with the better alignment and fewer wrong bits.
fn beats(frame: &Frame, other: &Frame) -> bool {
    let rank = |frame: &Frame| (frame.repaired_bit.is_none(), frame.level);
    rank(frame) > rank(other)
}

/// The best reading of the positions `around` a preamble, and its position.
pub(super) fn best(
    around: impl IntoIterator<Item = usize>,
    read: impl Fn(usize) -> Option<Frame>,
) -> Option<(usize, Frame)> {
    let readings = around.into_iter().filter_map(|at| Some((at, read(at)?)));
    readings.reduce(|best, next| if beats(&next.1, &best.1) { next } else { best })
}

impl Reading {
    /// Nobody was heard yet; `spills` are tried besides what a preamble shows and none.
    pub fn new(rate_hz: u64, repair: bool, spills: &'static [Spill]) -> Self {
        Self { repair, known: KnownAddresses::new(rate_hz), spills }
    }

    /// Notes that a frame is given: if its parity proves its address, that is known from now on.
    pub fn note(&mut self, frame: &Frame) {
        if frame.parity == Parity::Intact && frame.repaired_bit.is_none() {
            self.known.insert(frame.address, frame.index);
        }
    }

    /// Reads the message whose preamble begins at `halves[0]`, comparing the halves of each bit.
    ///
    /// That is quick and enough for most; only an intact parity counts as success.
    pub fn aligned<const STRIDE: usize>(&self, halves: &[f32], index: u64) -> Option<Frame> {
        let sliced = slicer::compare(halves, STRIDE)?;
        let (bytes, length) = sliced.bytes();
        if crc::remainder(&bytes[..length]) != 0 {
            return None;
        }
        let mut frame = self.judge(&sliced, index)?;
        frame.level = level::<STRIDE>(halves, &frame);
        frame.level.is_finite().then_some(frame)
    }

    /// Reads the message whose preamble begins at `halves[0]`, comparing the halves of each bit.
    ///
    /// The halves must differ clearly, and no bit is repaired.
    pub fn plain(&self, halves: &[f32], index: u64) -> Option<Frame> {
        let sliced = slicer::compare(halves, 1)?;
        if sliced.cost > MAX_COST {
            return None;
        }
        let mut frame = self.judge(&sliced, index)?;
        if frame.repaired_bit.is_some() {
            return None;
        }
        frame.level = level::<1>(halves, &frame);
        frame.level.is_finite().then_some(frame)
    }

    /// Reads the message whose preamble begins at `halves[0]`, with several guesses of how samples and pulses lie.
    pub fn likeliest<const STRIDE: usize>(&self, halves: &[f32], index: u64) -> Option<Frame> {
        let levels = preamble::levels::<STRIDE>(halves)?;
        let read = |spill| {
            let sliced = slicer::likeliest(halves, STRIDE, levels, spill)?;
            let mut frame = self.judge(&sliced, index)?;
            let proven = frame.parity == Parity::Intact && frame.repaired_bit.is_none();
            if !proven && sliced.cost > MAX_COST {
                return None;
            }
            frame.level = level::<STRIDE>(halves, &frame);
            frame.level.is_finite().then_some(frame)
        };
        let mut best: Option<Frame> = None;
        for frame in preamble::spills::<STRIDE>(halves, levels, self.spills).filter_map(read) {
            let proven = frame.repaired_bit.is_none();
            if best.as_ref().is_none_or(|best| beats(&frame, best)) {
                best = Some(frame);
            }
            if proven {
                break;
            }
        }
        best
    }

    /// Makes a frame of the bits if their parity proves them.
    fn judge(&self, sliced: &Sliced, index: u64) -> Option<Frame> {
        let (mut bytes, length) = sliced.bytes();
        let mut frame = Frame::from_bytes(&bytes[..length]).ok()?;
        frame.index = index;
        let known = |address| self.known.contains(address, index);
        match frame.parity {
            Parity::Intact => Some(frame),
            Parity::Interrogator(_) | Parity::Address if known(frame.address) => Some(frame),
            Parity::Address => None,
            _ if !self.repair => None,
            Parity::Interrogator(_) | Parity::Wrong => {
                let bit = crc::single_bit_error(&bytes[..length])?;
                bytes[usize::from(bit / 8)] ^= 0x80 >> (bit % 8);
                let mut repaired = Frame::from_bytes(&bytes[..length]).ok()?;
                repaired.index = index;
                repaired.repaired_bit = Some(bit);
                known(repaired.address).then_some(repaired)
            }
        }
    }
}

/// Mean power of the halves with a pulse.
fn level<const STRIDE: usize>(halves: &[f32], frame: &Frame) -> f32 {
    let ones = (0..frame.bits()).map(|bit| PREAMBLE + 2 * bit + usize::from(frame.bits_at(bit, 1) == 0));
    let power: f32 = PULSES.into_iter().chain(ones).map(|k| halves[k * STRIDE] * halves[k * STRIDE]).sum();
    power / (PULSES.len() + frame.bits()) as f32
}
