//! What a device of SoapySDR can be set to, by name and as parameters of blocks.

use superhet_runtime::catalog::{Kind, Param, Params, optional};
use superhet_runtime::{BlockError, Value, gap::OnGap, parameter::no_parameter};

use super::Gain;
use super::item::known;
use super::rtl_tcp_settings::{flag, number};
use crate::error::Error;
use crate::soapy::api::MOST_CHANNELS;
use crate::soapy::radio::Setting;

/// The settings of a [`SoapySource`](super::SoapySource) and a [`SoapySink`](super::SoapySink). What is `None` or empty stays as the
/// driver has it. Those marked can be changed while the block runs; one that has several channels sets all of them.
///
/// | setting | unit | range | means | default | live |
/// |---|---|---|---|---|---|
/// | `channels` | | 0 and up | the channels of the device, each of which is a stream | 0 | |
/// | `frequency_hz` | Hz | 0 to 10¹² | the centre frequency | none | yes |
/// | `rate_hz` | Hz | above 0 to 10¹² | samples a second; the device's may differ by 10⁻³ of it | none | yes |
/// | `bandwidth_hz` | Hz | above 0 to 10¹² | that of the filter before the converter | none | yes |
/// | `gain` | dB | −200 to 200, or automatic | the sum, which the driver spreads over its elements | automatic | yes |
/// | `gains` | dB | −200 to 200 | single elements by their names; they go after `gain` | none | yes |
/// | `ppm` | 10⁻⁶ | −1000 to 1000 | by how much the radio's clock is too fast | 0 | yes |
/// | `antenna` | | one that it has | the socket | none | yes |
/// | `dc_removal` | | | the device takes the mean of its converter away; no: as the driver has it, if it was never yes | no | yes |
/// | `iq_balance` | | | the device corrects what I and Q differ by; the same | no | yes |
/// | `settings` | | those that it has | the driver's own, by their names, as text | none | yes |
/// | `clock_source`, `time_source` | | those that it has | where its clock and its time are from | none | |
/// | `stream_arguments` | | | what the driver wants to know of the stream, as `bufflen=16384` | none | |
/// | `silence_s` | s | 0 to 10⁶ | after how long without a sample the device has failed, when receiving; 0: never | 30 | |
/// | `reconnect` | | | opens the device again where it has failed; else that is the end | yes | |
/// | `on_gap` | | | what is done about what is missing | go on | |
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the table says it")]
pub struct SoapySettings {
    pub channels: Vec<usize>,
    pub frequency_hz: Option<f64>,
    pub rate_hz: Option<f64>,
    pub bandwidth_hz: Option<f64>,
    pub gain: Gain,
    pub gains: Vec<(String, f64)>,
    pub ppm: f64,
    pub antenna: String,
    pub dc_removal: bool,
    pub iq_balance: bool,
    pub settings: Vec<(String, String)>,
    pub clock_source: String,
    pub time_source: String,
    pub stream_arguments: String,
    pub silence_s: f64,
    pub reconnect: bool,
    pub on_gap: OnGap,
}

impl Default for SoapySettings {
    fn default() -> Self {
        SoapySettings {
            channels: vec![0],
            frequency_hz: None,
            rate_hz: None,
            bandwidth_hz: None,
            gain: Gain::Auto,
            gains: Vec::new(),
            ppm: 0.0,
            antenna: String::new(),
            dc_removal: false,
            iq_balance: false,
            settings: Vec::new(),
            clock_source: String::new(),
            time_source: String::new(),
            stream_arguments: String::new(),
            silence_s: 30.0,
            reconnect: true,
            on_gap: OnGap::Continue,
        }
    }
}

/// More than that no device has.
pub(super) const MOST_HZ: f64 = 1e12;
const MOST_GAIN_DB: f64 = 200.0;
const MOST_PPM: f64 = 1000.0;
pub(super) const MOST_SILENCE_S: f64 = 1e6;
/// The parameters that can be changed.
pub(super) const PARAMETERS: &[&str] = &[
    "frequency_hz",
    "rate_hz",
    "bandwidth_hz",
    "gain_db",
    "gains",
    "ppm",
    "antenna",
    "dc_removal",
    "iq_balance",
    "settings",
];
/// The same, as the port `set` says it.
pub(super) const SET: &str = "new values of frequency_hz, rate_hz, bandwidth_hz, gain_db, gains, ppm, antenna, dc_removal, iq_balance, settings";

