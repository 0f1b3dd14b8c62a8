//! The block around a demodulator or a receiver: samples in, packets out, and the samples with a tag for each; and what
//! makes packets of frames.

use std::sync::Arc;

use superhet_runtime::catalog::{Parameters, PortDoc, output};
use superhet_runtime::{
    Block, BlockError, C64, Context, In, Item, MsgOut, Out, Packet, Step, Tag, Work, declare,
    message::MessageType,
};

use super::decoder::{AircraftTable, Decoder};
use super::{AdsbError, Demodulator, Frame, Parity, Position, Settings};
use crate::error::Error;

/// What finds messages in a stream: [`Demodulator`] in magnitudes, [`Receiver`](super::Receiver) in complex samples.
pub trait Detector: std::fmt::Debug + Send + Sized + 'static {
    /// What is taken.
    type Sample: Item;
    /// One that has heard nobody yet.
    ///
    /// # Errors
    /// [`AdsbError::Rate`] unless the rate is a whole number from 2 MHz to 1 GHz.
    fn new(settings: Settings) -> Result<Self, AdsbError>;
    /// Fewer samples than this decide nothing.
    fn lookahead(&self) -> usize;
    /// Emits the frames in the samples, the first of which is sample `start`, and returns how many are done with.
    fn process(
        &mut self,
        samples: &[Self::Sample],
        start: u64,
        end_of_stream: bool,
        emit: &mut dyn FnMut(Frame),
    ) -> usize;
    /// The item below which no message will begin any more, where `next` is the first that was not done with.
    fn settled(&self, next: u64) -> u64;
}

impl Detector for Demodulator {
    type Sample = f32;

    fn new(settings: Settings) -> Result<Self, AdsbError> {
        Self::new(settings)
    }

    fn lookahead(&self) -> usize {
        self.lookahead()
    }

    fn process(
        &mut self,
        samples: &[f32],
        start: u64,
        end_of_stream: bool,
        emit: &mut dyn FnMut(Frame),
    ) -> usize {
        self.process(samples, start, end_of_stream, emit)
    }

    fn settled(&self, next: u64) -> u64 {
        self.settled(next)
    }
}

/// Finds messages in magnitudes.
pub type AdsbDemod = AdsbBlock<Demodulator>;

/// Finds Mode S and ADS-B messages in magnitudes or in complex samples, and decodes them; see [`Demodulator`] and
/// [`Receiver`](super::Receiver) for what is found.
///
/// An [`AdsbReceiver`](super::AdsbReceiver) does what an [`AdsbChannel`](super::AdsbChannel), an
/// [`AdsbPreambles`](super::AdsbPreambles), an [`AdsbChannelDemod`](super::AdsbChannelDemod) and an
/// [`AdsbDecode`](super::AdsbDecode) do. Workers share the four.
///
/// The messages do not depend on how the stream is cut, nor on the scheduler.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `f32` ([`AdsbDemod`]) or `C32` | magnitude `√(i² + q²)` or sample at `rate_hz`; full scale = 1.0 |
/// | out `frames` | packets | `u8`: the bytes of each message, corrected, in the order of the samples |
/// | out `out` | that of `in` | that of `in`, with the tag `adsb` where the preamble of a message starts; may stay unconnected |
///
/// The metadata of a packet, and the value of a tag:
///
/// | entry | value |
/// |---|---|
/// | `hex` | the message, corrected, in hexadecimal digits |
/// | `sample_index`, `duration_samples` | its place in samples at `rate_hz`, from the start of the preamble to the end of the last bit |
/// | `time_s` | seconds from the start of the stream |
/// | `level_dbfs` | mean power of its pulses, full scale = 0 |
/// | `df`, `icao` | downlink format; the sender's address in hexadecimal digits |
/// | `parity` | `intact`, `interrogator` (then `interrogator_code` is there) or `address` |
/// | `repaired_bit`, `second_repaired_bit` | the bits, counted from 0, that were wrong on air; not there if none were |
/// | `latitude_deg`, `longitude_deg` | the position, where this message and earlier ones give it |
/// | all others | what the message says, units in the names; see [`Message::fields`](super::Message::fields) |
///
/// # Example
///
/// ```
/// use superhet_blocks::adsb::{AdsbDemod, AdsbPrint, Settings, Style};
/// use superhet_blocks::sources::VectorSource;
/// use superhet_runtime::Graph;
///
/// // An all-call reply: four pulses, then a pulse in the first or second half of each bit.
/// let mut magnitude = vec![0.01f32; 400];
/// let bytes = [0x5d, 0x4d, 0x20, 0x23, 0x7a, 0x55, 0xa6_u8];
/// let ones = (0..56).map(|bit| 16 + 2 * bit + usize::from(bytes[bit / 8] >> (7 - bit % 8) & 1 == 0));
/// [0, 2, 7, 9].into_iter().chain(ones).for_each(|at| magnitude[20 + at] = 0.5);
///
/// let mut graph = Graph::new();
/// let source = graph.add("source", VectorSource::new(magnitude, false)?);
/// let demod = AdsbDemod::new(Settings { rate_hz: 2e6, repair: true })?;
/// let table = demod.aircraft();
/// let demod = graph.add("demod", demod);
/// let print = AdsbPrint::new(Style::Text);
/// let count = print.count();
/// let print = graph.add("print", print);
/// graph.connect(source.output, demod.input);
/// graph.connect(demod.frames, print.frames);
/// graph.run()?;
/// assert_eq!(count.get(), 1);
/// assert_eq!(table.snapshot()[0].address, 0x4d2023);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct AdsbBlock<D: Detector> {
    #[port("in")]
    input: In<D::Sample>,
    #[port]
    frames: MsgOut,
    #[port("out")]
    output: Out<D::Sample>,
    /// Samples that are not given yet: a message may still be found in them.
    held: Vec<D::Sample>,
    tag: Arc<str>,
    demodulator: D,
    reporter: Reporter,
}

