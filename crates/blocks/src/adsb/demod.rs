//! From magnitudes to frames: finds preambles, reads the bits, and keeps what the parity proves.

use std::ops::RangeInclusive;

use super::crc;
use super::error::AdsbError;
use super::frame::{Frame, Parity};
use super::halves::HalfMeans;
use super::known::KnownAddresses;
use super::preamble::{self, PULSES, Search};
use super::slicer::{self, PREAMBLE, Sliced};

/// The rate at which a sample is half a bit long, and the lowest that works.
const NATIVE_RATE_HZ: f64 = 2e6;

/// The highest rate that works; far beyond any receiver for this band.
const HIGHEST_RATE_HZ: f64 = 1e9;

/// The cost above which bits are a guess, and what only a known address speaks for is dropped.
const MAX_COST: f32 = 0.5;

/// Halves of the longest message with its preamble.
const LONGEST: usize = PREAMBLE + 224;

/// Halves of the shortest message with its preamble.
const SHORTEST: usize = PREAMBLE + 112;

/// How a [`Demodulator`] is set up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Sample rate in hertz: a whole number from 2 MHz to 1 GHz.
    pub rate_hz: f64,
    /// Whether one wrong bit in a DF11, DF17 or DF18 of a known aircraft is put right.
    pub repair: bool,
}

/// Finds Mode S messages in a stream of magnitudes.
///
/// At 2 MHz every sample is half a bit and is used as it is. At any higher rate the magnitudes are first averaged
/// over 0.5 µs every 0.25 µs, so that of two sampling phases the better one is read.
///
/// A frame is kept if
///
/// - it is a DF11, DF17 or DF18 and its parity leaves no remainder; or
/// - it is a DF11, the remainder is an interrogator code below 80, and the address is known; or
/// - it is a DF0, 4, 5, 16, 20, 21 or 24 and the address overlaid on its parity is known; or
/// - `repair` is set, it is a DF11, DF17 or DF18, one wrong bit outside the format (and outside the interrogator
///   code of a DF11) explains the remainder, and the address so found is known.
///
/// Frames of the last three kinds are dropped if the samples are far from those of the message read. An address is known for 60 s of samples after a DF11, DF17 or DF18 of the first kind.
///
/// | argument | item | unit |
/// |---|---|---|
/// | `mag` | `f32` | magnitude `√(i² + q²)`, full scale = 1.0 |
/// | emitted | [`Frame`] | in the order of `index`; messages do not overlap |
///
/// **Source**: ICAO Annex 10 Vol. IV, 3.1.2 (waveform, formats); Doc 9871.
#[derive(Debug)]
pub struct Demodulator {
    repair: bool,
    known: KnownAddresses,
    /// `None` at 2 MHz, where samples need no averaging.
    means: Option<HalfMeans>,
    lookahead: usize,
}

/// Whether `frame` is a better reading of a message than `other`: proven comes before repaired, and then the
/// reading that catches more power in its pulses, which is the one with the better alignment and fewer wrong bits.
fn beats(frame: &Frame, other: &Frame) -> bool {
    let rank = |frame: &Frame| (frame.repaired_bit.is_none(), frame.level);
    rank(frame) > rank(other)
}

/// The best reading of the positions `around` a preamble, and its position.
fn best(around: RangeInclusive<usize>, read: impl Fn(usize) -> Option<Frame>) -> Option<(usize, Frame)> {
    let readings = around.filter_map(|at| Some((at, read(at)?)));
    readings.reduce(|best, next| if beats(&next.1, &best.1) { next } else { best })
}

impl Demodulator {
    /// Makes a demodulator that has heard nobody yet.
    ///
    /// **Errors**: [`AdsbError::Rate`] unless `rate_hz` is a whole number from 2 MHz to 1 GHz.
    pub fn new(settings: Settings) -> Result<Self, AdsbError> {
        let Settings { rate_hz, repair } = settings;
        if !(NATIVE_RATE_HZ..=HIGHEST_RATE_HZ).contains(&rate_hz) || rate_hz.fract() != 0.0 {
            let (lowest, highest) = (NATIVE_RATE_HZ, HIGHEST_RATE_HZ);
            return Err(AdsbError::Rate { got: rate_hz, lowest, highest });
        }
        let whole_rate = rate_hz as u64;
        let native = rate_hz == NATIVE_RATE_HZ;
        let lookahead = if native {
            window(1)
        } else {
            // A mean reaches two quarters further, and its first quarter may begin within a sample.
            ((window(2) + 2) as f64 * rate_hz / 4e6).ceil() as usize + 1
        };
        let means = (!native).then(|| HalfMeans::new(whole_rate));
        Ok(Self { repair, known: KnownAddresses::new(whole_rate), means, lookahead })
    }