/// `NAME=VALUE,NAME=VALUE`.
fn pairs(name: &str, text: &str) -> Result<Vec<(String, String)>, BlockError> {
    let pair = |word: &str| {
        let (key, value) = word.split_once('=').filter(|(key, _)| !key.trim().is_empty())?;
        Some((key.trim().to_owned(), value.trim().to_owned()))
    };
    let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
    let found: Option<Vec<_>> = words.map(pair).collect();
    found.ok_or_else(|| format!("{name}: expected NAME=VALUE,NAME=VALUE, got {text:?}").into())
}

fn gains(text: &str) -> Result<Vec<(String, f64)>, BlockError> {
    let number = |(name, value): (String, String)| match value.parse::<f64>() {
        Ok(db) if db.abs() <= MOST_GAIN_DB => Ok((name, db)),
        _ => Err(BlockError::from(format!(
            "gains: {name}: expected a number from -{MOST_GAIN_DB} to {MOST_GAIN_DB}, got {value:?}"
        ))),
    };
    pairs("gains", text)?.into_iter().map(number).collect()
}

fn written<T: std::fmt::Display>(pairs: &[(String, T)]) -> String {
    pairs.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(",")
}

/// The gain that a value says.
fn gain(value: &Value) -> Result<Gain, BlockError> {
    match (value.as_str(), value.as_f64()) {
        (Some("auto"), _) => Ok(Gain::Auto),
        (_, Some(db)) if db.abs() <= MOST_GAIN_DB => Ok(Gain::Db(db)),
        _ => Err(format!(
            "gain_db: expected auto, or a number from -{MOST_GAIN_DB} to {MOST_GAIN_DB}, got {value}"
        )
        .into()),
    }
}

impl SoapySettings {
    /// Changes one by its name; what is then to be set.
    pub(super) fn set(&mut self, name: &str, value: &Value) -> Result<Vec<Setting>, BlockError> {
        let number = |low, high| number(name, value, low, high);
        let flag = || flag(name, value);
        let text =
            || value.as_str().ok_or_else(|| BlockError::from(format!("{name}: expected text, got {value}")));
        match name {
            "frequency_hz" => self.frequency_hz = Some(number(0.0, MOST_HZ)?),
            "rate_hz" => self.rate_hz = Some(number(1e-3, MOST_HZ)?),
            "bandwidth_hz" => self.bandwidth_hz = Some(number(1e-3, MOST_HZ)?),
            "gain_db" => self.gain = gain(value)?,
            "gains" => self.gains = gains(text()?)?,
            "ppm" => self.ppm = number(-MOST_PPM, MOST_PPM)?,
            "antenna" => self.antenna = text()?.to_owned(),
            "dc_removal" => self.dc_removal = flag()?,
            "iq_balance" => self.iq_balance = flag()?,
            "settings" => self.settings = pairs(name, text()?)?,
            _ => return Err(no_parameter(name, PARAMETERS)),
        }
        Ok(self.of(name))
    }

    pub(super) fn value(&self, name: &str) -> Option<Value> {
        Some(match name {
            "frequency_hz" => self.frequency_hz?.into(),
            "rate_hz" => self.rate_hz?.into(),
            "bandwidth_hz" => self.bandwidth_hz?.into(),
            "gain_db" => match self.gain {
                Gain::Auto => "auto".into(),
                Gain::Db(db) => db.into(),
            },
            "gains" => written(&self.gains).into(),
            "ppm" => self.ppm.into(),
            "antenna" => self.antenna.as_str().into(),
            "dc_removal" => self.dc_removal.into(),
            "iq_balance" => self.iq_balance.into(),
            "settings" => written(&self.settings).into(),
            _ => return None,
        })
    }

