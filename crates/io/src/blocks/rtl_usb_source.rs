//! Samples of an RTL-SDR at this machine's USB, without a library of C.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rtlsdr_nusb::{Device, GainConfig, MaybeFuture, RawIq, RxStream};
use superhet_runtime::{Block, BlockError, Context, Out, Step, Tunable, Value, Work, gap::Gaps};

use super::item::FileItem;
use super::link::{Link, TIMEOUT};
use super::rtl_tcp_settings::{Gain, PARAMETERS, RtlTcpSettings};
use super::source::tag_known;
use crate::C32;
use crate::error::Error;
use crate::format::SampleFormat;
use crate::notices::Notices;
use crate::rtl_tcp::arrivals::Arrivals;
use crate::rtl_tcp::command::DirectSampling;

/// Samples of an RTL-SDR with a tuner R820T, R828D or R860, by its place among those that are plugged in, or by its serial number.
///
/// Settings, gaps, tags and what is done about a device that has gone are those of [`RtlTcpSource`](super::RtlTcpSource). What the driver had
/// to throw away is a gap of so many samples. The chip has no numbers, so what it has lost itself is not known. Neither the chip's own
/// automatic gain nor tuning beside the centre is there.
#[derive(Block)]
pub(super) struct RtlUsbSource {
    #[port("out")]
    output: Out<C32>,
    which: String,
    settings: RtlTcpSettings,
    link: Link<Radio>,
    gaps: Gaps,
    current: Vec<C32>,
    given: usize,
    arrivals: Option<Arrivals>,
    tags: Due,
    notices: Notices,
}

/// What the next item has as tags.
#[derive(Debug, Default)]
struct Due {
    time: bool,
    rate: bool,
    frequency: bool,
}

/// A device and its stream. The stream goes first.
struct Radio {
    stream: RxStream<RawIq>,
    device: Device<RawIq>,
}

/// The name of the block in errors about its settings.
const NAME: &str = "radio";
/// The most that the driver's manual gain can be.
const MOST_GAIN_DB: f64 = 52.5;

/// Something that a device cannot do or has failed at, as a sentence.
fn said(error: rtlsdr_nusb::Error) -> String {
    match &error {
        rtlsdr_nusb::Error::DeviceNotFound => {
            "there is no such RTL-SDR; `superhet devices` lists those that are".to_owned()
        }
        _ => error.to_string(),
    }
}

/// All RTL-SDR that are plugged in: what names each of them, and what it is called.
pub(crate) fn plugged_in() -> Result<Vec<(String, String)>, String> {
    let found = Device::list().wait().map_err(said)?;
    let one = |device: rtlsdr_nusb::DeviceDescriptor| {
        let words =
            [device.manufacturer, device.product, device.serial.map(|serial| format!("serial {serial}"))];
        (device.index.to_string(), words.into_iter().flatten().collect::<Vec<_>>().join(" "))
    };
    Ok(found.into_iter().map(one).collect())
}

fn gain(gain: Gain) -> GainConfig {
    match gain {
        Gain::Auto => GainConfig::Auto,
        Gain::Db(db) => GainConfig::Manual(db.clamp(0.0, MOST_GAIN_DB) as f32),
    }
}

fn direct_sampling(mode: DirectSampling) -> rtlsdr_nusb::DirectSampling {
    match mode {
        DirectSampling::Off => rtlsdr_nusb::DirectSampling::Off,
        DirectSampling::I => rtlsdr_nusb::DirectSampling::I,
        DirectSampling::Q => rtlsdr_nusb::DirectSampling::Q,
    }
}

impl Radio {
    fn open(which: &str, settings: &RtlTcpSettings) -> Result<Self, String> {
        let builder = Device::builder().raw_iq();
        // A short number is a place among devices, anything longer a serial number.
        let builder = match which.parse() {
            Ok(index) if which.len() < 3 => builder.index(index),
            _ if which.is_empty() => builder.index(0),
            _ => builder.serial(which),
        };
        let device = builder
            .frequency_hz(settings.frequency_hz.round() as u64)
            .sample_rate_hz(settings.rate_hz.round() as u32)
            .gain(gain(settings.gain))
            .correction_ppm(settings.ppm)
            .bias_tee(settings.bias_tee)
            .direct_sampling(direct_sampling(settings.direct_sampling))
            .open()
            .wait()
            .map_err(said)?;
        tracing::info!("{:?}, {} Hz", device.info(), device.actual_sample_rate_hz());
        let mut stream = device.rx_stream().map_err(said)?;
        stream.start().wait().map_err(said)?;
        Ok(Radio { stream, device })
    }

