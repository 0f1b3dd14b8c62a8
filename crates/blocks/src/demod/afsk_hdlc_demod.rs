//! HDLC frames out of two audio tones, by several demodulators at once.

use std::collections::VecDeque;

use superhet_runtime::catalog::Kind;
use superhet_runtime::{
    Block, BlockError, Context, In, MsgOut, Packet, Step, Tag, Work, declare, message::MessageType,
};

use super::afsk_demod::{Afsk, AfskDemod, AfskDetector};
use super::demodulator::FrontEnd;
use super::symbol_timing::SymbolTiming;
use crate::digital::framing::frame_merge::{FoundFrame, FrameMerge};
use crate::digital::framing::hdlc::{Frames, LONGEST};
use crate::error::Error;
use crate::tags::IndexClock;

/// Demodulates two audio tones in several ways at once, and sends the HDLC frames that any of them finds, each once.
///
/// One demodulator takes the tone that is louder, another how far the signal turns: those of [`AfskDetector`]. The first hears stations
/// whose higher tone is much weaker than the lower one, as where the audio has gone through a filter for voice once more than it
/// should; the second hears weaker stations. The symbols of each are sliced at three levels, half way between the tones and a tenth of
/// their distance to either side. Behind each of the six slicers are an NRZI decoder and a deframer: it is as
/// [`AfskDemod`], [`BinarySlicer`](crate::digital::BinarySlicer), `nrzi_decode` and
/// [`HdlcDeframer`](crate::digital::HdlcDeframer) behind each other, six times. Frames come in the order of their ends. The same bytes
/// within half of a frame's length are one frame.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `f32` | audio, any |
/// | out `out` | packets of `u8` | bytes, without the checksum |
///
/// Behind [`IndexTags`](crate::tags::IndexTags) a packet has the entries `sample_index`, where its frame begins, and `duration_samples`.
/// A frame is sent when about 40 more symbols have come, or at the end.
///
/// # Source
/// ISO/IEC 13239. The demodulators: see [`AfskDemod`]. Several slicers on one channel: J. Langner, A Better APRS Packet
/// Demodulator, part 1: 1200 baud AFSK, 2014.
///
/// ```
/// use superhet_blocks::demod::{Afsk, AfskHdlcDemod};
/// use superhet_blocks::{sinks::{Lines, MessageDebug}, sources::VectorSource};
/// use superhet_runtime::Graph;
///
/// // Flags, a frame with `12`, flags; a zero changes the tone.
/// let flags = "01111110".repeat(30);
/// let bits = flags.clone() + "1000110001001100001101010100110101111110" + &flags;
/// let (mut phase, mut tone_hz, mut audio) = (0.0f32, 1200.0, vec![0.0; 4800]);
/// for bit in bits.bytes() {
///     if bit == b'0' {
///         tone_hz = 3400.0 - tone_hz;
///     }
///     audio.extend((0..40).map(|_| {
///         phase = (phase + std::f32::consts::TAU * tone_hz / 48e3) % std::f32::consts::TAU;
///         phase.sin()
///     }));
/// }
/// let bell_202 = Afsk { rate_hz: 48e3, symbol_rate_hz: 1200.0, mark_hz: 1200.0, space_hz: 2200.0 };
/// let (lines, text) = Lines::memory();
/// let mut graph = Graph::new();
/// let source = graph.add("source", VectorSource::new(audio, false)?);
/// let demod = graph.add("demod", AfskHdlcDemod::new(&bell_202, 1, 500)?);
/// let print = graph.add("print", MessageDebug::new(lines, None));
/// graph.connect(source.output, demod.input);
/// graph.connect(demod.output, print.input);
/// graph.run()?;
/// assert_eq!(text.take(), "{\"packet\":[{},{\"hex\":\"3132\"}]}\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct AfskHdlcDemod {
    #[port("in")]
    input: In<f32>,
    #[port("out")]
    output: MsgOut,
    branches: Vec<Branch>,
    merge: FrameMerge,
}

/// The levels that symbols are sliced at: half way between the tones, and a tenth of their distance to either side.
const THRESHOLDS: [f32; 3] = [-0.2, 0.0, 0.2];

/// A demodulator, and slicers behind it.
#[derive(Clone, Debug)]
struct Branch {
    front_end: AfskDemod,
    timing: SymbolTiming,
    slicers: [Slicer; THRESHOLDS.len()],
    /// Tags behind the last symbol.
    tags: VecDeque<Tag>,
    clock: IndexClock,
    /// The last symbol, in samples of the audio.
    at: f64,
}

/// Slices symbols at a threshold, and takes the frames out of the bits.
#[derive(Clone, Debug)]
struct Slicer {
    threshold: f32,
    was_mark: bool,
    frames: Frames,
    /// Where the frame begins, in samples of the audio and, where they are known, of the recording.
    start: (f64, Option<u64>),
}

