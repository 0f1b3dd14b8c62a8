//! Samples of a radio that a module of SoapySDR drives.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use superhet_runtime::catalog::{Entry, Kind, optional, output, set_port};
use superhet_runtime::gap::{Gaps, OnGap};
use superhet_runtime::port::{BlockId, MsgOutRef, OutRef, PortVisitor};
use superhet_runtime::{
    AnyBlock, Block, BlockError, Context, MsgOut, Out, Readiness, Step, Tunable, Tuned, Value, Work,
    message::MessageType, parameter::no_parameter,
};

use super::item::FileItem;
use super::link::{Link, TIMEOUT};
use super::rtl_tcp_settings::{self, ON_GAP, RtlTcpSettings};
use super::soapy_settings::{
    ANTENNA, ARGUMENTS, BANDWIDTH, CHANNELS, CLOCK_SOURCE, DC_REMOVAL, FREQUENCY, GAIN, GAINS, IQ_BALANCE,
    MOST_SILENCE_S, PARAMETERS, PPM, RATE, SET, SETTINGS, STREAM_ARGUMENTS, SoapySettings, TIME_SOURCE,
};
use super::source::tag_known;
use crate::C32;
use crate::error::Error;
use crate::notices::Notices;
use crate::rtl_tcp::arrivals::Arrivals;
use crate::soapy::api::{self, Direction, Moved};
use crate::soapy::radio::{Radio, Setting};

/// Samples of a radio that a module of [SoapySDR](https://github.com/pothosware/SoapySDR) drives. Its library is loaded when the graph
/// runs; where it is not there, the error says what to install.
///
/// A read that gives less than was asked for, nothing, or a time-out is not the end. An overflow is a gap: tagged, counted, and
/// filled or refused as [`SoapySettings::on_gap`] says; see [`gap`](superhet_runtime::gap). Its length is exact where the driver gives
/// samples their time, else it is what the rate and the clock say; where the clock cannot see it, it is not known. Where the
/// driver fails, or nothing comes for [`SoapySettings::silence_s`], the device is opened again after 100 ms, then after twice as long each time, up to 5 s, which is a gap, too;
/// [`SoapySettings::reconnect`] says whether. The first time must succeed: a device that never gives a sample is an error.
///
/// The first item has the tags `rx_time`, `rx_rate` and `rx_freq`; the first after a gap has `rx_time`. Where the rate or the frequency
/// is changed, the next item has the new one as a tag. The time is the machine's at the first sample; from there on it follows the
/// device's, where that has one. A device whose time is within 10 s of the machine's is believed, as one with GPS.
///
/// | port | item | unit |
/// |---|---|---|
/// | out `out`, or `out0`, `out1`, … of several channels | `C32` | full scale = 1.0 |
/// | out `sensors` | messages: a map of texts | what the device's sensors say, every so often |
/// | in `set` | messages | new values of the settings: with [`Tuned`] |
///
/// # Errors
/// At run time: [`Error::Radio`], where the device cannot be opened or set as wanted, or fails and is not to be opened again; a gap, where
/// the settings say so.
///
/// **Source**: SoapySDR's `Device.h`, ABI 0.8.
pub struct SoapySource {
    outputs: Vec<Out<C32>>,
    sensors: MsgOut,
    arguments: String,
    settings: SoapySettings,
    /// How often sensors are read, in seconds; 0: never. And when they are next.
    sensors_s: f64,
    sensors_at: Instant,
    link: Link<Radio>,
    gaps: Vec<Gaps>,
    /// What was read, for each channel, and how much of it was given.
    current: Vec<Vec<C32>>,
    given: usize,
    arrivals: Option<Arrivals>,
    /// Whether samples are missing before those that come next.
    is_behind_gap: bool,
    time: DeviceTime,
    tags: Due,
    notices: Notices,
    heard: Instant,
}

/// The ports of a [`SoapySource`] in a graph, for connecting.
pub struct SoapySourcePorts {
    /// The samples of each channel.
    pub output: Vec<OutRef<C32>>,
    /// What sensors say.
    pub sensors: MsgOutRef,
}