    fn set(&mut self, name: &str, settings: &RtlTcpSettings) -> Result<(), String> {
        let device = &mut self.device;
        match name {
            "frequency_hz" => device.set_frequency_hz(settings.frequency_hz.round() as u64).wait(),
            "rate_hz" => device.set_sample_rate_hz(settings.rate_hz.round() as u32).wait(),
            "gain_db" => device.set_gain(gain(settings.gain)).wait(),
            "ppm" => device.set_correction_ppm(settings.ppm).wait(),
            "bias_tee" => device.set_bias_tee(settings.bias_tee).wait(),
            "direct_sampling" => device.set_direct_sampling(direct_sampling(settings.direct_sampling)).wait(),
            _ => Ok(()),
        }
        .map_err(said)
    }
}

/// Refuses what the driver does not have.
fn check(settings: &RtlTcpSettings) -> Result<(), String> {
    for (name, on) in [("agc", settings.agc), ("offset_tuning", settings.offset_tuning)] {
        if on {
            return Err(format!("{name} is true, expected false: an RTL-SDR at the USB has none here"));
        }
    }
    Ok(())
}

impl RtlUsbSource {
    /// Will open the device when the graph runs.
    ///
    /// # Errors
    /// [`Error::Setting`] where a setting is out of its range, or is one that there is not.
    pub fn new(which: &str, settings: RtlTcpSettings) -> Result<Self, BlockError> {
        settings.check(NAME)?;
        check(&settings)?;
        Ok(RtlUsbSource {
            output: Out::new(),
            which: which.to_owned(),
            gaps: Gaps::new(settings.on_gap),
            settings,
            link: Link::Fresh,
            current: Vec::new(),
            given: 0,
            arrivals: None,
            tags: Due { time: true, rate: true, frequency: true },
            notices: Notices::default(),
        })
    }

    /// Reads what there is, waiting a little for it; the driver's problem where it has one.
    fn receive(&mut self, context: &mut Context<'_>) -> Result<(), String> {
        let open = || Radio::open(&self.which, &self.settings);
        let Some((radio, attempts)) = self.link.up(context, open)? else { return Ok(()) };
        let rate_hz = f64::from(radio.device.actual_sample_rate_hz());
        let Some(block) = radio.stream.next_block(Some(TIMEOUT)).wait().map_err(said)? else { return Ok(()) };
        let bytes = block.raw_bytes();
        let samples = bytes.len() / SampleFormat::CU8.bytes();
        if samples == 0 {
            return Ok(());
        }
        self.current.clear();
        self.current.resize(samples, C32::default());
        C32::from_bytes(SampleFormat::CU8, &bytes[..samples * SampleFormat::CU8.bytes()], &mut self.current);
        self.given = 0;
        let (samples, dropped, now) = (samples as u64, block.dropped_samples(), Instant::now());
        let is_back = std::mem::take(attempts) > 0;
        let missed = match &mut self.arrivals {
            None => {
                self.arrivals = Some(Arrivals::new(rate_hz, now));
                0
            }
            Some(arrivals) if is_back => arrivals.missed_before(samples, now),
            Some(arrivals) => {
                arrivals.came(samples.saturating_add(dropped), now);
                dropped
            }
        };
        if missed > 0 {
            self.gaps.lost(missed);
            self.tags.time = true;
        }
        Ok(())
    }