impl Slicer {
    /// Takes a symbol; the frame that ends with it.
    fn take(&mut self, symbol: f32, at: f64, clock: &IndexClock) -> Option<FoundFrame> {
        // A zero is a change of the tone: NRZI.
        let is_mark = symbol > self.threshold;
        let is_same = std::mem::replace(&mut self.was_mark, is_mark) == is_mark;
        let frame = self.frames.take(u8::from(is_same));
        let sample = || clock.sample_of(at.round() as u64);
        let (start, start_sample) = self.start;
        let found =
            frame.map(|bytes| FoundFrame { bytes, start, end: at, samples: start_sample.zip(sample()) });
        if self.frames.is_at_start() {
            self.start = (at, sample());
        }
        found
    }
}

impl Branch {
    fn new(afsk: &Afsk, detector: AfskDetector, frames: &Frames) -> Result<Self, Error> {
        let slicer =
            |threshold| Slicer { threshold, was_mark: false, frames: frames.clone(), start: (0.0, None) };
        Ok(Branch {
            front_end: AfskDemod::front_end(afsk, detector)?,
            timing: SymbolTiming::new(None),
            slicers: THRESHOLDS.map(slicer),
            tags: VecDeque::new(),
            clock: IndexClock::default(),
            at: f64::NEG_INFINITY,
        })
    }

    /// Takes audio, or nothing at the end; `found` gets each frame, with the number of its slicer.
    fn read(&mut self, x: Option<&[f32]>, mut found: impl FnMut(usize, FoundFrame)) {
        let Branch { front_end, timing, slicers, tags, clock, at } = self;
        let step = front_end.step();
        let symbol = |symbol: f32, instant: f64| {
            *at = instant * step;
            while let Some(tag) = tags.pop_front_if(|tag| tag.index as f64 <= *at) {
                clock.note(&tag);
            }
            for (number, slicer) in slicers.iter_mut().enumerate() {
                if let Some(frame) = slicer.take(symbol, *at, clock) {
                    found(number, frame);
                }
            }
        };
        match x {
            Some(x) => {
                front_end.take(x, timing);
                timing.give(symbol);
            }
            None => {
                front_end.take(&vec![0.0; front_end.tail()], timing);
                timing.finish(symbol);
            }
        }
    }
}

#[declare(
    category = "demod",
    summary = "Demodulates two audio tones in several ways at once, and sends the HDLC frames that any of them finds.",
    ports(input("in", "f32", "audio"), output("out", "messages", "packets of u8"))
)]
impl AfskHdlcDemod {
    /// Demodulates these tones, and sends packets of so many bytes.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where a number is.
    pub fn new(
        #[param(group)] afsk: &Afsk,
        /// The shortest packet, without the checksum.
        #[param(unit = "bytes", kind = Kind::Integer(0, LONGEST as i64), default = 32)]
        min_length: usize,
        /// The longest packet, without the checksum.
        #[param(unit = "bytes", kind = Kind::Integer(0, LONGEST as i64), default = 500)]
        max_length: usize,
    ) -> Result<Self, Error> {
        let frames = Frames::new(min_length, max_length)?;
        let branch = |detector| Branch::new(afsk, detector, &frames);
        Ok(AfskHdlcDemod {
            input: In::new(),
            output: MsgOut::new().sends(MessageType::packets_of::<u8>()),
            branches: vec![branch(AfskDetector::Envelopes)?, branch(AfskDetector::Turn)?],
            merge: FrameMerge::default(),
        })
    }

    /// Takes audio, or nothing at the end; the frames that can be told by now.
    fn read(&mut self, x: Option<&[f32]>) -> Vec<FoundFrame> {
        let mut all_are_at = f64::INFINITY;
        for (number, branch) in self.branches.iter_mut().enumerate() {
            branch.read(x, |slicer, frame| self.merge.take(number * THRESHOLDS.len() + slicer, frame));
            if x.is_some() {
                all_are_at = all_are_at.min(branch.at);
            }
        }
        std::iter::from_fn(|| self.merge.next(all_are_at)).collect()
    }

    fn send(&mut self, frames: Vec<FoundFrame>) -> Result<(), BlockError> {
        for frame in frames {
            let mut packet = Packet::from_items(&frame.bytes);
            if let Some((start, end)) = frame.samples {
                packet.set("sample_index", start);
                packet.set("duration_samples", end.saturating_sub(start));
            }
            self.output.send(packet)?;
        }
        Ok(())
    }
}

/// So many samples are taken in one call.
const AT_ONCE: usize = 8192;

impl Work for AfskHdlcDemod {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.input.available().min(AT_ONCE);
        if n == 0 {
            return Ok(Step::NeedInput);
        }
        for branch in &mut self.branches {
            self.input.for_each_tag(n, |tag| branch.tags.push_back(tag.clone()));
        }
        let x = self.input.peek()[..n].to_vec();
        self.input.consume(n);
        let frames = self.read(Some(&x));
        self.send(frames)?;
        Ok(Step::Ran)
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let frames = self.read(None);
        self.send(frames)?;
        Ok(Step::Done)
    }
}

