//! Samples of a radio behind a SpyServer.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use superhet_runtime::catalog::{Entry, Kind, optional, output, set_port};
use superhet_runtime::gap::{Gaps, OnGap};
use superhet_runtime::{
    AnyBlock, Block, BlockError, Context, Out, Step, Tunable, Tuned, Value, Work, parameter::no_parameter,
};

use super::item::{FileItem, known};
use super::link::{Link, TIMEOUT};
use super::rtl_tcp_settings::{MOST_HZ, ON_GAP, RECONNECT};
use super::source::tag_known;
use crate::C32;
use crate::connecting::address;
use crate::error::Error;
use crate::notices::Notices;
use crate::rtl_tcp::arrivals::Arrivals;
use crate::spyserver::PORT;
use crate::spyserver::client::{Broken, Connection};
use crate::spyserver::message::{Device, Message, Setting};

/// Samples of a radio behind a SpyServer, as 16-bit numbers.
///
/// It connects, and connects again, as an [`RtlTcpSource`](super::RtlTcpSource) does. Messages are counted, so what a server has
/// left out is a gap of so many messages of the last one's length. What was missed without a connection is a gap whose length is what
/// the rate and the clock say.
///
/// The rate is one of those that the radio has: its highest, halved some times. Where another client has control of the radio, it stays
/// as that client has tuned it, and a frequency out of its reach is not received: a warning says so.
///
/// The first item has the tags `rx_time`, `rx_rate` and `rx_freq`; the first after a gap has `rx_time`, and the first after the server
/// has said another frequency `rx_freq`.
///
/// | port | item | unit |
/// |---|---|---|
/// | out `out` | `C32` | full scale = 1.0 |
/// | in `set` | messages | new values of `frequency_hz` and `gain`: with [`Tuned`] |
///
/// # Errors
/// At run time: [`Error::Radio`], where the first connection fails, a later one that is not to be tried again, or where the radio has no
/// such rate; a gap, where the settings say so.
///
/// **Source**: the numbers of SpyServer's `spyserver_protocol.h`.
#[derive(Debug, Block)]
pub struct SpyServerSource {
    #[port("out")]
    output: Out<C32>,
    host: String,
    port: u16,
    settings: SpyServerSettings,
    link: Link<Connection>,
    /// Since samples have come: when, at which rate.
    arrivals: Option<Arrivals>,
    rate_hz: f64,
    /// The number of the message that comes next on this connection, and how many samples the last one had.
    next: Option<(u32, u64)>,
    gaps: Gaps,
    current: Vec<C32>,
    given: usize,
    /// What the next item has as tags.
    is_time_due: bool,
    is_rate_due: bool,
    center_hz: Option<f64>,
    notices: Notices,
}

/// The settings of a [`SpyServerSource`]. `frequency_hz` and `gain` can be changed while it runs.
///
/// | setting | unit | range | means | default |
/// |---|---|---|---|---|
/// | `frequency_hz` | Hz | 0 to 2³² − 1 | the centre frequency | 100 MHz |
/// | `rate_hz` | Hz | one that the radio has | samples a second; none: the highest | none |
/// | `gain` | steps | 0 to 255 | the radio's gain, of which each has other steps | 0 |
/// | `reconnect` | | | connects again where the connection is lost; else that is the end | yes |
/// | `on_gap` | | | what is done about what is missing | go on |
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the table says it")]
pub struct SpyServerSettings {
    pub frequency_hz: f64,
    pub rate_hz: Option<f64>,
    pub gain: u8,
    pub reconnect: bool,
    pub on_gap: OnGap,
}

impl Default for SpyServerSettings {
    fn default() -> Self {
        SpyServerSettings {
            frequency_hz: 100e6,
            rate_hz: None,
            gain: 0,
            reconnect: true,
            on_gap: OnGap::Continue,
        }
    }
}

