//! From magnitudes to frames: finds preambles, reads the bits, and keeps what the parity proves.

use super::error::AdsbError;
use super::frame::Frame;
use super::halves::HalfMeans;
use super::preamble::{self, Search};
use super::reading::{Reading, best};
use super::slicer::PREAMBLE;

/// The rate at which a sample is half a bit long, and the lowest that works.
const NATIVE_RATE_HZ: f64 = 2e6;

/// The highest rate that works; far beyond any receiver for this band.
const HIGHEST_RATE_HZ: f64 = 1e9;

/// Halves of the longest message with its preamble.
pub(super) const LONGEST: usize = PREAMBLE + 224;

/// Halves of the shortest message with its preamble.
pub(super) const SHORTEST: usize = PREAMBLE + 112;

/// How a [`Demodulator`] is set up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Sample rate in hertz: a whole number from 2 MHz to 1 GHz.
    pub rate_hz: f64,
    /// Whether one wrong bit in a DF11, DF17 or DF18 of a known aircraft is put right; by a [`Receiver`](super::Receiver)
    /// two as well.
    pub repair: bool,
}

impl Settings {
    /// The rate, if it can work.
    pub(super) fn whole_rate(&self) -> Result<u64, AdsbError> {
        let (rate_hz, lowest, highest) = (self.rate_hz, NATIVE_RATE_HZ, HIGHEST_RATE_HZ);
        if !(lowest..=highest).contains(&rate_hz) || rate_hz.fract() != 0.0 {
            return Err(AdsbError::Rate { got: rate_hz, lowest, highest });
        }
        Ok(rate_hz as u64)
    }
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
    reading: Reading,
    /// `None` at 2 MHz, where samples need no averaging.
    means: Option<HalfMeans>,
    lookahead: usize,
}

impl Demodulator {
    /// Makes a demodulator that has heard nobody yet.
    ///
    /// **Errors**: [`AdsbError::Rate`] unless `rate_hz` is a whole number from 2 MHz to 1 GHz.
    pub fn new(settings: Settings) -> Result<Self, AdsbError> {
        let rate_hz = settings.rate_hz;
        let whole_rate = settings.whole_rate()?;
        let native = rate_hz == NATIVE_RATE_HZ;
        let lookahead = if native {
            window(1)
        } else {
            // A mean reaches two quarters further, and its first quarter may begin within a sample.
            ((window(2) + 2) as f64 * rate_hz / 4e6).ceil() as usize + 1
        };
        let means = (!native).then(|| HalfMeans::new(whole_rate));
        Ok(Self { reading: Reading::of_magnitudes(whole_rate, settings.repair), means, lookahead })
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
        let mut search = Search::<STRIDE>::new(halves, preamble::MAGNITUDES, end);
        while let Some(found) = search.next(position) {
            position = found + 1;
            if !preamble::has_bits::<STRIDE>(&halves[found..]) {
                continue;
            }
            // The same message can be read from the positions just after as well, and often better.
            let around = found..=found + STRIDE;
            let quick = |at| self.reading.aligned::<STRIDE>(halves.get(at..)?, sample_of(at));
            let thorough = |at| self.reading.likeliest::<STRIDE>(halves.get(at..)?, sample_of(at));
            if let Some((at, frame)) = best(around.clone(), quick).or_else(|| best(around, thorough)) {
                position = at + (PREAMBLE + 2 * frame.bits()) * STRIDE;
                self.reading.note(&frame);
                emit(frame);
            }
        }
        position.max(end).min(halves.len())
    }
}

/// Entries that decide a position: the longest message, and as long again from the positions up to one half later.
pub(super) const fn window(stride: usize) -> usize {
    (LONGEST + 1) * stride
}
