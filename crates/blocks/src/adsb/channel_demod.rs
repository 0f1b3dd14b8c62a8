//! From the channel at 4 MHz to frames: preambles in its magnitudes, and what lies between its values after one.

use std::ops::RangeInclusive;

use superhet_kernels as kernels;
use superhet_runtime::C32;

use super::adsb_demod::Detector;
use super::carrier::Carrier;
use super::channel::{self, CHANNEL_HZ};
use super::demod::{LONGEST, SHORTEST, Settings, window};
use super::error::AdsbError;
use super::frame::Frame;
use super::preamble::{self, Search};
use super::reading::Reading;

/// Values of the channel per half of a bit.
const STRIDE: usize = 2;

/// Parts of the time between two values.
const PARTS: usize = 8;

/// Values on each side of one between them.
const HALF_TAPS: usize = 4;

/// Values before a preamble that are looked at as well.
const BEFORE: usize = HALF_TAPS + 3;

/// Zeros before the first value.
const LEAD: usize = BEFORE + 1;

/// What the contrast of [`preamble::Bits`] must be at least, where a message is read; 3 % of the noise that looks like
/// a preamble has so much.
const LEAST_CONTRAST: f32 = 0.36;

/// How far the pulses of a preamble stand above its quiet halves where no noise looks like it.
const CLEAR: f32 = 4.0;

/// [`LEAST_CONTRAST`] after a clear preamble: at 2 MHz the halves of many equal bits differ little, as the band ends where
/// their difference is.
const LEAST_CONTRAST_IF_CLEAR: f32 = 0.2;

/// What their level may be, relative to that of the preamble.
const LEVELS: RangeInclusive<f32> = 0.6..=2.2;

/// How much louder than a message the preamble of another inside it must be: 3 dB.
const LOUDER: f32 = 1.4;

/// By how many parts a message may lie beside its place.
const SHIFTS: [isize; 5] = [0, -2, 2, -4, 4];

/// Finds Mode S messages in their channel: complex values at 4 MHz, filtered and without an offset.
///
/// 1. Preambles are looked for in the magnitudes.
/// 2. Where one is found, and the halves of the bits after it differ enough, the values at the middle of each half are
///    interpolated, at the time for which the halves differ most.
/// 3. Their magnitudes are read, and where they are no message, their parts in phase with the carrier, also 1/16 and 1/8 µs
///    beside that time.
///
/// A frame is kept as in [`Demodulator`](super::Demodulator). Besides, `repair` puts two wrong bits right if they are among
/// the eight whose halves differ least and the address so found is known. After a message, one is looked for that begins
/// within it and is louder, or that begins within its last 8 µs.
///
/// | argument | item | unit |
/// |---|---|---|
/// | `values` | `C32` | full scale = 1.0 |
/// | emitted | [`Frame`] | in the order of `index`, which counts samples at `rate_hz`; one that begins within another is louder |
///
/// **Source**: ICAO Annex 10 Vol. IV, 3.1.2 (waveform, formats); Doc 9871.
#[derive(Debug)]
pub struct ChannelDemodulator {
    window: Window,
    reader: Reader,
    /// Up to where it is decided whether a message begins, in parts since the stream's start.
    decided: i128,
    /// Where the last preamble begins that lies in the last message as a whole, likewise, and how loud it must be.
    inside: i128,
    least_pulse: f32,
}

/// The values that are still needed.
#[derive(Debug)]
struct Window {
    /// Samples per second of what the channel is made of.
    rate_hz: u64,
    /// Which value of the stream `values[0]` is.
    first: i128,
    values: Vec<C32>,
    magnitudes: Vec<f32>,
}

/// What reads a message where a preamble was found.
#[derive(Debug)]
struct Reader {
    reading: Reading,
    /// Taps for each part of the time between two values.
    between: Vec<Vec<f32>>,
    /// The middle of each half, and their magnitudes.
    halves: Vec<C32>,
    magnitudes: Vec<f32>,
    carrier: Carrier,
}

impl Window {
    /// Begins at value `first` of the stream: zeros stand for what came before.
    fn restart(&mut self, first: u128) {
        self.first = first as i128 - LEAD as i128;
        self.values.clear();
        self.magnitudes.clear();
        self.values.resize(LEAD, C32::ZERO);
        self.magnitudes.resize(LEAD, 0.0);
    }

