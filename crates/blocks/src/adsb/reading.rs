//! From a preamble to a frame: reads the bits and keeps what the parity proves.

use super::crc;
use super::frame::{Frame, Parity};
use super::known::KnownAddresses;
use super::preamble::{self, PULSES};
use super::response::Response;
use super::slicer::{self, PREAMBLE, Sliced, Spill};

/// The cost above which bits are a guess, and what only a known address speaks for is dropped.
const MAX_COST: f32 = 0.5;

/// Half a pulse to either side: what may come of samples that straddle two halves.
const STRADDLING: &[Spill] = &[Spill { early: 0.5, late: 0.0 }, Spill { early: 0.0, late: 0.5 }];

/// What the filter of a channel leaves, read about the middle of each pulse.
const FILTERED: &[Spill] =
    &[Spill { early: 0.2, late: 0.2 }, Spill { early: 0.5, late: 0.1 }, Spill { early: 0.1, late: 0.5 }];

/// Bits of which two may be repaired at a time: one garbled message of 6e5 looks as if it needed that.
const DOUBTFUL_BITS: usize = 8;

/// How often the response of the halves is fitted to what was read with the one before.
const ROUNDS: usize = 2;

/// What decides whether bits are a message.
#[derive(Debug)]
pub(super) struct Reading {
    repair: bool,
    known: KnownAddresses,
    /// What is tried besides what a preamble shows and none.
    spills: &'static [Spill],
    /// Whether the halves are so clear that two of the most doubtful bits are put right, too.
    repairs_two: bool,
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
    /// Nobody was heard yet; for halves that may straddle those of the bits.
    pub fn of_magnitudes(rate_hz: u64, repair: bool) -> Self {
        Self { repair, known: KnownAddresses::new(rate_hz), spills: STRADDLING, repairs_two: false }
    }

    /// Nobody was heard yet; for the filtered channel, read about the middle of each half.
    pub fn of_channel(rate_hz: u64, repair: bool) -> Self {
        Self { repair, known: KnownAddresses::new(rate_hz), spills: FILTERED, repairs_two: true }
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
        let mut frame = self.judge(&sliced, None, index)?;
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
        let mut frame = self.judge(&sliced, None, index)?;
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
            let mut frame = self.judge(&sliced, self.repairs_two.then_some(halves), index)?;
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

    /// Reads the message in `halves` again, by samples of which each lies at the same place in its half or next to it.
    ///
    /// Only an intact parity counts as success.
    pub fn by_samples(&self, halves: &[f32], samples: &[f32], index: u64) -> Option<Frame> {
        let (mut bits, count) = slicer::compare(halves, 1)?.bits();
        for _ in 0..ROUNDS {
            let sliced = Response::fit(samples, bits, count)?.likeliest(samples, count)?;
            let (bytes, length) = sliced.bytes();
            if crc::remainder(&bytes[..length]) == 0 {
                let mut frame = self.judge(&sliced, None, index)?;
                frame.level = level::<1>(halves, &frame);
                return frame.level.is_finite().then_some(frame);
            }
            bits = sliced.bits().0;
        }
        None
    }

    /// Makes a frame of the bits if their parity proves them, if need be with two bits put right by `halves`.
    fn judge(&self, sliced: &Sliced, halves: Option<&[f32]>, index: u64) -> Option<Frame> {
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
                let message = &bytes[..length];
                let one = crc::single_bit_error(message).map(|bit| (bit, None));
                let (bit, second) = one.or_else(|| {
                    let (a, b) = crc::two_bit_error(message, &doubtful(halves?, length * 8))?;
                    Some((a, Some(b)))
                })?;
                for bit in [Some(bit), second].into_iter().flatten() {
                    bytes[usize::from(bit / 8)] ^= 0x80 >> (bit % 8);
                }
                let mut repaired = Frame::from_bytes(&bytes[..length]).ok()?;
                repaired.index = index;
                (repaired.repaired_bit, repaired.second_repaired_bit) = (Some(bit), second);
                known(repaired.address).then_some(repaired)
            }
        }
    }
}

/// The bits whose halves differ least, in that order.
fn doubtful(halves: &[f32], bits: usize) -> [u8; DOUBTFUL_BITS] {
    let mut least = [(f32::INFINITY, 0); DOUBTFUL_BITS];
    for (n, bit) in halves[PREAMBLE..].as_chunks::<2>().0.iter().take(bits).enumerate() {
        let mut next = ((bit[0] - bit[1]).abs(), n as u8);
        for kept in &mut least {
            if next.0 < kept.0 {
                std::mem::swap(kept, &mut next);
            }
        }
    }
    least.map(|(_, bit)| bit)
}

/// Mean power of the halves with a pulse.
fn level<const STRIDE: usize>(halves: &[f32], frame: &Frame) -> f32 {
    let ones = (0..frame.bits()).map(|bit| PREAMBLE + 2 * bit + usize::from(frame.bits_at(bit, 1) == 0));
    let power: f32 = PULSES.into_iter().chain(ones).map(|k| halves[k * STRIDE] * halves[k * STRIDE]).sum();
    power / (PULSES.len() + frame.bits()) as f32
}