/// Makes a packet of each frame.
#[derive(Debug)]
pub(super) struct Reporter {
    rate_hz: f64,
    decoder: Decoder,
    /// Whether it says what messages say.
    decodes: bool,
}

impl<D: Detector> AdsbBlock<D> {
    /// A block that has heard nobody yet.
    ///
    /// # Errors
    /// [`AdsbError::Rate`] unless the rate is a whole number from 2 MHz to 1 GHz.
    pub fn new(settings: Settings) -> Result<Self, AdsbError> {
        let demodulator = D::new(settings)?;
        Ok(AdsbBlock {
            // Fewer samples than this decide nothing.
            input: In::new().min(demodulator.lookahead()),
            frames: MsgOut::new().sends(MessageType::packets_of::<u8>()),
            output: Out::new().optional(),
            held: Vec::new(),
            tag: "adsb".into(),
            demodulator,
            reporter: Reporter::new(settings.rate_hz),
        })
    }

    /// Sets where the receiver is, without which an aircraft first heard on the ground has no position.
    #[must_use]
    pub fn with_receiver(self, place: Position) -> Self {
        self.reporter.set_receiver(place);
        self
    }

    /// Leaves it to an [`AdsbDecode`](super::AdsbDecode) behind it to say what messages say: of the metadata below there are the place,
    /// `hex`, `level_dbfs`, `parity` and the bits that were repaired.
    #[must_use]
    pub fn undecoded(self) -> Self {
        AdsbBlock { reporter: self.reporter.undecoded(), ..self }
    }

    /// A handle to the table of aircraft, to be taken before the block is added to a graph.
    pub fn aircraft(&self) -> AircraftTable {
        self.reporter.decoder.aircraft()
    }

    /// Demodulates what is there and sends what was found.
    fn process(&mut self, end_of_stream: bool) -> Result<usize, BlockError> {
        let (mut found, start) = (Vec::new(), self.input.index());
        let samples = if end_of_stream { self.input.rest() } else { self.input.peek() };
        let done = self.demodulator.process(samples, start, end_of_stream, &mut |frame| found.push(frame));
        let is_tagged = self.output.is_connected();
        if is_tagged {
            self.held.extend_from_slice(&samples[..done]);
            let output = &mut self.output;
            self.input.for_each_tag(done, |tag| output.put_tag(tag.clone()));
        }
        self.input.consume(done);
        for frame in found {
            let packet = self.reporter.packet(&frame);
            if is_tagged {
                let (key, source) = (self.tag.clone(), self.output.source());
                self.output.put_tag(Tag { index: frame.index, key, value: packet.meta(), source });
            }
            self.frames.send(packet)?;
        }
        Ok(done)
    }

    /// Gives the samples in which no message will be found any more; how many.
    fn give(&mut self) -> usize {
        let room = self.output.reserve();
        // What is not done with is not held either.
        let next = self.input.index();
        let unsettled = (next - self.demodulator.settled(next)) as usize;
        let n = self.held.len().saturating_sub(unsettled).min(room.len());
        room[..n].copy_from_slice(&self.held[..n]);
        self.output.produce(n);
        self.held.drain(..n);
        n
    }
}

impl Reporter {
    /// Has heard nobody yet; says what messages say.
    pub fn new(rate_hz: f64) -> Self {
        Reporter { rate_hz, decoder: Decoder::new(rate_hz), decodes: true }
    }

    pub fn set_receiver(&self, place: Position) {
        self.decoder.set_receiver(place);
    }

    pub fn undecoded(self) -> Self {
        Reporter { decodes: false, ..self }
    }

