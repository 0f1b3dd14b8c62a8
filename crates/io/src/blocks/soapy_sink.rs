//! Samples for a transmitter that a module of SoapySDR drives.

use std::time::{Duration, Instant};

use superhet_runtime::catalog::{Entry, input, output, set_port};
use superhet_runtime::port::{BlockId, InRef, MsgOutRef, PortVisitor};
use superhet_runtime::{
    AnyBlock, Block, BlockError, Context, In, MsgOut, Readiness, Step, Tunable, Tuned, Value, Work,
    message::MessageType,
};

use super::item::FileItem;
use super::link::TIMEOUT;
use super::soapy_settings::{
    ANTENNA, ARGUMENTS, BANDWIDTH, CHANNELS, CLOCK_SOURCE, DC_REMOVAL, FREQUENCY, GAIN, GAINS, IQ_BALANCE,
    PARAMETERS, PPM, RATE, SET, SETTINGS, STREAM_ARGUMENTS, SoapySettings, TIME_SOURCE,
};
use crate::C32;
use crate::error::Error;
use crate::notices::Notices;
use crate::soapy::api::{self, Direction, END_BURST, Moved};
use crate::soapy::radio::{Radio, Setting};

/// Samples for a transmitter that a module of [SoapySDR](https://github.com/pothosware/SoapySDR) drives. The device sets the pace. It is
/// opened with the first samples.
///
/// Two tags of the first input say when: `tx_time`, whole seconds and their fraction in the device's time, at the first sample of a
/// burst, and `tx_eob` at its last one. The end of the stream ends a burst, too. Samples that came too late for the device are an
/// event and a warning: there is no sample to tag.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in`, or `in0`, `in1`, … of several channels | `C32` | full scale = 1.0 |
/// | out `events` | messages: a map with `event`, `index` and, where known, `time_ns` | what the device says of what was sent: `underflow`, `late` |
/// | in `set` | messages | new values of the settings: with [`Tuned`] |
///
/// # Errors
/// At run time: [`Error::Radio`], where the device cannot be opened or set as wanted, or where it fails.
///
/// **Source**: SoapySDR's `Device.h`, ABI 0.8; the tags are those of GNU Radio's sinks.
pub struct SoapySink {
    inputs: Vec<In<C32>>,
    events: MsgOut,
    arguments: String,
    settings: SoapySettings,
    radio: Option<Radio>,
    /// The time of the next sample, where a tag has said one, in nanoseconds.
    time_ns: Option<i64>,
    /// Whether the device may say what has become of samples, and whether the end of the last burst was sent.
    has_status: bool,
    is_ended: bool,
    /// Since when it is waited for the end of the last burst.
    ending: Option<Instant>,
    bytes: Vec<Vec<u8>>,
    notices: Notices,
}

/// The ports of a [`SoapySink`] in a graph, for connecting.
pub struct SoapySinkPorts {
    /// The samples of each channel.
    pub input: Vec<InRef<C32>>,
    /// What the device says of what was sent.
    pub events: MsgOutRef,
}

/// How long the end waits for the device to have sent everything.
const LINGER: Duration = Duration::from_millis(500);
/// The name of the block in errors about its settings.
const NAME: &str = "soapy_sink";

impl std::fmt::Debug for SoapySink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SoapySink")
            .field("arguments", &self.arguments)
            .field("settings", &self.settings)
            .finish()
    }
}

/// What the tags of the next samples say: where the first burst begins that is not at once, or ends, and when.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Marks {
    /// Samples up to there can be written together.
    samples: usize,
    /// The last of them ends a burst.
    ends: bool,
    time_ns: Option<i64>,
}

impl SoapySink {
    /// Will open the device that the arguments name, as `driver=hackrf`, with the first samples.
    ///
    /// # Errors
    /// [`Error::Setting`] where a setting is one that no device has.
    pub fn new(arguments: &str, settings: SoapySettings) -> Result<Self, Error> {
        settings.check(NAME)?;
        Ok(SoapySink {
            inputs: settings.channels.iter().map(|_| In::new()).collect(),
            bytes: settings.channels.iter().map(|_| Vec::new()).collect(),
            events: MsgOut::new().sends(MessageType::Map),
            arguments: arguments.to_owned(),
            settings,
            radio: None,
            time_ns: None,
            has_status: true,
            is_ended: true,
            ending: None,
            notices: Notices::default(),
        })
    }

    fn failed(&self, problem: impl Into<String>) -> Error {
        Error::Radio { address: format!("soapy:{}", self.arguments), problem: problem.into() }
    }

    fn radio(&mut self) -> Result<&mut Radio, Error> {
        let radio = match self.radio.take() {
            Some(radio) => radio,
            None => {
                let SoapySettings { channels, stream_arguments, .. } = &self.settings;
                let all = self.settings.all();
                let opened =
                    Radio::open(Direction::Transmit, &self.arguments, channels, &all, stream_arguments);
                opened.map_err(|problem| self.failed(problem))?
            }
        };
        Ok(self.radio.insert(radio))
    }

