//! From the channel at 4 MHz to frames: preambles in its magnitudes, and what lies between its values after one.

use superhet_kernels as kernels;
use superhet_runtime::C32;

use super::carrier::{Carrier, InPhase, NONE_IN_PHASE};
use super::channel::{self, CHANNEL_HZ};
use super::demod::{LONGEST, SHORTEST, Settings, window};
use super::error::AdsbError;
use super::frame::Frame;
use super::marks::{self, NONE, PARTS, STRIDE, WINDOW};
use super::preamble;
use super::reading::Reading;
use super::slicer::PREAMBLE;

/// Values on each side of one between them.
const HALF_TAPS: usize = 4;

/// Values before a preamble that are looked at as well.
const BEFORE: usize = HALF_TAPS + 3;

/// Values that decide a position, from it on.
const NEEDED: usize = window(STRIDE) + BEFORE;

/// Zeros before the first value.
const LEAD: usize = BEFORE + 1;

/// How much louder than a message the preamble of another inside it must be: 3 dB.
const LOUDER: f32 = 1.4;

/// By how many parts a message may lie beside its place.
const SHIFTS: [isize; 5] = [0, -2, 2, -4, 4];

/// How many values are dropped at a time.
const DROPPED: usize = 4096;

/// Finds Mode S messages in their channel: complex values at 4 MHz, filtered and without an offset.
///
/// 1. Preambles are looked for in the magnitudes, and marked where the halves of the bits after them differ enough.
/// 2. The values at the middle of each half are interpolated, at the time for which the halves differ most.
/// 3. Their magnitudes are read, and where they are no message, their parts in phase with the carrier, also 1/16 and 1/8 µs
///    beside that time.
/// 4. So are the values as they are, one in each half: what each pulse leaves in them is fitted to the first reading, and the
///    message is the likeliest one for that.
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
    /// The first value of the window that was not looked at.
    next: usize,
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
    /// Those of the values that were searched.
    magnitudes: Vec<f32>,
    /// What [`marks::find`] or [`marks::hits`] says of the first of them.
    marks: Vec<u8>,
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
    /// Values that are not interpolated, one in each half, and their parts in phase.
    samples: Vec<C32>,
    beside: InPhase,
}

impl Window {
    /// Begins at value `first` of the stream: zeros stand for what came before.
    fn restart(&mut self, first: u128) {
        self.first = first as i128 - LEAD as i128;
        self.values.clear();
        self.values.resize(LEAD, C32::ZERO);
        self.magnitudes.clear();
        self.magnitudes.resize(LEAD, 0.0);
        self.marks.clear();
        self.marks.resize(LEAD, NONE);
    }

    /// The value of the stream that comes next; `None` if any may begin one.
    fn next(&self) -> Option<u128> {
        (!self.values.is_empty()).then(|| (self.first + self.values.len() as i128) as u128)
    }

    /// Puts values behind those that are there: as one piece, which `extend_from_slice` does one by one.
    fn append(&mut self, values: &[C32]) {
        let held = self.values.len();
        self.values.resize(held + values.len(), C32::ZERO);
        self.values[held..].copy_from_slice(values);
    }

    /// Looks for preambles where that has not been done and can be.
    fn search(&mut self) {
        let known = self.magnitudes.len();
        self.magnitudes.resize(self.values.len(), 0.0);
        kernels::magnitude(&mut self.magnitudes[known..], &self.values[known..]);
        let from = self.marks.len();
        let count = (self.values.len() + 2).saturating_sub(from + WINDOW);
        self.marks.resize(from + count, NONE);
        if count > 0 {
            marks::hits(&self.magnitudes[from - 1..][..count + WINDOW - 1], &mut self.marks[from..]);
        }
    }

    /// Takes marks of which the first came with value `start` of the stream, [`WINDOW`] − 2 values late.
    fn take_marks(&mut self, marks: &[u8], start: u128) {
        let late = start as i128 - (WINDOW as i128 - 2);
        // Those of what came before the first value say nothing.
        let skip = (self.first + self.marks.len() as i128 - late).clamp(0, marks.len() as i128) as usize;
        self.marks.extend_from_slice(&marks[skip..]);
    }