    /// A packet of a frame, with what is known of it.
    pub fn packet(&self, frame: &Frame) -> Packet<u8> {
        let parity = match frame.parity {
            Parity::Intact => "intact",
            Parity::Interrogator(_) => "interrogator",
            Parity::Address => "address",
            Parity::Wrong => "wrong",
        };
        let code = if let Parity::Interrogator(code) = frame.parity { Some(code) } else { None };
        let about = [
            ("sample_index", frame.index.into()),
            ("duration_samples", frame.duration_samples(self.rate_hz).into()),
            ("time_s", (frame.index as f64 / self.rate_hz).into()),
            ("parity", parity.into()),
        ];
        let known = frame.fields().into_iter().map(|(name, field)| (name, field.into()));
        let code = code.map(|code| ("interrogator_code", u32::from(code).into()));
        let said = self.decodes.then(|| self.decoder.entries(frame)).into_iter().flatten();
        let mut packet = Packet::from_items(frame.bytes());
        packet.set_all(known.chain(about).chain(code).chain(said));
        packet
    }
}

impl<D: Detector> Work for AdsbBlock<D> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        // Whoever reads slowly is waited for.
        let is_ahead = self.held.len() > 4 * self.demodulator.lookahead() && self.output.room() == 0;
        let done = if is_ahead { 0 } else { self.process(false)? };
        Ok(match self.give() + done {
            0 if is_ahead => Step::NeedOutput,
            0 => Step::NeedInput,
            _ => Step::Ran,
        })
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.process(true)?;
        while self.give() > 0 {}
        Ok(if self.held.is_empty() { Step::Done } else { Step::NeedOutput })
    }
}

/// The place that two numbers say, if there are any.
pub(super) fn receiver(numbers: &[superhet_runtime::C64]) -> Result<Option<Position>, Error> {
    let wanted = "[latitude, longitude] with |latitude| ≤ 90, |longitude| ≤ 180";
    match numbers {
        [] => Ok(None),
        [latitude, longitude]
            if latitude.im == 0.0
                && longitude.im == 0.0
                && latitude.re.abs() <= 90.0
                && longitude.re.abs() <= 180.0 =>
        {
            Ok(Some(Position { latitude_deg: latitude.re, longitude_deg: longitude.re }))
        }
        [first, ..] => {
            Err(Error::Element { parameter: "receiver_deg", place: 0, wanted, got: first.re.to_string() })
        }
    }
}

pub(super) const FRAMES: PortDoc = output(
    "frames",
    "messages",
    "packets of u8, the bytes of each message; metadata: hex, sample_index, df, icao and what it says",
);

/// What the blocks that find messages have in common.
#[derive(Debug, Parameters)]
pub(super) struct Common {
    /// Samples per second, a whole number.
    #[param(unit = "Hz", range = 2e6..=1e9, default = 2000000)]
    rate_hz: f64,
    /// Puts wrong bits right where the sender is known.
    #[param(default = true)]
    repair: bool,
    /// Latitude and longitude of the receiver, without which aircraft first heard on the ground have no position.
    #[param(unit = "degrees", json = "[]")]
    receiver_deg: Vec<C64>,
    /// Says what the messages say, too; false: adsb_decode does that behind it.
    #[param(default = true)]
    decode: bool,
}

impl Common {
    pub fn settings(&self) -> Settings {
        Settings { rate_hz: self.rate_hz, repair: self.repair }
    }

    /// The block that the parameters describe.
    pub fn block<D: Detector>(&self) -> Result<AdsbBlock<D>, BlockError> {
        let block = AdsbBlock::<D>::new(self.settings())?;
        Ok(AdsbBlock { reporter: self.reporter(block.reporter)?, ..block })
    }

    /// The reporter as `decode` and `receiver_deg` ask for it.
    pub fn reporter(&self, reporter: Reporter) -> Result<Reporter, BlockError> {
        if let Some(place) = receiver(&self.receiver_deg)? {
            reporter.set_receiver(place);
        }
        Ok(if self.decode { reporter } else { reporter.undecoded() })
    }
}

#[declare(
    category = "adsb",
    summary = "Finds Mode S and ADS-B messages in magnitudes, and decodes them.",
    ports(
        input("in", "f32", "magnitude, full scale = 1.0"),
        FRAMES,
        output("out", "f32", "the magnitudes, with a tag adsb where a message starts")
    )
)]
fn adsb_demod(#[param(group)] common: Common) -> Result<AdsbDemod, BlockError> {
    common.block()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use superhet_runtime::Value;

    use super::*;

    #[test]
    fn parameters_that_cannot_work_are_refused_with_what_was_expected() {
        let error = |name: &str, value: Value| {
            let given = BTreeMap::from([(name.to_owned(), value)]);
            ENTRY.build(&given).unwrap_err()[0].to_string()
        };
        assert!(error("rate_hz", 48e3.into()).starts_with("rate_hz: expected a number from 2000000"));
        assert!(error("rate_hz", 2_000_000.5.into()).contains("a whole number of hertz"));
        let place = |latitude: f64| Value::from(vec![Value::from(latitude), Value::from(4.0)]);
        assert!(error("receiver_deg", place(91.0)).contains("receiver_deg[0] = 91: expected [latitude"));
        assert!(ENTRY.build(&BTreeMap::from([("receiver_deg".to_owned(), place(52.0))])).is_ok());
    }
}