    /// What one of them sets.
    fn of(&self, name: &str) -> Vec<Setting> {
        let text = |text: &String, setting: fn(String) -> Setting| -> Vec<Setting> {
            Some(text.clone()).filter(|text| !text.is_empty()).map(setting).into_iter().collect()
        };
        match name {
            "clock_source" => text(&self.clock_source, Setting::ClockSource),
            "time_source" => text(&self.time_source, Setting::TimeSource),
            "rate_hz" => self.rate_hz.map(Setting::RateHz).into_iter().collect(),
            "bandwidth_hz" => self.bandwidth_hz.map(Setting::BandwidthHz).into_iter().collect(),
            "antenna" => text(&self.antenna, Setting::Antenna),
            "frequency_hz" => self.frequency_hz.map(Setting::FrequencyHz).into_iter().collect(),
            "ppm" => vec![Setting::Ppm(self.ppm)],
            "dc_removal" => vec![Setting::DcRemoval(self.dc_removal)],
            "iq_balance" => vec![Setting::IqBalance(self.iq_balance)],
            "gain_db" => vec![match self.gain {
                Gain::Auto => Setting::GainAuto,
                Gain::Db(db) => Setting::GainDb(db),
            }],
            "gains" => self.gains.iter().map(|(name, db)| Setting::GainElement(name.clone(), *db)).collect(),
            "settings" => {
                self.settings.iter().map(|(key, value)| Setting::Own(key.clone(), value.clone())).collect()
            }
            _ => Vec::new(),
        }
    }

    /// All of them, in the order in which a device is to be set.
    pub(super) fn all(&self) -> Vec<Setting> {
        let order = [
            "clock_source",
            "time_source",
            "settings",
            "rate_hz",
            "bandwidth_hz",
            "antenna",
            "frequency_hz",
            "ppm",
            "dc_removal",
            "iq_balance",
            "gain_db",
            "gains",
        ];
        let all = order.iter().flat_map(|name| self.of(name));
        // What was not asked for stays as the driver has it.
        let is_default = |setting: &Setting| match setting {
            Setting::Ppm(ppm) => *ppm == 0.0,
            Setting::DcRemoval(on) | Setting::IqBalance(on) => !on,
            _ => false,
        };
        all.filter(|setting| !is_default(setting)).collect()
    }

    /// Refuses what no device has, for the block of that name.
    pub(super) fn check(&self, block: &str) -> Result<(), Error> {
        let fail = |parameter, got: String, expected: &str| {
            Err(Error::Setting { path: block.into(), parameter, got, expected: expected.to_owned() })
        };
        let twice = |channel: &usize| self.channels.iter().filter(|other| *other == channel).count() > 1;
        let channels = || format!("{:?}", self.channels);
        if self.channels.is_empty() || self.channels.len() > MOST_CHANNELS {
            return fail("channels", channels(), "1 to 64 of them");
        }
        if self.channels.iter().any(twice) {
            return fail("channels", channels(), "each of them once");
        }
        for (parameter, value) in [("rate_hz", self.rate_hz), ("bandwidth_hz", self.bandwidth_hz)] {
            if let Some(hz) = value.filter(|hz| !(1e-3..=MOST_HZ).contains(hz)) {
                return fail(parameter, hz.to_string(), "0.001 to 1000000000000 Hz");
            }
        }
        if let Some(hz) = self.frequency_hz.filter(|hz| !(0.0..=MOST_HZ).contains(hz)) {
            return fail("frequency_hz", hz.to_string(), "0 to 1000000000000 Hz");
        }
        if !(-MOST_PPM..=MOST_PPM).contains(&self.ppm) {
            return fail("ppm", self.ppm.to_string(), "-1000 to 1000");
        }
        if !(0.0..=MOST_SILENCE_S).contains(&self.silence_s) {
            return fail("silence_s", self.silence_s.to_string(), "0 to 1000000 s");
        }
        let of_gain = match self.gain {
            Gain::Auto => 0.0,
            Gain::Db(db) => db,
        };
        let all = std::iter::once(of_gain).chain(self.gains.iter().map(|(_, db)| *db));
        if let Some(db) = all.into_iter().find(|db| !(-MOST_GAIN_DB..=MOST_GAIN_DB).contains(db)) {
            return fail("gain_db", db.to_string(), "auto, or -200 to 200 dB");
        }
        Ok(())
    }