/// What the next item of each output has as tags.
#[derive(Debug, Default)]
struct Due {
    time: Option<f64>,
    rate: bool,
    frequency: bool,
}

/// The time of the device, where it has one.
#[derive(Debug, Default)]
struct DeviceTime {
    /// When the sample behind the last one will be, in nanoseconds.
    next_ns: Option<f64>,
    /// By how many nanoseconds the machine's clock is ahead of the device's.
    offset_ns: Option<f64>,
}

/// A device whose time is off by less than that has the time of day.
const BELIEVED_NS: f64 = 10e9;
/// How many seconds nothing may come before that is worth a warning.
const WARNED_AFTER_S: u64 = 5;
/// The name of the block in errors about its settings.
const NAME: &str = "soapy_source";

impl std::fmt::Debug for SoapySource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SoapySource")
            .field("arguments", &self.arguments)
            .field("settings", &self.settings)
            .finish()
    }
}

impl SoapySource {
    /// Will open the device that the arguments name, as `driver=rtlsdr`, when the graph runs.
    ///
    /// # Errors
    /// [`Error::Setting`] where a setting is one that no device has.
    pub fn new(arguments: &str, settings: SoapySettings) -> Result<Self, Error> {
        settings.check(NAME)?;
        let outputs = settings.channels.iter().map(|_| Out::new().optional()).collect::<Vec<Out<C32>>>();
        let outputs = if outputs.len() == 1 { vec![Out::new()] } else { outputs };
        Ok(SoapySource {
            gaps: settings.channels.iter().map(|_| Gaps::new(settings.on_gap)).collect(),
            current: settings.channels.iter().map(|_| Vec::new()).collect(),
            outputs,
            sensors: MsgOut::new().sends(MessageType::Map),
            arguments: arguments.to_owned(),
            settings,
            sensors_s: 0.0,
            sensors_at: Instant::now(),
            link: Link::Fresh,
            given: 0,
            arrivals: None,
            is_behind_gap: false,
            time: DeviceTime::default(),
            tags: Due { time: None, rate: true, frequency: true },
            notices: Notices::default(),
            heard: Instant::now(),
        })
    }

    /// Also reads the device's sensors, every so many seconds.
    #[must_use]
    pub fn with_sensors_every(mut self, seconds: f64) -> Self {
        self.sensors_s = if seconds.is_finite() { seconds.max(0.0) } else { 0.0 };
        self
    }

    fn place(&self) -> String {
        format!("soapy:{}", self.arguments)
    }

    /// Reads what there is, waiting a little for it; the driver's problem where it has one.
    fn receive(&mut self, context: &mut Context<'_>) -> Result<(), String> {
        let Self { arguments, settings, .. } = self;
        let open = || {
            let all = settings.all();
            Radio::open(Direction::Receive, arguments, &settings.channels, &all, &settings.stream_arguments)
        };
        let is_new = self.link.connection().is_none();
        let Some((radio, attempts)) = self.link.up(context, open)? else {
            if is_new {
                self.time.next_ns = None;
                self.heard = Instant::now();
            }
            return Ok(());
        };
        match radio.read(TIMEOUT) {
            Moved::Samples { samples: 0, .. } | Moved::TimedOut => {
                let silent = self.heard.elapsed();
                if self.settings.silence_s > 0.0 && silent.as_secs_f64() >= self.settings.silence_s {
                    return Err(format!("nothing has come for {} s", self.settings.silence_s));
                }
                let silent_s = silent.as_secs();
                if silent_s >= WARNED_AFTER_S {
                    let place = format!("soapy:{}", self.arguments);
                    self.notices.warn(|| format!("{place}: nothing has come for {silent_s} s"));
                }
                return Ok(());
            }
            Moved::Samples { samples, time_ns, .. } => {
                let now = Instant::now();
                self.heard = now;
                let is_back = std::mem::take(attempts) > 0;
                let (format, scale) = radio.format();
                let rate_hz = radio.rate_hz();
                for (place, current) in self.current.iter_mut().enumerate() {
                    current.clear();
                    current.resize(samples, C32::default());
                    let bytes = radio.bytes(place).get(..samples * format.bytes()).unwrap_or_default();
                    C32::from_bytes(format, bytes, current);
                    if scale != 1.0 {
                        current.iter_mut().for_each(|sample| *sample *= scale);
                    }
                }
                self.given = 0;
                self.came(samples as u64, rate_hz, time_ns, is_back, now);
            }
            Moved::Overflow | Moved::Corruption => self.is_behind_gap = true,
            Moved::Late | Moved::Underflow => {}
            moved @ (Moved::NotSupported | Moved::Failed(_)) => {
                let code = if let Moved::Failed(code) = moved { code } else { -5 };
                return Err(format!("reading has failed: {} ({code})", api::error_text(code)));
            }
        }
        Ok(())
    }