    /// Tries again later, or ends.
    fn lose(&mut self, problem: String, context: &mut Context<'_>) -> Option<Step> {
        let address = format!("rtlsdr:{}", self.which);
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
        let Some(radio) = self.link.connection() else { return };
        let rate_hz = f64::from(radio.device.actual_sample_rate_hz());
        if time {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            let length_s = self.current.len() as f64 / rate_hz.max(1.0);
            let since = since.saturating_sub(Duration::try_from_secs_f64(length_s).unwrap_or_default());
            let fraction = f64::from(since.subsec_nanos()) / 1e9;
            self.output.tag(
                0,
                "rx_time",
                Value::Tuple([Value::Uint(since.as_secs()), fraction.into()].into()),
            );
        }
        let center_hz = frequency.then(|| radio.device.actual_frequency_hz() as f64);
        tag_known(&mut self.output, &[("rx_rate", rate.then_some(rate_hz)), ("rx_freq", center_hz)]);
    }
}

impl Tunable for RtlUsbSource {
    const PARAMETERS: &'static [&'static str] = PARAMETERS;

    fn position(&self) -> u64 {
        self.output.index()
    }

    fn set_parameter(&mut self, name: &str, value: &Value) -> Result<(), BlockError> {
        let mut settings = self.settings.clone();
        settings.set(name, value)?;
        check(&settings)?;
        if let Some(radio) = self.link.connection() {
            radio.set(name, &settings)?;
            let rate_hz = f64::from(radio.device.actual_sample_rate_hz());
            if name == "rate_hz" {
                self.arrivals = self.arrivals.as_ref().map(|_| Arrivals::new(rate_hz, Instant::now()));
            }
        }
        self.tags.frequency |= name == "frequency_hz";
        self.tags.rate |= name == "rate_hz";
        self.settings = settings;
        Ok(())
    }

    fn parameter(&self, name: &str) -> Option<Value> {
        self.settings.value(name)
    }

    fn work_on(&mut self, most: usize, context: &mut Context<'_>) -> Result<Step, BlockError> {
        if self.given >= self.current.len() {
            if context.is_stopping() || self.output.is_closed() {
                return Ok(Step::Done);
            }
            if let Err(problem) = self.receive(context)
                && let Some(step) = self.lose(problem, context)
            {
                return Ok(step);
            }
        }
        match self.gaps.settle(&mut self.output) {
            Ok(true) => {}
            Ok(false) => return Ok(Step::NeedOutput),
            Err(error) => return Ok(context.end_with(error)),
        }
        let n = self.current.len().saturating_sub(self.given).min(most).min(self.output.room());
        if n == 0 {
            return Ok(if self.output.room() == 0 { Step::NeedOutput } else { Step::Ran });
        }
        self.tag();
        self.output.reserve()[..n].copy_from_slice(&self.current[self.given..][..n]);
        self.output.produce(n);
        self.given += n;
        Ok(Step::Ran)
    }
}

impl Work for RtlUsbSource {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        self.work_on(usize::MAX, context)
    }

    fn blocking(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_driver_does_not_have_is_refused() {
        let default = RtlTcpSettings::default;
        assert!(RtlUsbSource::new("0", default()).is_ok());
        let agc = RtlUsbSource::new("0", RtlTcpSettings { agc: true, ..default() });
        let error = agc.map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("agc is true, expected false"), "{error}");
        let mut source = RtlUsbSource::new("0", default()).unwrap();
        assert!(source.set_parameter("offset_tuning", &true.into()).is_err());
        assert!(source.set_parameter("gain_db", &20.into()).is_ok());
        assert_eq!(source.parameter("gain_db"), Some(20.0.into()));
    }

    #[test]
    fn gains_stay_within_what_the_driver_takes() {
        assert_eq!(gain(Gain::Db(-10.0)), GainConfig::Manual(0.0));
        assert_eq!(gain(Gain::Db(29.7)), GainConfig::Manual(29.7));
        assert_eq!(gain(Gain::Db(99.0)), GainConfig::Manual(52.5));
        assert_eq!(gain(Gain::Auto), GainConfig::Auto);
    }

    #[test]
    fn a_device_that_is_not_there_is_said_so() {
        let error = Radio::open("no such serial number", &RtlTcpSettings::default()).map(|_| ()).unwrap_err();
        assert!(!error.is_empty(), "{error}");
    }
}
