//! Frames of AIS out of the samples of a channel.

use std::collections::VecDeque;

use superhet_runtime::{
    Block, BlockError, C32, Context, In, MsgOut, Packet, Step, Tag, Work, declare, message::MessageType,
};

use super::ais_decode::{LONGEST, SHORTEST};
use super::gate::Gate;
use super::sequence::Sequence;
use crate::demod::demodulator::{Pulse, dot};
use crate::demod::symbol_timing::INSTANTS;
use crate::demod::{Fsk, FskSample};
use crate::digital::framing::hdlc::{Ends, SUM_BYTES, Unstuffer, checksum};
use crate::error::Error;
use crate::packets::Checksum;
use crate::tags::IndexClock;

/// Bits a second, and how far a long run of equal bits is from the carrier, in Hz.
const SYMBOL_RATE_HZ: f64 = 9600.0;
const DEVIATION_HZ: f32 = 2400.0;
/// The filter of the frequency, in symbols.
const PULSE_SYMBOLS: f64 = 1.4;
/// A frame that comes again within so many instants is the same, heard at another phase.
const AGAIN: u64 = 64 * INSTANTS as u64;

/// Finds the frames of AIS in a channel: GMSK at 9600 Bd with HDLC, those whose checksum is right.
///
/// The signal is a frequency (quadrature demodulation), filtered, at 8 phases of a symbol. Each phase has a search for the likeliest
/// bits (GMSK with BT 0.4 has symbols that reach into those beside them), NRZI, and a deframer. So no clock must be found before a
/// burst can be read, and stations up to 960 Hz off are heard. A frame that several phases read is sent once. Bits are searched for only
/// where the power was 3 dB above that of the noise in the last 4 ms, so that silence costs less.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `C32` | any; the channel in the middle, and nothing beside: best through a filter of 5 kHz to each side |
/// | out `out` | packets of `u8` | bytes of 9 to 160, without the checksum |
///
/// | parameter | unit | range |
/// |---|---|---|
/// | `rate_hz` | samples/s | 19,200 to 9.6·10⁹; best from 38,400 on |
///
/// Behind [`IndexTags`](crate::tags::IndexTags) a packet has the entries `sample_index`, where its frame begins, and `duration_samples`.
///
/// # Source
/// ITU-R M.1371-5, annex 2, sections 2 and 3; ISO/IEC 13239.
///
/// ```
/// use superhet_blocks::{ais::AisDemod, sinks::{Lines, MessageDebug}, sources::VectorSource};
/// use superhet_runtime::{C32, Graph};
///
/// // 24 bits of training, a flag, nine bytes of zeros with their checksum, a flag: by NRZI, 5 samples each, MSK.
/// let text = "010101010101010101010101011111100000000000000000000000000000000000000000000000000000000000000000000000001110011110001101011111100000";
/// let (mut level, mut phase) = (1.0f32, 0.0f32);
/// let burst = text.bytes().flat_map(|bit| {
///     level = if bit == b'0' { -level } else { level };
///     [level; 5]
/// });
/// let samples: Vec<C32> = burst.chain([0.0; 200]).map(|level| {
///     phase += level * std::f32::consts::TAU * 2400.0 / 48e3;
///     C32::from_polar(1.0, phase)
/// }).collect();
/// let (lines, text) = Lines::memory();
/// let mut graph = Graph::new();
/// let source = graph.add("source", VectorSource::new(samples, false)?);
/// let demod = graph.add("demod", AisDemod::new(48e3)?);
/// let print = graph.add("print", MessageDebug::new(lines, None));
/// graph.connect(source.output, demod.input);
/// graph.connect(demod.output, print.input);
/// graph.run()?;
/// assert_eq!(text.take(), "{\"packet\":[{},{\"hex\":\"000000000000000000\"}]}\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Block)]
pub struct AisDemod {
    #[port("in")]
    input: In<C32>,
    #[port("out")]
    output: MsgOut,
    discriminator: <C32 as FskSample>::Discriminator,
    /// The frequency in Hz, and the power.
    streams: [Vec<f32>; 2],
    pulse: Pulse,
    gate: Gate,
    /// The next instant.
    instant: u64,
    phases: Vec<Phase>,
    checksum: Checksum,
    /// Frames that were sent, each with the instant.
    sent: VecDeque<(u64, Vec<u8>)>,
    /// Tags of samples whose instant has not come.
    tags: VecDeque<Tag>,
    clock: IndexClock,
}

/// What reads the symbols at one phase.
#[derive(Clone, Debug)]
struct Phase {
    sequence: Sequence,
    /// The last bit before NRZI.
    last: u8,
    unstuffer: Unstuffer,
    /// The sample that the frame begins with, where that is known.
    start: Option<u64>,
}

impl Phase {
    /// Takes the frequency of a symbol, in deviations; what its bit ends.
    fn take(&mut self, frequency: f32) -> Ends {
        let level = self.sequence.take(frequency);
        let bit = u8::from(level == std::mem::replace(&mut self.last, level));
        self.unstuffer.take(bit)
    }
}