    /// Notes when samples came, and what is missing before them.
    fn came(&mut self, samples: u64, rate_hz: f64, time_ns: Option<i64>, is_back: bool, now: Instant) {
        let is_behind_gap = std::mem::take(&mut self.is_behind_gap) || is_back;
        let by_clock = match &mut self.arrivals {
            None => {
                self.arrivals = Some(Arrivals::new(rate_hz, now));
                // What was lost before anybody had anything is no gap.
                None
            }
            Some(arrivals) if is_behind_gap => Some(arrivals.missed_before(samples, now)),
            Some(arrivals) => {
                arrivals.came(samples, now);
                None
            }
        };
        let time_ns = time_ns.map(|time_ns| time_ns as f64);
        let length_ns = samples as f64 / rate_hz * 1e9;
        let expected_ns = self.time.next_ns;
        self.time.next_ns =
            time_ns.or(expected_ns.filter(|_| !is_behind_gap)).map(|start_ns| start_ns + length_ns);
        if let Some(by_clock) = by_clock {
            let missing = match (time_ns, expected_ns) {
                (Some(time_ns), Some(expected_ns)) if !is_back => {
                    Some(((time_ns - expected_ns) * rate_hz / 1e9).round().max(0.0) as u64)
                }
                // The driver says that something is missing, and the clock cannot see it.
                _ if by_clock == 0 && !is_back => None,
                _ => Some(by_clock),
            };
            tracing::info!("{}: {missing:?} samples are missing", self.place());
            self.gaps.iter_mut().for_each(|gaps| gaps.lost(missing));
        }
        if by_clock.is_some() || self.time.offset_ns.is_none() {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            let here_ns = since.as_secs_f64() * 1e9 - length_ns;
            let device_ns = time_ns.unwrap_or(here_ns);
            // A device that was opened anew may have begun to count anew.
            if is_back {
                self.time.offset_ns = None;
            }
            let offset_ns = *self.time.offset_ns.get_or_insert_with(|| {
                let offset_ns = here_ns - device_ns;
                if offset_ns.abs() < BELIEVED_NS && time_ns.is_some() { 0.0 } else { offset_ns }
            });
            self.tags.time = Some(if time_ns.is_some() { device_ns + offset_ns } else { here_ns });
        }
    }

    /// Tries again later, or ends.
    fn lose(&mut self, problem: String, context: &mut Context<'_>) -> Option<Step> {
        let address = self.place();
        if self.arrivals.is_none() || !self.settings.reconnect {
            return Some(context.end_with(Error::Radio { address, problem }));
        }
        let wait = self.link.lose();
        self.notices.warn(|| format!("{address}: {problem}; tries again in {:.1} s", wait.as_secs_f64()));
        None
    }

    /// Puts what is new on the first item of the reserved room.
    fn tag(&mut self) {
        let Due { time, rate, frequency } = std::mem::take(&mut self.tags);
        if time.is_none() && !rate && !frequency {
            return;
        }
        let Some(radio) = self.link.connection() else { return };
        let rate_hz = rate.then_some(radio.rate_hz());
        for (place, output) in self.outputs.iter_mut().enumerate() {
            if !output.is_connected() || output.is_closed() {
                continue;
            }
            if let Some(time_ns) = time {
                let seconds = (time_ns / 1e9).floor().max(0.0);
                let fraction = (time_ns / 1e9 - seconds).clamp(0.0, 1.0);
                output.tag(0, "rx_time", Value::Tuple([Value::Uint(seconds as u64), fraction.into()].into()));
            }
            let center_hz = frequency.then(|| radio.frequency_hz(place));
            tag_known(output, &[("rx_rate", rate_hz), ("rx_freq", center_hz)]);
        }
    }