    /// The first position from `from` to `end` with a mark.
    fn marked(&self, from: usize, end: usize) -> Option<usize> {
        let marks = self.marks.get(from..end.min(self.marks.len()))?;
        // 32 marks at a time, eight in a word.
        let any = |marks: &[u8; 32]| {
            marks.as_chunks().0.iter().fold(0, |any, eight| any | u64::from_ne_bytes(*eight))
        };
        let bare = marks.as_chunks().0.iter().take_while(|marks| any(marks) == 0).count() * 32;
        marks[bare..].iter().position(|mark| *mark != NONE).map(|n| from + bare + n)
    }

    /// How loud the pulses of a preamble at `position` are.
    fn pulse(&self, position: usize) -> f32 {
        let values = &self.values[position..][..PREAMBLE * STRIDE];
        preamble::means::<1>(&std::array::from_fn::<f32, PREAMBLE, _>(|half| values[half * STRIDE].norm())).0
    }

    /// The mark of a hit. Marks from outside are none: their values were not searched.
    fn look(&self, found: usize) -> u8 {
        let magnitudes = self.magnitudes.get(found - 1..).and_then(|magnitudes| magnitudes.first_chunk());
        magnitudes.map_or(NONE, marks::look)
    }

    /// Drops the `count` oldest values.
    fn drop_oldest(&mut self, count: usize) {
        self.values.drain(..count);
        self.magnitudes.drain(..count.min(self.magnitudes.len()));
        self.marks.drain(..count.min(self.marks.len()));
        self.first += count as i128;
    }