    /// The value of the stream that comes next; `None` if any may begin one.
    fn next(&self) -> Option<u128> {
        (!self.values.is_empty()).then(|| (self.first + self.values.len() as i128) as u128)
    }

    fn extend(&mut self, values: &[C32]) {
        let old = self.values.len();
        self.values.extend_from_slice(values);
        self.magnitudes.resize(self.values.len(), 0.0);
        kernels::magnitude(&mut self.magnitudes[old..], values);
    }

    /// Drops the `count` oldest values.
    fn drop_oldest(&mut self, count: usize) {
        self.values.drain(..count);
        self.magnitudes.drain(..count);
        self.first += count as i128;
    }

    /// The place of what is so many parts after the first value, counted from the stream's start.
    fn since_start(&self, parts: usize) -> i128 {
        self.first * PARTS as i128 + parts as i128
    }

    /// The sample in which a pulse begins whose middle is so many parts after the first value.
    fn sample_of(&self, parts: usize) -> u64 {
        let (rate, clock) = (i128::from(self.rate_hz), i128::from(CHANNEL_HZ) * PARTS as i128);
        let start = self.since_start(parts) - PARTS as i128;
        // A sample stands for the time from half a sample before its place to half a sample after it.
        let sample = (2 * start * rate + clock).div_euclid(2 * clock);
        sample.clamp(0, i128::from(u64::MAX)) as u64
    }
}

impl ChannelDemodulator {
    /// Emits the frames in values that follow each other, the first of which is value `start` of the stream.
    pub(super) fn push(&mut self, values: &[C32], start: u128, emit: &mut dyn FnMut(Frame)) {
        if values.is_empty() {
            return;
        }
        if self.window.next() != Some(start) {
            self.window.restart(start);
            (self.decided, self.inside) = (i128::MIN, i128::MIN);
        }
        self.window.extend(values);
        self.scan(false, emit);
    }

    /// Emits the frames up to the last value; the next one begins another stream.
    pub(super) fn flush(&mut self, emit: &mut dyn FnMut(Frame)) {
        self.scan(true, emit);
        self.window.values.clear();
        self.window.magnitudes.clear();
    }

    /// The sample below which no message will begin any more, if there are values that are not decided.
    pub(super) fn first_sample(&self) -> Option<u64> {
        (!self.window.values.is_empty()).then(|| self.window.sample_of(0))
    }

    /// Decides every position it can.
    fn scan(&mut self, end_of_stream: bool, emit: &mut dyn FnMut(Frame)) {
        let magnitudes = self.window.magnitudes.as_slice();
        let needed = if end_of_stream { (SHORTEST - 1) * STRIDE + 1 } else { window(STRIDE) + BEFORE };
        let end = (magnitudes.len() + 1).saturating_sub(needed);
        let mut position = BEFORE;
        let mut search = Search::<STRIDE>::new(magnitudes, preamble::CHANNEL, end);
        while let Some(found) = search.next(position) {
            position = found + 1;
            // The hit before this one has decided what begins about here, too.
            let here = self.window.since_start(found * PARTS);
            if here <= self.decided {
                continue;
            }
            if here < self.inside && preamble::means::<STRIDE>(&magnitudes[found..]).0 < self.least_pulse {
                continue;
            }
            let Some(candidate) = Candidate::near(magnitudes, found) else { continue };
            self.decided = here + PARTS as i128;
            let Some(parts) = candidate.place(magnitudes) else { continue };
            if !preamble::has_bits::<STRIDE>(&magnitudes[candidate.best..]) {
                continue;
            }
            if let Some(frame) = self.reader.read(&self.window, parts) {
                self.inside = self.window.since_start(parts + 2 * frame.bits() * STRIDE * PARTS);
                self.least_pulse = LOUDER * frame.level.sqrt();
                self.reader.reading.note(&frame);
                emit(frame);
            }
        }
        let done = position.max(end).min(magnitudes.len()).saturating_sub(BEFORE);
        self.window.drop_oldest(done);
    }
}

impl Detector for ChannelDemodulator {
    type Sample = C32;