/// The number of the format `ci16`, and of samples and nothing else.
const INT16: u32 = 2;
const SAMPLES_ONLY: u32 = 1;
/// More messages that are missing are none: the server has begun to count anew.
const MOST_MISSING: u32 = 1 << 20;
/// The name of the block in errors about its settings.
const NAME: &str = "spyserver_source";

impl SpyServerSource {
    /// Will connect to `host` and `port` when the graph runs.
    ///
    /// # Errors
    /// [`Error::Setting`] where the frequency is out of its range.
    pub fn new(host: &str, port: u16, settings: SpyServerSettings) -> Result<Self, Error> {
        if !(0.0..=MOST_HZ).contains(&settings.frequency_hz) {
            let (got, expected) = (settings.frequency_hz.to_string(), "0 to 4294967295 Hz".to_owned());
            return Err(Error::Setting { path: NAME.into(), parameter: "frequency_hz", got, expected });
        }
        Ok(SpyServerSource {
            output: Out::new(),
            host: host.to_owned(),
            port,
            link: Link::Fresh,
            arrivals: None,
            rate_hz: 0.0,
            next: None,
            gaps: Gaps::new(settings.on_gap),
            current: Vec::new(),
            given: 0,
            is_time_due: true,
            is_rate_due: true,
            center_hz: Some(settings.frequency_hz),
            settings,
            notices: Notices::default(),
        })
    }

    /// Gets on with the connection until there are samples, or nothing more has come; waits a little for it.
    fn receive(&mut self, context: &mut Context<'_>) -> Result<(), Broken> {
        let connect = || Connection::to(&self.host, self.port);
        let is_new = self.link.connection().is_none();
        let Some((connection, attempts)) = self.link.up(context, connect)? else {
            if is_new {
                self.next = None;
            }
            return Ok(());
        };
        let (mut waits, place) = (true, address(&self.host, self.port));
        loop {
            let is_known = connection.device().is_some();
            match connection.next()? {
                None if !waits => return Ok(()),
                None => {
                    connection.turn(TIMEOUT)?;
                    waits = false;
                }
                Some(Message::Device(device)) if !is_known => {
                    tracing::info!("{place}: {device}");
                    let (stage, rate_hz) = stage(device, self.settings.rate_hz).map_err(Broken::Unfit)?;
                    self.is_rate_due |= rate_hz != self.rate_hz;
                    self.rate_hz = rate_hz;
                    let frequency = self.settings.frequency_hz.round() as u32;
                    for (setting, value) in [
                        (Setting::Format, INT16),
                        (Setting::Decimation, stage),
                        (Setting::FrequencyHz, frequency),
                        (Setting::Gain, self.settings.gain.into()),
                        (Setting::Mode, SAMPLES_ONLY),
                        (Setting::Enabled, 1),
                    ] {
                        connection.set(setting, value);
                    }
                }
                Some(Message::Sync { can_control, center_hz }) => {
                    if !can_control {
                        self.notices.warn(|| format!("{place}: another client has control of the radio"));
                    }
                    if self.arrivals.is_some() && center_hz > 0 {
                        self.center_hz = Some(center_hz.into());
                    }
                }
                Some(Message::Samples { sequence, format, gain_db, bytes }) if is_known => {
                    let samples = bytes.len() / format.bytes();
                    self.current.clear();
                    self.current.resize(samples, C32::default());
                    C32::from_bytes(format, bytes, &mut self.current);
                    let scale = 10f32.powf(-f32::from(gain_db) / 20.0);
                    if gain_db > 0 {
                        self.current.iter_mut().for_each(|sample| *sample *= scale);
                    }
                    self.given = 0;
                    let (samples, now) = (samples as u64, Instant::now());
                    let is_back = std::mem::take(attempts) > 0;
                    let missed = match (&mut self.arrivals, self.next) {
                        (None, _) => {
                            self.arrivals = Some(Arrivals::new(self.rate_hz, now));
                            Some(0)
                        }
                        (Some(arrivals), _) if is_back => Some(arrivals.missed_before(samples, now)),
                        (Some(arrivals), next) => {
                            arrivals.came(samples, now);
                            missing(next, sequence)
                        }
                    };
                    self.next = Some((sequence.wrapping_add(1), samples));
                    if missed != Some(0) {
                        self.gaps.lost(missed);
                        self.is_time_due = true;
                    }
                    return Ok(());
                }
                Some(_) => {}
            }
        }
    }

