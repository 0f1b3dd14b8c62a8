//! The block around a demodulator or a receiver: samples in, packets out, and the samples with a tag for each.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use superhet_runtime::catalog::{Entry, Kind, Param, Params, PortDoc, input, optional, output};
use superhet_runtime::{
    AnyBlock, Block, BlockError, Context, In, Item, MessageType, MsgOut, Out, Packet, Step, Tag, Value, Work,
};

use super::{AdsbError, Aircraft, Demodulator, Field, Frame, Parity, Position, Settings, Tracker, decode};
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
    /// The sample below which no message will begin any more, where `next` is the first that was not done with.
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
/// The messages do not depend on how the stream is cut, nor on the scheduler.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `f32` ([`AdsbDemod`]) or `C32` ([`AdsbReceiver`](super::AdsbReceiver)) | magnitude `√(i² + q²)` or sample, full scale = 1.0, at `rate_hz` |
/// | out `frames` | packets | `u8`: the bytes of each message, corrected, in the order of the samples |
/// | out `out` | that of `in` | that of `in`, with the tag `adsb` where the preamble of a message starts; may stay unconnected |
///
/// The metadata of a packet, and the value of a tag:
///
/// | entry | value |
/// |---|---|
/// | `hex` | the message, corrected, in hexadecimal digits |
/// | `sample_index`, `duration_samples` | its place in the stream, from the start of the preamble to the end of the last bit |
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
    rate_hz: f64,
    demodulator: D,
    table: AircraftTable,
}

/// The aircraft that an [`AdsbDemod`] has heard; cheap to clone, and can be looked at while the graph runs and after.
#[derive(Clone, Debug)]
pub struct AircraftTable(Arc<Mutex<Tracker>>);

impl AircraftTable {
    /// The aircraft heard so far, in the order of their addresses.
    pub fn snapshot(&self) -> Vec<Aircraft> {
        self.lock().aircraft().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, Tracker> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<D: Detector> AdsbBlock<D> {
    /// A block that has heard nobody yet.
    ///
    /// # Errors
    /// [`AdsbError::Rate`] unless the rate is a whole number from 2 MHz to 1 GHz.
    pub fn new(settings: Settings) -> Result<Self, AdsbError> {
        let demodulator = D::new(settings)?;
        let tracker = Tracker::new(settings.rate_hz);
        Ok(AdsbBlock {
            // Fewer samples than this decide nothing.
            input: In::new().min(demodulator.lookahead()),
            frames: MsgOut::new().sends(MessageType::packets_of::<u8>()),
            output: Out::new().optional(),
            held: Vec::new(),
            tag: "adsb".into(),
            rate_hz: settings.rate_hz,
            demodulator,
            table: AircraftTable(Arc::new(Mutex::new(tracker))),
        })
    }

    /// Sets where the receiver is, without which an aircraft first heard on the ground has no position.
    #[must_use]
    pub fn with_receiver(self, place: Position) -> Self {
        *self.table.lock() = Tracker::new(self.rate_hz).with_receiver(place);
        self
    }

    /// A handle to the table of aircraft, to be taken before the block is added to a graph.
    pub fn aircraft(&self) -> AircraftTable {
        self.table.clone()
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
            let packet = self.packet(&frame);
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

    /// Notes a frame in the table and puts into words what it says.
    fn packet(&self, frame: &Frame) -> Packet<u8> {
        let message = decode(frame);
        let place = self.table.lock().update(frame, &message);
        let degrees = |value: f64| Value::from((value * 1e5).round() / 1e5);
        let parity = match frame.parity {
            Parity::Intact => "intact",
            Parity::Interrogator(_) => "interrogator",
            Parity::Address => "address",
            Parity::Wrong => "wrong",
        };
        let mut entries: Vec<(&str, Value)> = frame
            .fields()
            .into_iter()
            .chain(message.fields())
            .map(|(name, field)| (name, field.into()))
            .collect();
        entries.extend([
            ("sample_index", frame.index.into()),
            ("duration_samples", frame.duration_samples(self.rate_hz).into()),
            ("time_s", (frame.index as f64 / self.rate_hz).into()),
            ("parity", parity.into()),
        ]);
        if let Parity::Interrogator(code) = frame.parity {
            entries.push(("interrogator_code", u32::from(code).into()));
        }
        if let Some(place) = place {
            entries.push(("latitude_deg", degrees(place.latitude_deg)));
            entries.push(("longitude_deg", degrees(place.longitude_deg)));
        }
        let mut packet = Packet::from_items(frame.bytes());
        entries.into_iter().for_each(|(name, value)| packet.set(name, value));
        packet
    }
}

impl From<Field> for Value {
    fn from(field: Field) -> Self {
        match field {
            Field::Text(text) => text.into(),
            Field::Int(number) => number.into(),
            Field::Float(number) => number.into(),
            Field::Bool(flag) => flag.into(),
        }
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
fn receiver(numbers: &[superhet_runtime::C64]) -> Result<Option<Position>, Error> {
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

pub(super) const PARAMS: &[Param] = &[
    optional("rate_hz", Kind::Float(2e6, 1e9), "Hz", "2000000", "Samples per second, a whole number."),
    optional("repair", Kind::Bool, "", "true", "Puts wrong bits right where the sender is known."),
    optional(
        "receiver_deg",
        Kind::Numbers,
        "degrees",
        "[]",
        "Latitude and longitude of the receiver, without which aircraft first heard on the ground have no position.",
    ),
];

pub(super) const FRAMES: PortDoc = output(
    "frames",
    "messages",
    "packets of u8, the bytes of each message; metadata: hex, sample_index, df, icao and what it says",
);

/// The block that its parameters describe.
pub(super) fn made<D: Detector>(params: &Params) -> Result<AnyBlock, BlockError> {
    let block =
        AdsbBlock::<D>::new(Settings { rate_hz: params.float("rate_hz"), repair: params.flag("repair") })?;
    Ok(AnyBlock::new(match receiver(&params.numbers("receiver_deg"))? {
        Some(place) => block.with_receiver(place),
        None => block,
    }))
}

/// How files and the command line find [`AdsbDemod`].
pub const ENTRY: Entry = Entry {
    name: "adsb_demod",
    category: "adsb",
    summary: "Finds Mode S and ADS-B messages in magnitudes, and decodes them.",
    params: PARAMS,
    ports: &[
        input("in", "f32", "magnitude, full scale = 1.0"),
        FRAMES,
        output("out", "f32", "the magnitudes, with a tag adsb where a message starts"),
    ],
    make: made::<Demodulator>,
};

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

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