    /// What parameters say.
    pub(super) fn of_params(params: &Params) -> Result<Self, BlockError> {
        let channel = |number: &superhet_runtime::C64| {
            let is_whole = number.im == 0.0 && number.re.fract() == 0.0 && (0.0..1e6).contains(&number.re);
            is_whole.then_some(number.re as usize)
        };
        let channels: Option<Vec<usize>> = params.numbers("channels").iter().map(channel).collect();
        let channels = channels
            .ok_or_else(|| format!("channels: expected whole numbers, got {}", params.value("channels")))?;
        Ok(SoapySettings {
            channels,
            frequency_hz: known(params.float("frequency_hz")),
            rate_hz: known(params.float("rate_hz")),
            bandwidth_hz: known(params.float("bandwidth_hz")),
            gain: gain(params.value("gain_db"))?,
            gains: gains(params.text("gains"))?,
            ppm: params.float("ppm"),
            antenna: params.text("antenna").to_owned(),
            dc_removal: params.flag("dc_removal"),
            iq_balance: params.flag("iq_balance"),
            settings: pairs("settings", params.text("settings"))?,
            clock_source: params.text("clock_source").to_owned(),
            time_source: params.text("time_source").to_owned(),
            stream_arguments: params.text("stream_arguments").to_owned(),
            ..SoapySettings::default()
        })
    }
}

/// The parameters of both blocks.
pub(super) const ARGUMENTS: Param = optional(
    "arguments",
    Kind::Text,
    "",
    "\"\"",
    "Which device, as driver=rtlsdr,serial=00000001: the first that fits; `superhet devices` lists them.",
);
pub(super) const CHANNELS: Param =
    optional("channels", Kind::Numbers, "", "[0]", "The channels of the device, a stream each.");
pub(super) const FREQUENCY: Param = optional(
    "frequency_hz",
    Kind::Float(0.0, MOST_HZ),
    "Hz",
    "0",
    "The centre frequency; 0: as the driver has it.",
);
pub(super) const RATE: Param =
    optional("rate_hz", Kind::Float(0.0, MOST_HZ), "Hz", "0", "Samples a second; 0: as the driver has it.");
pub(super) const BANDWIDTH: Param = optional(
    "bandwidth_hz",
    Kind::Float(0.0, MOST_HZ),
    "Hz",
    "0",
    "That of the filter before the converter; 0: as the driver has it.",
);
pub(super) const GAIN: Param = optional(
    "gain_db",
    Kind::Value,
    "dB",
    "\"auto\"",
    "The gain, which the driver spreads over its elements; auto: the device finds it, or keeps the one that it has.",
);
pub(super) const GAINS: Param = optional(
    "gains",
    Kind::Text,
    "dB",
    "\"\"",
    "Gains of single elements, as LNA=20,VGA=16; they go after gain_db.",
);
pub(super) const PPM: Param = optional(
    "ppm",
    Kind::Float(-MOST_PPM, MOST_PPM),
    "10^-6",
    "0",
    "By how much the radio's clock is too fast.",
);
pub(super) const ANTENNA: Param =
    optional("antenna", Kind::Text, "", "\"\"", "The socket, as TX/RX; empty: as the driver has it.");