    /// What the tags of the next `n` samples say.
    fn marks(&self, n: usize) -> Marks {
        let Some(first) = self.inputs.first() else { return Marks::default() };
        let start = first.index();
        let mut marks = Marks { samples: n, ..Marks::default() };
        first.for_each_tag(n, |tag| {
            let offset = usize::try_from(tag.index.saturating_sub(start)).unwrap_or(usize::MAX);
            // What lies behind the end of this part is for the next one.
            match &*tag.key {
                "tx_time" if offset == 0 => marks.time_ns = nanoseconds(&tag.value),
                "tx_time" if offset < marks.samples => (marks.samples, marks.ends) = (offset, false),
                "tx_eob" if offset < marks.samples => (marks.samples, marks.ends) = (offset + 1, true),
                _ => {}
            }
        });
        marks
    }

    /// Tells of what has happened to samples.
    fn tell(&mut self, moved: Moved) -> Result<(), BlockError> {
        let (event, text) = match moved {
            Moved::Underflow => ("underflow", "samples came too late for the device"),
            Moved::Late => ("late", "a time to transmit at was past already"),
            Moved::Overflow | Moved::Corruption => ("lost", "the device has lost samples"),
            _ => return Ok(()),
        };
        self.notices.warn(|| format!("soapy:{}: {text}", self.arguments));
        let index = self.inputs.first().map_or(0, In::index);
        self.events.send(Value::map([("event", Value::from(event)), ("index", index.into())]))?;
        Ok(())
    }

    /// Asks what has become of samples; whether the end of a burst has been sent.
    fn status(&mut self, timeout: Duration) -> Result<bool, BlockError> {
        let mut timeout = timeout;
        // A driver that always has something to say does not keep samples waiting.
        for _ in 0..16 {
            let Some(radio) = self.radio.as_mut().filter(|_| self.has_status) else { return Ok(false) };
            match radio.status(std::mem::take(&mut timeout)) {
                Moved::NotSupported => self.has_status = false,
                Moved::TimedOut | Moved::Failed(_) => return Ok(false),
                Moved::Samples { flags, .. } if flags & END_BURST != 0 => return Ok(true),
                Moved::Samples { .. } => return Ok(false),
                moved => self.tell(moved)?,
            }
        }
        Ok(false)
    }

    /// Writes the first samples of all inputs.
    fn write(&mut self, n: usize) -> Result<(), BlockError> {
        let most = self.radio()?.most();
        let marks = self.marks(n.min(most));
        let n = marks.samples;
        self.time_ns = marks.time_ns.or(self.time_ns);
        let (format, scale) = self.radio()?.format();
        for (input, bytes) in self.inputs.iter().zip(&mut self.bytes) {
            bytes.clear();
            // A converter of 12 bits takes numbers of 12 bits.
            match scale == 1.0 {
                true => C32::to_bytes(format, &input.peek()[..n], bytes),
                false => {
                    let scaled: Vec<C32> = input.peek()[..n].iter().map(|sample| sample / scale).collect();
                    C32::to_bytes(format, &scaled, bytes);
                }
            }
        }
        let buffers: Vec<&[u8]> = self.bytes.iter().map(Vec::as_slice).collect();
        let time_ns = self.time_ns;
        let Some(radio) = self.radio.as_mut() else { return Ok(()) };
        match radio.write(&buffers, marks.ends, time_ns, TIMEOUT) {
            Moved::Samples { samples, .. } => {
                if samples > 0 {
                    self.time_ns = None;
                    self.is_ended = marks.ends && samples == n;
                }
                self.inputs.iter_mut().for_each(|input| input.consume(samples));
            }
            Moved::TimedOut => {}
            moved @ (Moved::Underflow | Moved::Late | Moved::Overflow | Moved::Corruption) => {
                // What is late now is late when it is tried again.
                if moved == Moved::Late {
                    self.time_ns = None;
                }
                self.tell(moved)?;
            }
            moved @ (Moved::NotSupported | Moved::Failed(_)) => {
                let code = if let Moved::Failed(code) = moved { code } else { -5 };
                return Err(self
                    .failed(format!("writing has failed: {} ({code})", api::error_text(code)))
                    .into());
            }
        }
        self.status(Duration::ZERO)?;
        Ok(())
    }
}

/// A time in nanoseconds, of whole seconds and their fraction, or of seconds.
fn nanoseconds(value: &Value) -> Option<i64> {
    let parts = match value {
        Value::Tuple(parts) => parts.iter().map(Value::as_f64).collect::<Option<Vec<f64>>>()?,
        other => vec![other.as_f64()?],
    };
    let [seconds, fraction] = match parts[..] {
        [seconds] => [seconds.floor(), seconds - seconds.floor()],
        [seconds, fraction] => [seconds, fraction],
        _ => return None,
    };
    let is_time = (0.0..9e9).contains(&seconds) && (0.0..=1.0).contains(&fraction);
    is_time.then(|| {
        (seconds as i64).saturating_mul(1_000_000_000).saturating_add((fraction * 1e9).round() as i64)
    })
}