#[declare(
    category = "ais",
    summary = "Finds the frames of AIS in the samples of a channel.",
    ports(
        input("in", "C32", "the channel, in the middle of the band"),
        output("out", "messages", "packets of u8")
    )
)]
impl AisDemod {
    /// For samples at this rate.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where it is.
    pub fn new(
        /// The sample rate.
        #[param(unit = "samples/s", range = 19200.0..)]
        rate_hz: f64,
    ) -> Result<Self, Error> {
        let pulse = Pulse::new(rate_hz, SYMBOL_RATE_HZ, PULSE_SYMBOLS, &[&|_| 1.0])?;
        let phase = Phase {
            sequence: Sequence::default(),
            last: 0,
            unstuffer: Unstuffer::new(LONGEST + SUM_BYTES),
            start: None,
        };
        Ok(AisDemod {
            input: In::new(),
            output: MsgOut::new().sends(MessageType::packets_of::<u8>()),
            discriminator: C32::discriminator(&Fsk::new(rate_hz, SYMBOL_RATE_HZ))?,
            streams: [vec![0.0; pulse.half()], Vec::new()],
            pulse,
            gate: Gate::new(rate_hz / SYMBOL_RATE_HZ),
            instant: 0,
            phases: vec![phase; INSTANTS],
            checksum: checksum(),
            sent: VecDeque::new(),
            tags: VecDeque::new(),
            clock: IndexClock::default(),
        })
    }

    /// Reads what samples are enough for.
    fn read(&mut self, x: &[C32]) -> Result<(), BlockError> {
        let AisDemod { discriminator, streams, pulse, gate, .. } = self;
        gate.take(x);
        C32::append(discriminator, x, streams);
        streams[1].clear();
        let (step, mut frequencies) = (pulse.step(), Vec::new());
        pulse.run([&mut streams[0]], |[window], taps| frequencies.push(dot(window, &taps[0]) / DEVIATION_HZ));
        for frequency in frequencies {
            self.take(frequency, step)?;
        }
        Ok(())
    }

    /// Takes the frequency at the next instant.
    fn take(&mut self, frequency: f32, step: f64) -> Result<(), BlockError> {
        let instant = self.instant;
        self.instant += 1;
        let item = (instant as f64 * step) as u64;
        while let Some(tag) = self.tags.pop_front_if(|tag| tag.index <= item) {
            self.clock.note(&tag);
        }
        if !self.gate.is_open(item) {
            return Ok(());
        }
        let phase = &mut self.phases[instant as usize % INSTANTS];
        let ends = phase.take(frequency);
        // The bit is that of a symbol before.
        let delay = f64::from(Sequence::DELAY) * INSTANTS as f64 * step;
        let item = item.checked_sub(delay as u64);
        let sample = || self.clock.sample_of(item?);
        let start = phase.start;
        if phase.unstuffer.is_at_start() {
            phase.start = sample();
        }
        let Ends::Frame(mut frame) = ends else { return Ok(()) };
        let Some(length) = frame.len().checked_sub(SUM_BYTES) else { return Ok(()) };
        let (data, sum) = frame.split_at(length);
        let is_right = self.checksum.of(data).to_le_bytes()[..SUM_BYTES] == *sum;
        if !is_right || !(SHORTEST..=LONGEST).contains(&length) {
            return Ok(());
        }
        frame.truncate(length);
        while self.sent.pop_front_if(|(at, _)| *at + AGAIN < instant).is_some() {}
        if self.sent.iter().any(|(_, sent)| *sent == frame) {
            return Ok(());
        }
        let mut packet = Packet::from_items(&frame);
        if let Some((start, end)) = start.zip(sample()) {
            packet.set("sample_index", start);
            packet.set("duration_samples", end.saturating_sub(start));
        }
        self.sent.push_back((instant, frame));
        self.output.send(packet)?;
        Ok(())
    }
}

/// So many samples are taken in one call.
const AT_ONCE: usize = 8192;