    /// Says what sensors say, when it is time.
    fn sense(&mut self) -> Result<(), BlockError> {
        if self.sensors_s == 0.0 || !self.sensors.is_connected() || Instant::now() < self.sensors_at {
            return Ok(());
        }
        let Some(radio) = self.link.connection() else { return Ok(()) };
        let wait = std::time::Duration::try_from_secs_f64(self.sensors_s).unwrap_or(std::time::Duration::MAX);
        let now = Instant::now();
        self.sensors_at = now.checked_add(wait).unwrap_or(now);
        let map = radio.sensors().into_iter().map(|(name, says)| (name, Value::from(says)));
        self.sensors.send(Value::map(map))?;
        Ok(())
    }

    /// Changes settings of the device, where it is open; else they are set when it is.
    fn apply(&mut self, settings: &[Setting]) -> Result<(), BlockError> {
        let Some(radio) = self.link.connection() else { return Ok(()) };
        settings.iter().try_for_each(|setting| radio.set(setting)).map_err(BlockError::from)?;
        for setting in settings {
            match setting {
                Setting::FrequencyHz(_) | Setting::Ppm(_) => self.tags.frequency = true,
                Setting::RateHz(_) => {
                    self.tags.rate = true;
                    let rate_hz = radio.rate_hz();
                    self.arrivals = self.arrivals.as_ref().map(|_| Arrivals::new(rate_hz, Instant::now()));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

impl Block for SoapySource {
    type Ports = SoapySourcePorts;

    fn visit(&mut self, visitor: &mut dyn PortVisitor) {
        match &mut self.outputs[..] {
            [output] => visitor.output("out", output),
            outputs => {
                for (index, output) in outputs.iter_mut().enumerate() {
                    visitor.output(&format!("out{index}"), output);
                }
            }
        }
        visitor.message_output("sensors", &mut self.sensors);
    }

    fn poll(&self, readiness: &mut Readiness) {
        self.outputs.iter().for_each(|output| output.poll(readiness));
        self.sensors.poll(readiness);
    }

    fn ports(&self, id: BlockId) -> SoapySourcePorts {
        let output = (0..self.outputs.len()).map(|index| OutRef::new(id, index)).collect();
        SoapySourcePorts { output, sensors: MsgOutRef::new(id, 0) }
    }
}

impl Tunable for SoapySource {
    const PARAMETERS: &'static [&'static str] = PARAMETERS;

    fn position(&self) -> u64 {
        self.outputs.iter().map(Out::index).max().unwrap_or(0)
    }

    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        let mut settings = self.settings.clone();
        let changes = settings.set(name, value)?;
        self.apply(&changes)?;
        self.settings = settings;
        Ok(())
    }

    fn parameter(&self, name: &str) -> Option<Value> {
        self.settings.value(name)
    }

    fn work_on(&mut self, most: usize, context: &mut Context<'_>) -> Result<Step, BlockError> {
        let samples = self.current.first().map_or(0, Vec::len);
        if self.given >= samples {
            let is_read = self.outputs.iter().any(|output| output.is_connected() && !output.is_closed());
            if context.is_stopping() || !is_read {
                return Ok(Step::Done);
            }
            self.sense()?;
            if let Err(problem) = self.receive(context)
                && let Some(step) = self.lose(problem, context)
            {
                return Ok(step);
            }
        }
        let mut room = most;
        for (output, gaps) in self.outputs.iter_mut().zip(&mut self.gaps) {
            if !output.is_connected() || output.is_closed() {
                continue;
            }
            match gaps.settle(output) {
                Ok(true) => {}
                Ok(false) => return Ok(Step::NeedOutput),
                Err(error) => return Ok(context.end_with(error)),
            }
            room = room.min(output.room());
        }
        let n = self.current.first().map_or(0, Vec::len).saturating_sub(self.given).min(room);
        if n == 0 {
            return Ok(if room == 0 { Step::NeedOutput } else { Step::Ran });
        }
        self.tag();
        for (output, current) in self.outputs.iter_mut().zip(&self.current) {
            if output.is_connected() && !output.is_closed() {
                output.reserve()[..n].copy_from_slice(&current[self.given..][..n]);
                output.produce(n);
            }
        }
        self.given += n;
        Ok(Step::Ran)
    }
}

impl Work for SoapySource {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        self.work_on(usize::MAX, context)
    }

    fn blocking(&self) -> bool {
        true
    }
}

/// A [`SoapySource`] with the parameters of a radio: what only some tuners have is among their drivers' own settings.
pub(super) struct SoapyRadio {
    source: SoapySource,
    tuner: RtlTcpSettings,
}

impl SoapyRadio {
    pub fn new(arguments: &str, mut settings: SoapySettings, tuner: RtlTcpSettings) -> Result<Self, Error> {
        for name in rtl_tcp_settings::PARAMETERS {
            if tuner.value(name) != RtlTcpSettings::default().value(name) {
                settings.settings.extend(own(&tuner, name));
            }
        }
        Ok(SoapyRadio { source: SoapySource::new(arguments, settings)?, tuner })
    }
}

/// The driver's own setting that a parameter of a tuner is.
fn own(tuner: &RtlTcpSettings, name: &str) -> Option<(String, String)> {
    let (key, value) = match name {
        "agc" => ("digital_agc", tuner.agc.to_string()),
        "bias_tee" => ("biastee", tuner.bias_tee.to_string()),
        "offset_tuning" => ("offset_tune", tuner.offset_tuning.to_string()),
        "direct_sampling" => ("direct_samp", (tuner.direct_sampling as u8).to_string()),
        _ => return None,
    };
    Some((key.to_owned(), value))
}

impl Block for SoapyRadio {
    type Ports = OutRef<C32>;

    fn visit(&mut self, visitor: &mut dyn PortVisitor) {
        if let [output, ..] = &mut self.source.outputs[..] {
            visitor.output("out", output);
        }
    }

    fn poll(&self, readiness: &mut Readiness) {
        self.source.outputs.iter().for_each(|output| output.poll(readiness));
    }

    fn ports(&self, id: BlockId) -> OutRef<C32> {
        OutRef::new(id, 0)
    }
}

impl Work for SoapyRadio {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        self.source.work(context)
    }

    fn blocking(&self) -> bool {
        true
    }
}

impl Tunable for SoapyRadio {
    const PARAMETERS: &'static [&'static str] = rtl_tcp_settings::PARAMETERS;