impl Block for SoapySink {
    type Ports = SoapySinkPorts;

    fn visit(&mut self, visitor: &mut dyn PortVisitor) {
        match &mut self.inputs[..] {
            [input] => visitor.input("in", input),
            inputs => {
                for (index, input) in inputs.iter_mut().enumerate() {
                    visitor.input(&format!("in{index}"), input);
                }
            }
        }
        visitor.message_output("events", &mut self.events);
    }

    fn poll(&self, readiness: &mut Readiness) {
        self.inputs.iter().for_each(|input| input.poll(readiness));
        self.events.poll(readiness);
    }

    fn ports(&self, id: BlockId) -> SoapySinkPorts {
        let input = (0..self.inputs.len()).map(|index| InRef::new(id, index)).collect();
        SoapySinkPorts { input, events: MsgOutRef::new(id, 0) }
    }
}

impl Tunable for SoapySink {
    const PARAMETERS: &'static [&'static str] = PARAMETERS;

    fn position(&self) -> u64 {
        self.inputs.first().map_or(0, In::index)
    }

    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        let mut settings = self.settings.clone();
        let changes: Vec<Setting> = settings.set(name, value)?;
        if let Some(radio) = &mut self.radio {
            changes.iter().try_for_each(|setting| radio.set(setting)).map_err(BlockError::from)?;
        }
        self.settings = settings;
        Ok(())
    }

    fn parameter(&self, name: &str) -> Option<Value> {
        self.settings.value(name)
    }

    fn work_on(&mut self, most: usize, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let n = self.inputs.iter().map(In::available).min().unwrap_or(0).min(most);
        if n == 0 {
            return Ok(Step::NeedInput);
        }
        self.write(n)?;
        Ok(Step::Ran)
    }
}

impl Work for SoapySink {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        self.work_on(usize::MAX, context)
    }

    fn finish(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        if self.radio.is_none() {
            return Ok(Step::Done);
        }
        let began = *self.ending.get_or_insert_with(Instant::now);
        let is_late = began.elapsed() > LINGER;
        if !self.is_ended && !is_late {
            let empty: Vec<&[u8]> = self.inputs.iter().map(|_| &[][..]).collect();
            let Some(radio) = self.radio.as_mut() else { return Ok(Step::Done) };
            // Some drivers take no samples at all for a time-out.
            self.is_ended = matches!(
                radio.write(&empty, true, None, TIMEOUT),
                Moved::Samples { .. } | Moved::NotSupported
            );
            if !self.is_ended {
                context.sleep_until(Instant::now() + TIMEOUT);
                return Ok(Step::Ran);
            }
        }
        // Closing the device at once would cut off what it still has.
        let is_over = is_late || context.is_stopping() || self.status(TIMEOUT)?;
        if !is_over {
            context.sleep_until(Instant::now() + Duration::from_millis(10));
            return Ok(Step::Ran);
        }
        self.radio = None;
        Ok(Step::Done)
    }

    fn blocking(&self) -> bool {
        true
    }
}

/// How files and the command line find [`SoapySink`].
pub const ENTRY: Entry = Entry {
    name: NAME,
    category: "sinks",
    summary: "Samples for a transmitter that a module of SoapySDR drives, one channel or several, in bursts with a time or without end.",
    params: &[
        ARGUMENTS,
        CHANNELS,
        FREQUENCY,
        RATE,
        BANDWIDTH,
        GAIN,
        GAINS,
        PPM,
        ANTENNA,
        DC_REMOVAL,
        IQ_BALANCE,
        SETTINGS,
        CLOCK_SOURCE,
        TIME_SOURCE,
        STREAM_ARGUMENTS,
    ],
    ports: &[
        input("in", "C32", "the samples, full scale = 1.0; of several channels in0, in1 and so on"),
        output("events", "messages", "a map for each underflow and each time that was past"),
        set_port(SET),
    ],
    make: |params| {
        let sink = SoapySink::new(params.text("arguments"), SoapySettings::of_params(params)?)?;
        Ok(AnyBlock::new(Tuned::new(sink)))
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_whole_seconds_and_a_fraction() {
        let pair = |seconds: f64, fraction: f64| Value::Tuple([Value::from(seconds), fraction.into()].into());
        assert_eq!(nanoseconds(&pair(3.0, 0.25)), Some(3_250_000_000));
        assert_eq!(nanoseconds(&1.5.into()), Some(1_500_000_000));
        for wrong in
            [pair(-1.0, 0.0), pair(1.0, 2.0), pair(f64::NAN, 0.0), "x".into(), Value::Tuple([].into())]
        {
            assert_eq!(nanoseconds(&wrong), None, "{wrong}");
        }
    }
}