pub(super) const DC_REMOVAL: Param = optional(
    "dc_removal",
    Kind::Bool,
    "",
    "false",
    "The device takes the mean of its converter away; false: as the driver has it.",
);
pub(super) const IQ_BALANCE: Param = optional(
    "iq_balance",
    Kind::Bool,
    "",
    "false",
    "The device corrects what I and Q differ by; false: as the driver has it.",
);
pub(super) const SETTINGS: Param = optional(
    "settings",
    Kind::Text,
    "",
    "\"\"",
    "The driver's own settings, as biastee=true,digital_agc=false.",
);
pub(super) const CLOCK_SOURCE: Param = optional(
    "clock_source",
    Kind::Text,
    "",
    "\"\"",
    "Where the device's clock is from, as external; empty: as the driver has it.",
);
pub(super) const TIME_SOURCE: Param = optional(
    "time_source",
    Kind::Text,
    "",
    "\"\"",
    "Where the device's time is from, as gpsdo; empty: as the driver has it.",
);
pub(super) const STREAM_ARGUMENTS: Param = optional(
    "stream_arguments",
    Kind::Text,
    "",
    "\"\"",
    "What the driver wants to know of the stream, as bufflen=16384.",
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_told_by_name_and_refused_out_of_their_ranges() {
        let mut settings = SoapySettings::default();
        assert_eq!(settings.set("frequency_hz", &1090e6.into()).unwrap(), [Setting::FrequencyHz(1090e6)]);
        assert_eq!(settings.set("gain_db", &20.into()).unwrap(), [Setting::GainDb(20.0)]);
        let both =
            [Setting::GainElement("LNA".to_owned(), 20.5), Setting::GainElement("VGA".to_owned(), 16.0)];
        assert_eq!(settings.set("gains", &" LNA=20.5, VGA = 16".into()).unwrap(), both);
        assert_eq!(settings.value("gains"), Some("LNA=20.5,VGA=16".into()));
        let own = [Setting::Own("biastee".to_owned(), "true".to_owned())];
        assert_eq!(settings.set("settings", &"biastee=true".into()).unwrap(), own);
        for (name, value, expected) in [
            ("frequency_hz", Value::from(-1.0), "expected a number from 0"),
            ("rate_hz", 0.into(), "expected a number from 0.001"),
            ("gain_db", "much".into(), "expected auto, or a number"),
            ("gains", "LNA".into(), "expected NAME=VALUE,NAME=VALUE, got \"LNA\""),
            ("gains", "LNA=x".into(), "gains: LNA: expected a number from -200 to 200, got \"x\""),
            ("gains", "LNA=nan".into(), "expected a number"),
            ("ppm", f64::NAN.into(), "expected a number from -1000 to 1000"),
            ("antenna", 1.into(), "expected text, got 1"),
            ("dc_removal", 1.into(), "expected true or false, got 1"),
            ("settings", "=1".into(), "expected NAME=VALUE"),
            ("channels", 1.into(), "channels"),
        ] {
            let before = settings.clone();
            let error = settings.set(name, &value).unwrap_err().to_string();
            assert!(error.contains(expected), "{name}: {error}");
            assert_eq!(settings, before);
        }
    }

    #[test]
    fn what_no_device_has_is_refused_before_one_is_opened() {
        let refused = |settings: SoapySettings| settings.check("soapy_source").unwrap_err().to_string();
        let default = SoapySettings::default;
        assert_eq!(default().check("soapy_source").map_err(|error| error.to_string()), Ok(()));
        let error = refused(SoapySettings { channels: vec![1, 0, 1], ..default() });
        assert_eq!(error, "soapy_source: channels is [1, 0, 1], expected each of them once");
        assert!(refused(SoapySettings { channels: Vec::new(), ..default() }).contains("1 to 64"));
        assert!(refused(SoapySettings { rate_hz: Some(f64::NAN), ..default() }).contains("rate_hz is NaN"));
        assert!(refused(SoapySettings { gain: Gain::Db(1e9), ..default() }).contains("gain_db"));
    }

    #[test]
    fn the_rate_is_set_before_what_depends_on_it() {
        let settings = SoapySettings {
            rate_hz: Some(1e6),
            ppm: 2.0,
            gains: vec![("LNA".to_owned(), 1.0)],
            clock_source: "external".to_owned(),
            ..SoapySettings::default()
        };
        let all = settings.all();
        let place = |wanted: &Setting| all.iter().position(|setting| setting == wanted).unwrap();
        assert_eq!(place(&Setting::ClockSource("external".to_owned())), 0);
        assert!(place(&Setting::RateHz(1e6)) < place(&Setting::Ppm(2.0)));
        assert_eq!(place(&Setting::GainElement("LNA".to_owned(), 1.0)), all.len() - 1);
    }
}