    fn position(&self) -> u64 {
        self.source.position()
    }

    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        match name {
            "agc" | "bias_tee" | "offset_tuning" | "direct_sampling" => {
                let mut tuner = self.tuner.clone();
                tuner.set(name, value)?;
                let pair = own(&tuner, name).ok_or_else(|| no_parameter(name, Self::PARAMETERS))?;
                self.source.apply(&[Setting::Own(pair.0.clone(), pair.1.clone())])?;
                self.source.settings.settings.retain(|(key, _)| *key != pair.0);
                self.source.settings.settings.push(pair);
                self.tuner = tuner;
                Ok(())
            }
            _ if Self::PARAMETERS.contains(&name) => self.source.set_parameter(name, value),
            _ => Err(no_parameter(name, Self::PARAMETERS)),
        }
    }

    fn parameter(&self, name: &str) -> Option<Value> {
        match name {
            "agc" | "bias_tee" | "offset_tuning" | "direct_sampling" => self.tuner.value(name),
            _ => self.source.parameter(name),
        }
    }

    fn work_on(&mut self, most: usize, context: &mut Context<'_>) -> Result<Step, BlockError> {
        self.source.work_on(most, context)
    }
}

/// How files and the command line find [`SoapySource`].
pub const ENTRY: Entry = Entry {
    name: NAME,
    category: "sources",
    summary: "Samples of a radio that a module of SoapySDR drives, one channel or several; what is lost is tagged and counted.",
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
        optional(
            "sensors_s",
            Kind::Float(0.0, 1e6),
            "s",
            "0",
            "How often the device's sensors are read for the output sensors; 0: never.",
        ),
        optional(
            "silence_s",
            Kind::Float(0.0, MOST_SILENCE_S),
            "s",
            "30",
            "After how long without a sample the device has failed; 0: never, as for one that waits for a trigger.",
        ),
        optional(
            "reconnect",
            Kind::Bool,
            "",
            "true",
            "Opens the device again where it has failed; else that is the end.",
        ),
        ON_GAP,
    ],
    ports: &[
        output("out", "C32", "the samples, full scale = 1.0; of several channels out0, out1 and so on"),
        output("sensors", "messages", "a map of what the device's sensors say"),
        set_port(SET),
    ],
    make: |params| {
        let settings = SoapySettings {
            silence_s: params.float("silence_s"),
            reconnect: params.flag("reconnect"),
            on_gap: OnGap::of_word(params.text("on_gap")),
            ..SoapySettings::of_params(params)?
        };
        let source = SoapySource::new(params.text("arguments"), settings)?;
        Ok(AnyBlock::new(Tuned::new(source.with_sensors_every(params.float("sensors_s")))))
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    fn source() -> SoapySource {
        SoapySource::new("driver=none", SoapySettings::default()).unwrap()
    }

    /// What gaps there are.
    fn missing(source: &SoapySource) -> String {
        format!("{:?}", source.gaps[0])
    }

    #[test]
    fn the_time_of_samples_tells_how_many_are_missing() {
        let mut source = source();
        let now = Instant::now();
        source.came(1000, 1e6, Some(5_000_000), false, now);
        source.came(1000, 1e6, Some(6_000_000), false, now);
        assert!(missing(&source).contains("missing: None"), "{}", missing(&source));
        source.is_behind_gap = true;
        // The next one would have been at 7 ms.
        source.came(1000, 1e6, Some(7_123_000), false, now);
        assert!(missing(&source).contains("Known(123)"), "{}", missing(&source));
    }

    #[test]
    fn without_times_the_clock_tells_it_or_nobody_does() {
        let mut source = source();
        let start = Instant::now();
        let at = |milliseconds| start + std::time::Duration::from_millis(milliseconds);
        source.came(1000, 1e6, None, false, at(1));
        source.came(1000, 1e6, None, false, at(2));
        source.is_behind_gap = true;
        source.came(1000, 1e6, None, false, at(103));
        assert!(missing(&source).contains("Known(100000)"), "{}", missing(&source));
        let mut source = self::source();
        source.came(1000, 1e6, None, false, at(1));
        source.is_behind_gap = true;
        source.came(1000, 1e6, None, false, at(2));
        assert!(missing(&source).contains("Unknown"), "{}", missing(&source));
    }

    #[test]
    fn the_time_of_day_is_the_devices_where_it_is_near() {
        let mut source = source();
        source.came(1000, 1e6, Some(5_000_000), false, Instant::now());
        let here = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64() * 1e9;
        let said = source.tags.time.unwrap();
        assert!((said - here).abs() < 5e9, "{said} {here}");
        let mut source = self::source();
        source.came(1000, 1e6, Some(here as i64 - 1_000_000_000), false, Instant::now());
        let said = source.tags.time.unwrap();
        assert!((said - here + 1e9).abs() < 1e3, "{said} {here}");
    }

    #[test]
    fn settings_of_tuners_are_the_drivers_own() {
        let tuner = RtlTcpSettings { bias_tee: true, ..RtlTcpSettings::default() };
        let radio = SoapyRadio::new("driver=rtlsdr", SoapySettings::default(), tuner).unwrap();
        assert_eq!(radio.source.settings.settings, [("biastee".to_owned(), "true".to_owned())]);
        assert_eq!(radio.parameter("bias_tee"), Some(true.into()));
    }
}