    /// Tries again later, or ends.
    fn lose(&mut self, broken: Broken, context: &mut Context<'_>) -> Option<Step> {
        let place = address(&self.host, self.port);
        let has_begun = self.arrivals.is_some();
        if !has_begun || !self.settings.reconnect {
            let is_end = has_begun && matches!(broken, Broken::Closed);
            let problem = Error::Radio { address: place, problem: broken.to_string() };
            return Some(if is_end { Step::Done } else { context.end_with(problem) });
        }
        let wait = self.link.lose();
        self.notices.warn(|| format!("{place}: {broken}; tries again in {:.1} s", wait.as_secs_f64()));
        None
    }

    /// Puts what is new on the first item of the reserved room.
    fn tag(&mut self) {
        if std::mem::take(&mut self.is_time_due) {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            let fraction = f64::from(since.subsec_nanos()) / 1e9;
            let time = Value::Tuple([Value::Uint(since.as_secs()), fraction.into()].into());
            self.output.tag(0, "rx_time", time);
        }
        let rate_hz = std::mem::take(&mut self.is_rate_due).then_some(self.rate_hz);
        tag_known(&mut self.output, &[("rx_rate", rate_hz), ("rx_freq", self.center_hz.take())]);
    }
}

/// How many samples are missing before a message, as the numbers of the messages tell; `None` where they tell nothing.
fn missing(next: Option<(u32, u64)>, sequence: u32) -> Option<u64> {
    let Some((next, samples)) = next else { return Some(0) };
    let ahead = sequence.wrapping_sub(next);
    (ahead <= MOST_MISSING).then(|| u64::from(ahead).saturating_mul(samples))
}

/// How often the radio's rate is halved to get that one, or the highest that there is; and the rate.
fn stage(device: Device, wanted: Option<f64>) -> Result<(u32, f64), String> {
    let rates = device.rates();
    let place = match wanted {
        None => 0,
        Some(wanted) => {
            let known: Vec<String> = rates.iter().map(f64::to_string).collect();
            let unknown =
                || format!("rate_hz is {wanted}, expected one that the radio has: {} Hz", known.join(", "));
            rates.iter().position(|rate| (rate - wanted).abs() < 1.0).ok_or_else(unknown)?
        }
    };
    let rate_hz = rates.get(place).copied().filter(|rate| *rate > 0.0);
    let rate_hz = rate_hz.ok_or("the radio says that it has no rate")?;
    Ok((device.least_stage.saturating_add(u32::try_from(place).unwrap_or(0)), rate_hz))
}

impl Tunable for SpyServerSource {
    const PARAMETERS: &'static [&'static str] = &["frequency_hz", "gain"];

    fn position(&self) -> u64 {
        self.output.index()
    }

    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        let number = |most: f64| match value.as_f64() {
            Some(x) if (0.0..=most).contains(&x) => Ok(x),
            _ => Err(format!("{name}: expected a number from 0 to {most}, got {value}")),
        };
        let (setting, value) = match name {
            "frequency_hz" => {
                self.settings.frequency_hz = number(MOST_HZ)?;
                self.center_hz = Some(self.settings.frequency_hz);
                (Setting::FrequencyHz, self.settings.frequency_hz.round() as u32)
            }
            "gain" => {
                self.settings.gain = number(255.0)?.round() as u8;
                (Setting::Gain, self.settings.gain.into())
            }
            _ => return Err(no_parameter(name, Self::PARAMETERS)),
        };
        // Before the radio is known nothing is set: then all is.
        if let Some(connection) = self.link.connection().filter(|connection| connection.device().is_some()) {
            connection.set(setting, value);
        }
        Ok(())
    }

    fn parameter(&self, name: &str) -> Option<Value> {
        match name {
            "frequency_hz" => Some(self.settings.frequency_hz.into()),
            "gain" => Some(u64::from(self.settings.gain).into()),
            _ => None,
        }
    }

    fn work_on(&mut self, most: usize, context: &mut Context<'_>) -> Result<Step, BlockError> {
        if self.given == self.current.len() {
            if context.is_stopping() || self.output.is_closed() {
                return Ok(Step::Done);
            }
            if let Err(broken) = self.receive(context)
                && let Some(step) = self.lose(broken, context)
            {
                return Ok(step);
            }
        }
        match self.gaps.settle(&mut self.output) {
            Ok(true) => {}
            Ok(false) => return Ok(Step::NeedOutput),
            Err(error) => return Ok(context.end_with(error)),
        }
        let rest = self.current.len().saturating_sub(self.given).min(most).min(self.output.room());
        if rest == 0 {
            return Ok(if self.output.room() == 0 { Step::NeedOutput } else { Step::Ran });
        }
        self.tag();
        self.output.reserve()[..rest].copy_from_slice(&self.current[self.given..][..rest]);
        self.output.produce(rest);
        self.given += rest;
        Ok(Step::Ran)
    }
}