impl Work for AisDemod {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.input.available().min(AT_ONCE);
        if n == 0 {
            return Ok(Step::NeedInput);
        }
        let tags = &mut self.tags;
        self.input.for_each_tag(n, |tag| tags.push_back(tag.clone()));
        let x = self.input.peek()[..n].to_vec();
        self.input.consume(n);
        self.read(&x)?;
        Ok(Step::Ran)
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let symbols = Sequence::DELAY as usize + 2;
        let nothing = self.pulse.half() + (symbols as f64 * INSTANTS as f64 * self.pulse.step()) as usize;
        self.read(&vec![C32::ZERO; nothing])?;
        Ok(Step::Done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digital::framing::hdlc::{FLAG, stuff};
    use crate::sinks::{Lines, MessageDebug};
    use crate::sources::VectorSource;
    use crate::tags::IndexTags;
    use crate::testing::{complex_noise, cuts, noise};
    use superhet_runtime::{Graph, Options, Single};

    const RATE_HZ: f64 = 50e3;

    fn frame(seed: usize) -> Vec<u8> {
        noise(21 * (seed + 1)).split_off(21 * seed).into_iter().map(|x| (x * 128.0) as i8 as u8).collect()
    }

    /// A burst with this offset, GMSK by way of a Gaussian filter of BT 0.4.
    fn burst(frame: &[u8], offset_hz: f64) -> Vec<C32> {
        let sum = checksum().of(frame).to_le_bytes();
        let mut bits = [0, 1].repeat(12);
        bits.extend(FLAG);
        stuff(frame.iter().chain(&sum[..SUM_BYTES]).copied(), &mut bits);
        bits.extend(FLAG);
        bits.extend([0; 4]);
        let mut level = 1.0;
        let levels: Vec<f64> = bits
            .iter()
            .map(|bit| {
                level = if *bit == 0 { -level } else { level };
                level
            })
            .collect();
        let period = RATE_HZ / SYMBOL_RATE_HZ;
        let sigma = 0.1325 / 0.4;
        let mut phase = 0.0;
        (0..(bits.len() as f64 * period) as usize)
            .map(|n| {
                let at = n as f64 / period;
                let weights = (0..60).map(|k| (k as f64 - 29.5) / 20.0);
                let weight = |x: f64| (-0.5 * (x / sigma).powi(2)).exp();
                let total: f64 = weights.clone().map(weight).sum();
                let level_at = |x: f64| levels.get((at + x).max(0.0) as usize).copied().unwrap_or(0.0);
                let mean: f64 = weights.map(|x| weight(x) * level_at(x)).sum::<f64>() / total;
                phase += std::f64::consts::TAU * (offset_hz + 2400.0 * mean) / RATE_HZ;
                C32::new(phase.cos() as f32, phase.sin() as f32)
            })
            .collect()
    }

    /// Bursts between silence, and noise within these limits.
    fn signal(frames: &[(Vec<u8>, f64)], level: f32) -> Vec<C32> {
        let mut samples = Vec::new();
        for (n, (frame, offset_hz)) in frames.iter().enumerate() {
            samples.resize(samples.len() + 703 + 41 * n, C32::ZERO);
            samples.extend(burst(frame, *offset_hz));
        }
        samples.resize(samples.len() + 500, C32::ZERO);
        let noise = complex_noise(samples.len());
        samples.iter().zip(noise).map(|(x, noise)| *x + noise * level).collect()
    }

    /// The lines that a printer behind it has.
    fn heard(samples: Vec<C32>, options: &Options) -> String {
        let (lines, text) = Lines::memory();
        let mut graph = Graph::new();
        let source = graph.add("source", VectorSource::new(samples, false).unwrap());
        let tags = graph.add("tags", IndexTags::<C32>::new(64).unwrap());
        let demod = graph.add("demod", AisDemod::new(RATE_HZ).unwrap());
        let print = graph.add("print", MessageDebug::new(lines, None));
        graph.connect(source.output, tags.input);
        graph.connect(tags.output, demod.input);
        graph.connect(demod.output, print.input);
        graph.check().unwrap().start(&Single, options).unwrap().wait().unwrap();
        text.take()
    }

    #[test]
    fn bursts_are_read_once_each_wherever_they_begin_and_whatever_their_offset() {
        let frames: Vec<(Vec<u8>, f64)> = (0..12).map(|n| (frame(n), 100.0 * (n as f64 - 5.5))).collect();
        let text = heard(signal(&frames, 0.2), &Options::default());
        assert_eq!(text.lines().count(), frames.len(), "{text}");
        let mut from = 0;
        for (n, (frame, _)) in frames.iter().enumerate() {
            let hex: String = frame.iter().map(|byte| format!("{byte:02x}")).collect();
            let line = text.lines().nth(n).unwrap();
            assert!(line.contains(&hex), "{hex} {line}");
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            // The frame is behind 32 bits.
            let start = from + 703 + 41 * n;
            let wanted = start as f64 + 32.0 * RATE_HZ / SYMBOL_RATE_HZ;
            let at = value["packet"][0]["sample_index"].as_f64().unwrap();
            assert!((at - wanted).abs() < 12.0, "{at}, wanted {wanted}");
            from = start + burst(frame, 0.0).len();
        }
    }

    #[test]
    fn what_is_heard_does_not_depend_on_where_the_input_is_cut() {
        let frames: Vec<(Vec<u8>, f64)> = (0..3).map(|n| (frame(n), 0.0)).collect();
        let samples = signal(&frames, 0.3);
        let whole = heard(samples.clone(), &Options::default());
        assert_eq!(whole.lines().count(), 3);
        for options in cuts() {
            assert_eq!(heard(samples.clone(), &options), whole, "{options:?}");
        }
    }

    #[test]
    fn noise_and_what_is_no_number_give_nothing() {
        let mut samples = complex_noise(200_000);
        samples[100] = C32::new(f32::NAN, f32::INFINITY);
        assert_eq!(heard(samples, &Options::default()), "");
    }

    #[test]
    fn rates_that_are_too_low_are_refused() {
        assert!(AisDemod::new(19e3).is_err() && AisDemod::new(0.0).is_err() && AisDemod::new(19.2e3).is_ok());
    }
}