    /// Samples that must be there, from a preamble's first one on, before it is decided.
    pub fn lookahead(&self) -> usize {
        self.lookahead
    }

    /// Emits the frames in `mag`, whose first item is sample `start` of the stream, and returns how many samples
    /// are done with.
    ///
    /// The samples after those are presented again, followed by newer ones; at least [`lookahead`](Self::lookahead)
    /// samples must fit, or nothing moves. What is emitted does not depend on how the stream is cut. With
    /// `end_of_stream` all samples are done with and messages are found up to the last sample.
    pub fn process(
        &mut self,
        mag: &[f32],
        start: u64,
        end_of_stream: bool,
        emit: &mut dyn FnMut(Frame),
    ) -> usize {
        let Some(mut means) = self.means.take() else {
            let done =
                self.scan::<1>(mag, &|position| start.saturating_add(position as u64), end_of_stream, emit);
            return if end_of_stream { mag.len() } else { done };
        };
        means.push(mag, start);
        if end_of_stream {
            means.flush();
        }
        let done = self.scan::<2>(means.means(), &|position| means.sample_of(position), end_of_stream, emit);
        means.drop_oldest(done);
        if end_of_stream {
            means.clear();
        }
        self.means = Some(means);
        mag.len()
    }

    /// The sample below which no message will begin any more, where `next` is the first that was not done with.
    pub fn settled(&self, next: u64) -> u64 {
        self.means.as_ref().filter(|means| !means.means().is_empty()).map_or(next, |means| means.sample_of(0))
    }

    /// Decides every position it can and returns the first one that is left, `STRIDE` positions per half.
    fn scan<const STRIDE: usize>(
        &mut self,
        halves: &[f32],
        sample_of: &dyn Fn(usize) -> u64,
        end_of_stream: bool,
        emit: &mut dyn FnMut(Frame),
    ) -> usize {
        let needed = if end_of_stream { (SHORTEST - 1) * STRIDE + 1 } else { window(STRIDE) };
        let end = (halves.len() + 1).saturating_sub(needed);
        let mut position = 0;
        let mut search = Search::<STRIDE>::new(halves, end);
        while let Some(found) = search.next(position) {
            position = found + 1;
            if !preamble::has_bits::<STRIDE>(&halves[found..]) {
                continue;
            }
            // The same message can be read from the positions just after as well, and often better.
            let around = found..=found + STRIDE;
            let quick = |at| self.read_aligned::<STRIDE>(halves.get(at..)?, sample_of(at));
            let thorough = |at| self.read_likeliest::<STRIDE>(halves.get(at..)?, sample_of(at));
            if let Some((at, frame)) = best(around.clone(), quick).or_else(|| best(around, thorough)) {
                position = at + (PREAMBLE + 2 * frame.bits()) * STRIDE;
                if frame.parity == Parity::Intact && frame.repaired_bit.is_none() {
                    self.known.insert(frame.address, frame.index);
                }
                emit(frame);
            }
        }
        position.max(end).min(halves.len())
    }

    /// Reads the message whose preamble begins at `halves[0]`, comparing the halves of each bit.
    ///
    /// That is quick and enough for most; only an intact parity counts as success.
    fn read_aligned<const STRIDE: usize>(&self, halves: &[f32], index: u64) -> Option<Frame> {
        let sliced = slicer::compare(halves, STRIDE)?;
        let (bytes, length) = sliced.bytes();
        if crc::remainder(&bytes[..length]) != 0 {
            return None;
        }
        let mut frame = self.judge(&sliced, index)?;
        frame.level = level::<STRIDE>(halves, &frame);
        frame.level.is_finite().then_some(frame)
    }

    /// Reads the message whose preamble begins at `halves[0]`, with several guesses of how samples and pulses lie.
    fn read_likeliest<const STRIDE: usize>(&self, halves: &[f32], index: u64) -> Option<Frame> {
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
        for frame in preamble::spills::<STRIDE>(halves, levels).filter_map(read) {
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

/// Entries that decide a position: the longest message, and as long again from the positions up to one half later.
const fn window(stride: usize) -> usize {
    (LONGEST + 1) * stride
}

/// Mean power of the halves with a pulse.
fn level<const STRIDE: usize>(halves: &[f32], frame: &Frame) -> f32 {
    let ones = (0..frame.bits()).map(|bit| PREAMBLE + 2 * bit + usize::from(frame.bits_at(bit, 1) == 0));
    let power: f32 = PULSES.into_iter().chain(ones).map(|k| halves[k * STRIDE] * halves[k * STRIDE]).sum();
    power / (PULSES.len() + frame.bits()) as f32
}