    /// As [`drop_oldest`](Self::drop_oldest) once `values` are there, too.
    fn replace_oldest(&mut self, count: usize, values: &[C32]) {
        let held = self.values.len();
        self.drop_oldest(count.min(held));
        let passed = count.saturating_sub(held);
        self.append(&values[passed..]);
        self.marks.drain(..passed.min(self.marks.len()));
        self.first += passed as i128;
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
    /// One that has heard nobody yet.
    ///
    /// # Errors
    /// [`AdsbError::Rate`] unless the rate is a whole number from 2 MHz to 1 GHz.
    pub fn new(settings: Settings) -> Result<Self, AdsbError> {
        let rate_hz = settings.whole_rate()?;
        let between = (0..PARTS).map(|part| channel::taps(HALF_TAPS, 0.5, part as f64 / PARTS as f64));
        let reader = Reader {
            reading: Reading::of_channel(rate_hz, settings.repair),
            between: between.collect(),
            halves: Vec::new(),
            magnitudes: Vec::new(),
            carrier: Carrier::default(),
            samples: Vec::new(),
            beside: NONE_IN_PHASE,
        };
        let window =
            Window { rate_hz, first: 0, values: Vec::new(), magnitudes: Vec::new(), marks: Vec::new() };
        Ok(Self { window, reader, next: BEFORE, decided: i128::MIN, inside: i128::MIN, least_pulse: 0.0 })
    }

    /// Emits the frames in values that follow each other, the first of which is value `start` of the stream.
    pub(super) fn push(&mut self, values: &[C32], start: u128, emit: &mut dyn FnMut(Frame)) {
        self.begin(values, start);
        self.window.append(values);
        self.window.search();
        self.scan(false, emit);
    }

    /// As [`push`](Self::push), where [`AdsbPreambles`](super::AdsbPreambles) has given `marks` for `values`, one for each.
    pub(super) fn push_marked(
        &mut self,
        values: &[C32],
        marks: &[u8],
        start: u128,
        emit: &mut dyn FnMut(Frame),
    ) {
        self.begin(values, start);
        self.window.take_marks(marks, start);
        if !self.pass(values) {
            self.window.append(values);
            self.scan(false, emit);
        }
    }

    /// Emits the frames up to the last value; the next one begins another stream.
    pub(super) fn flush(&mut self, emit: &mut dyn FnMut(Frame)) {
        self.scan(true, emit);
        self.next = BEFORE;
        self.window.values.clear();
        self.window.magnitudes.clear();
        self.window.marks.clear();
    }

    /// The sample below which no message will begin any more, if there are values that are not decided.
    pub(super) fn first_sample(&self) -> Option<u64> {
        (!self.window.values.is_empty()).then(|| self.window.sample_of((self.next - BEFORE) * PARTS))
    }

    /// Forgets what came before where `values` do not follow it.
    fn begin(&mut self, values: &[C32], start: u128) {
        if !values.is_empty() && self.window.next() != Some(start) {
            self.window.restart(start);
            self.next = BEFORE;
            (self.decided, self.inside) = (i128::MIN, i128::MIN);
        }
    }

    /// Goes past the positions that `values` decide and keeps what may still be needed, if none of the marks speaks of a
    /// message, as in noise. Otherwise it does nothing.
    fn pass(&mut self, values: &[C32]) -> bool {
        let end = (self.window.values.len() + values.len() + 1).saturating_sub(NEEDED);
        if end <= self.next || self.window.since_start(self.next * PARTS) < self.inside {
            return false;
        }
        let marks = self.window.marks.get(self.next..).unwrap_or_default();
        if marks::speak_of_messages(marks) {
            return false;
        }
        let row = marks::last_row(&marks[..(end - self.next).min(marks.len())]);
        for n in row.filter(|n| marks[*n] != NONE) {
            let here = self.window.since_start((self.next + n) * PARTS);
            if here > self.decided {
                self.decided = here + PARTS as i128;
            }
        }
        self.window.replace_oldest(end - BEFORE, values);
        self.next = BEFORE;
        true
    }

    /// Decides every position it can.
    fn scan(&mut self, end_of_stream: bool, emit: &mut dyn FnMut(Frame)) {
        let len = self.window.values.len();
        let needed = if end_of_stream { (SHORTEST - 1) * STRIDE + 1 } else { NEEDED };
        let end = (len + 1).saturating_sub(needed);
        let mut position = self.next;
        while let Some(found) = self.window.marked(position, end) {
            position = found + 1;
            // The mark before this one has decided what begins about here, too.
            let here = self.window.since_start(found * PARTS);
            if here <= self.decided || (here < self.inside && self.window.pulse(found) < self.least_pulse) {
                continue;
            }
            let mark = match self.window.marks[found] {
                marks::HIT => self.window.look(found),
                mark => mark,
            };
            if mark == NONE {
                continue;
            }
            self.decided = here + PARTS as i128;
            let Some(parts) = marks::place(mark, found) else { continue };
            if let Some(frame) = self.reader.read(&self.window, parts) {
                self.inside = self.window.since_start(parts + 2 * frame.bits() * STRIDE * PARTS);
                self.least_pulse = LOUDER * frame.level.sqrt();
                self.reader.reading.note(&frame);
                emit(frame);
            }
        }
        self.next = position.max(end).min(len).max(BEFORE);
        // Not each time: what is kept has to be moved.
        if self.next > BEFORE + DROPPED {
            self.window.drop_oldest(self.next - BEFORE);
            self.next = BEFORE;
        }
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
            if shift == 0 {
                let frame = self.read_samples(window, parts, index);
                if frame.is_some() {
                    return frame;
                }
            }
        }
        None
    }

    /// Reads the message whose carrier was just followed by the values with even numbers: at 2 MHz they are the samples, and
    /// the others add nothing to them.
    fn read_samples(&mut self, window: &Window, parts: usize, index: u64) -> Option<Frame> {
        let before = parts / PARTS;
        // The nearest even value; the later one of two.
        let from = before + (window.first + before as i128).rem_euclid(2) as usize;
        self.samples.clear();
        self.samples.extend(window.values[from..].iter().step_by(STRIDE).take(LONGEST));
        let samples = self.carrier.turn_back(&self.samples, &mut self.beside);
        self.reading.by_samples(self.carrier.in_phase(), samples, index)
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