#[cfg(test)]
mod tests {
    use super::super::afsk_demod::tests::{BELL_202, audio};
    use super::*;
    use crate::digital::framing::hdlc::{FLAG, checksum, stuff};
    use crate::sinks::{Lines, MessageDebug};
    use crate::sources::VectorSource;
    use crate::testing::noise;
    use superhet_runtime::Graph;

    /// The tones of a frame between flags, a bit each.
    fn tones(bytes: &[u8]) -> Vec<u8> {
        let sum = checksum().of(bytes).to_le_bytes();
        let mut bits = FLAG.repeat(16);
        stuff(bytes.iter().chain(&sum[..2]).copied(), &mut bits);
        bits.extend(FLAG.repeat(2));
        let mut tone = 0;
        let levels = bits.into_iter().map(|bit| {
            tone ^= 1 - bit;
            tone
        });
        levels.collect()
    }

    /// Frames of which the space is so strong by the mark, and with so much noise.
    fn frames(afsk: &Afsk, all: &[(f32, f32)]) -> (Vec<f32>, Vec<Vec<u8>>) {
        let mut audio_of_all = Vec::new();
        let mut sent = Vec::new();
        for (number, &(tilt, noise_by_mark)) in all.iter().enumerate() {
            let text: Vec<u8> = noise(20).iter().map(|x| (x * 100.0) as i8 as u8 ^ number as u8).collect();
            audio_of_all.extend(audio(afsk, &tones(&text), tilt, 1.0, noise_by_mark));
            sent.push(text);
        }
        (audio_of_all, sent)
    }

    fn found(branches: &[AfskDetector], x: &[f32], cut: usize) -> Vec<FoundFrame> {
        let mut demod = AfskHdlcDemod::new(&BELL_202, 5, 100).unwrap();
        let frames = Frames::new(5, 100).unwrap();
        let branch = |detector| Branch::new(&BELL_202, detector, &frames).unwrap();
        demod.branches = branches.iter().copied().map(branch).collect();
        let mut found: Vec<FoundFrame> = x.chunks(cut).flat_map(|x| demod.read(Some(x))).collect();
        found.extend(demod.read(None));
        found
    }

    #[test]
    fn frames_that_either_demodulator_finds_come_once_and_in_order_wherever_the_audio_is_cut() {
        use AfskDetector::{Envelopes, Turn};
        let mut all = Vec::new();
        for n in 0..24 {
            all.extend([(1.0, 1.4 + 0.05 * n as f32), (0.4, 0.7 + 0.05 * n as f32)]);
        }
        let (x, sent) = frames(&BELL_202, &all);
        let names = |found: &[FoundFrame]| found.iter().map(|frame| frame.bytes.clone()).collect::<Vec<_>>();
        let [envelopes, turn] = [Envelopes, Turn].map(|detector| names(&found(&[detector], &x, 8192)));
        let both = found(&[Envelopes, Turn], &x, 8192);
        let wanted: Vec<_> =
            sent.iter().filter(|frame| envelopes.contains(frame) || turn.contains(frame)).cloned().collect();
        assert_eq!(names(&both), wanted);
        let (n, one, other) = (wanted.len(), envelopes.len(), turn.len());
        assert!(n > one && n > other && n < one + other, "{n} of both, {one} of envelopes, {other} of turn");
        for cut in [137, 50_000, x.len()] {
            assert_eq!(found(&[Envelopes, Turn], &x, cut), both, "cut after {cut}");
        }
    }

    #[test]
    fn a_graph_comes_to_its_end_at_any_rate_with_noise_before_and_behind() {
        for rate_hz in [48e3, 240e3, 2.4e6] {
            let afsk = Afsk { rate_hz, ..BELL_202 };
            let (x, sent) = frames(&afsk, &[(1.0, 0.2), (0.5, 0.2)]);
            let silence: Vec<f32> = noise((0.5 * rate_hz) as usize).iter().map(|x| 0.1 * x).collect();
            let x = [&silence[..], &x, &silence].concat();
            let (lines, text) = Lines::memory();
            let mut graph = Graph::new();
            let source = graph.add("source", VectorSource::new(x, false).unwrap());
            let demod = graph.add("demod", AfskHdlcDemod::new(&afsk, 5, 100).unwrap());
            let print = graph.add("print", MessageDebug::new(lines, None));
            graph.connect(source.output, demod.input);
            graph.connect(demod.output, print.input);
            graph.run().unwrap();
            let hex = |frame: &Vec<u8>| frame.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
            let got = text.take();
            let got: Vec<&str> = got.lines().map(|line| line.split('"').nth(5).unwrap()).collect();
            assert_eq!(got, sent.iter().map(hex).collect::<Vec<_>>(), "{rate_hz} Hz");
        }
    }

    #[test]
    fn settings_out_of_range_are_refused() {
        assert!(AfskHdlcDemod::new(&Afsk { space_hz: 1200.0, ..BELL_202 }, 1, 2).is_err());
        assert!(AfskHdlcDemod::new(&BELL_202, 3, 2).is_err());
    }
}