    fn new(settings: Settings) -> Result<Self, AdsbError> {
        let rate_hz = settings.whole_rate()?;
        let between = (0..PARTS).map(|part| channel::taps(HALF_TAPS, 0.5, part as f64 / PARTS as f64));
        let reader = Reader {
            reading: Reading::of_channel(rate_hz, settings.repair),
            between: between.collect(),
            halves: Vec::new(),
            magnitudes: Vec::new(),
            carrier: Carrier::default(),
        };
        let window = Window { rate_hz, first: 0, values: Vec::new(), magnitudes: Vec::new() };
        Ok(Self { window, reader, decided: i128::MIN, inside: i128::MIN, least_pulse: 0.0 })
    }

    fn lookahead(&self) -> usize {
        channel::BLOCK
    }

    fn process(
        &mut self,
        values: &[C32],
        start: u64,
        end_of_stream: bool,
        emit: &mut dyn FnMut(Frame),
    ) -> usize {
        self.push(values, start.into(), emit);
        if end_of_stream {
            self.flush(emit);
        }
        values.len()
    }

    fn settled(&self, next: u64) -> u64 {
        let first = self.window.first.clamp(0, next.into()) as u64;
        if self.window.values.is_empty() { next } else { first }
    }

    fn item_of(&self, sample: u64) -> u64 {
        (u128::from(sample) * u128::from(CHANNEL_HZ) / u128::from(self.window.rate_hz)) as u64
    }
}

impl Reader {
    /// Reads the message whose preamble begins `parts` after the first value.
    fn read(&mut self, window: &Window, parts: usize) -> Option<Frame> {
        let index = window.sample_of(parts);
        self.take(&window.values, parts);
        let frame = self.reading.plain(&self.magnitudes, index);
        if frame.is_some() {
            return frame;
        }
        for shift in SHIFTS {
            if shift != 0 {
                self.take(&window.values, parts.saturating_add_signed(shift));
            }
            let halves = self.carrier.follow(&self.halves, &self.magnitudes)?;
            let frame = self.reading.plain(halves, index);
            let frame = frame.or_else(|| self.reading.likeliest::<1>(halves, index));
            if frame.is_some() {
                return frame;
            }
        }
        None
    }

    /// Takes the values in the middle of the halves of a message that begins `parts` after the first value.
    fn take(&mut self, values: &[C32], parts: usize) {
        let (from, taps) = (parts / PARTS + 1 - HALF_TAPS, &self.between[parts % PARTS]);
        let count = ((values.len() - from).saturating_sub(taps.len() - STRIDE) / STRIDE).min(LONGEST);
        self.halves.resize(count, C32::ZERO);
        kernels::fir_c32_f32(&mut self.halves, &values[from..], taps, STRIDE);
        self.magnitudes.resize(count, 0.0);
        kernels::magnitude(&mut self.magnitudes, &self.halves);
    }
}

/// The value about which a message may begin.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    best: usize,
    /// What its bits are together.
    level: f32,
    /// Their contrast if the message begins one value earlier, here, and one later.
    contrasts: [f32; 3],
}

impl Candidate {
    /// The likeliest beginning next to the hit `found`; `None` if it is further behind, where there will be another hit.
    fn near(magnitudes: &[f32], found: usize) -> Option<Self> {
        let bits = preamble::bits(&magnitudes[found - 1..])?;
        let best = (0..4).max_by(|&a, &b| bits[a].contrast.total_cmp(&bits[b].contrast))?;
        // Half a bit later and earlier are the same.
        let contrasts = [(best + 3) % 4, best, (best + 1) % 4].map(|n| bits[n].contrast);
        (best < 3).then_some(Self { best: found - 1 + best, level: bits[best].level, contrasts })
    }

    /// The place in parts after the first value, if the halves of the bits differ enough and are as loud as the preamble.
    fn place(&self, magnitudes: &[f32]) -> Option<usize> {
        let [before, top, after] = self.contrasts;
        let (pulse, quiet) = preamble::means::<STRIDE>(&magnitudes[self.best..]);
        let least = if pulse > CLEAR * quiet { LEAST_CONTRAST_IF_CLEAR } else { LEAST_CONTRAST };
        if !(top > least && LEVELS.contains(&(self.level / (pulse + quiet)))) {
            return None;
        }
        // The top of the parabola through the three.
        let bend = before + after - 2.0 * top;
        let part = if bend < 0.0 { ((before - after) / (2.0 * bend)).clamp(-0.5, 0.5) } else { 0.0 };
        Some((self.best * PARTS).saturating_add_signed((part * PARTS as f32).round() as isize))
    }
}