impl Work for SpyServerSource {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        self.work_on(usize::MAX, context)
    }

    fn blocking(&self) -> bool {
        true
    }
}

/// How files and the command line find [`SpyServerSource`].
pub const ENTRY: Entry = Entry {
    name: NAME,
    category: "sources",
    summary: "Samples of a radio behind a SpyServer; what is lost is tagged and counted.",
    params: &[
        optional("host", Kind::Text, "", "\"127.0.0.1\"", "The name or address of the server."),
        optional("port", Kind::Integer(1, 65535), "", "5555", "Its port."),
        optional("frequency_hz", Kind::Float(0.0, MOST_HZ), "Hz", "100e6", "The centre frequency."),
        optional(
            "rate_hz",
            Kind::Float(0.0, MOST_HZ),
            "Hz",
            "0",
            "Samples a second, one that the radio has; 0: the highest.",
        ),
        optional(
            "gain",
            Kind::Integer(0, 255),
            "steps",
            "0",
            "The radio's gain, of which each has other steps.",
        ),
        RECONNECT,
        ON_GAP,
    ],
    ports: &[
        output("out", "C32", "the samples, full scale = 1.0"),
        set_port("new values of frequency_hz and gain"),
    ],
    make: |params| {
        let settings = SpyServerSettings {
            frequency_hz: params.float("frequency_hz"),
            rate_hz: known(params.float("rate_hz")),
            gain: u8::try_from(params.count("gain")).unwrap_or(u8::MAX),
            reconnect: params.flag("reconnect"),
            on_gap: OnGap::of_word(params.text("on_gap")),
        };
        let port = u16::try_from(params.count("port")).unwrap_or(PORT);
        Ok(AnyBlock::new(Tuned::new(SpyServerSource::new(params.text("host"), port, settings)?)))
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_those_that_the_radio_has() {
        let device = Device { rate_hz: 10_000_000, stages: 3, least_stage: 1, ..Device::default() };
        assert_eq!(stage(device, None), Ok((1, 5e6)));
        assert_eq!(stage(device, Some(1.25e6)), Ok((3, 1.25e6)));
        let error = stage(device, Some(2e6)).unwrap_err();
        assert_eq!(
            error,
            "rate_hz is 2000000, expected one that the radio has: 5000000, 2500000, 1250000 Hz"
        );
        assert!(stage(Device::default(), None).is_err());
    }

    #[test]
    fn numbers_of_messages_tell_what_is_missing() {
        assert_eq!(missing(None, 7), Some(0));
        assert_eq!(missing(Some((7, 100)), 7), Some(0));
        assert_eq!(missing(Some((7, 100)), 10), Some(300));
        assert_eq!(missing(Some((u32::MAX, 100)), 1), Some(200));
        assert_eq!(missing(Some((7, 100)), 6), None);
    }
}
