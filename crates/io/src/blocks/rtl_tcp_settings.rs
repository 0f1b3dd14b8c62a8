//! What a tuner behind rtl_tcp can be set to, by name and as parameters of blocks.

use superhet_runtime::catalog::{Kind, Param, Params, optional};
use superhet_runtime::{BlockError, Value, gap::OnGap, parameter::no_parameter};

use crate::error::Error;
use crate::rtl_tcp::command::{Command, DirectSampling};

/// The settings of an [`RtlTcpSource`](super::RtlTcpSource). All but `reconnect` and `on_gap` can be changed while it runs.
///
/// | setting | unit | range | means | default |
/// |---|---|---|---|---|
/// | `frequency_hz` | Hz | 0 to 2³² − 1 | the centre frequency | 100 MHz |
/// | `rate_hz` | Hz | 1 to 2³² − 1 | samples a second | 2.048 MHz |
/// | `gain` | dB | −100 to 100, or automatic | that of the tuner, which takes the nearest one that it has | automatic |
/// | `ppm` | 10⁻⁶ | −1000 to 1000 | by how much the radio's clock is too fast | 0 |
/// | `agc` | | | the chip's own automatic gain | off |
/// | `bias_tee` | | | power for an amplifier on the antenna's cable | off |
/// | `direct_sampling` | | | samples an input without the tuner | off |
/// | `offset_tuning` | | | tunes beside the centre, against a peak there | off |
/// | `reconnect` | | | connects again where the connection is lost; else that is the end | yes |
/// | `on_gap` | | | what is done about what is missing | go on |
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the table says it")]
pub struct RtlTcpSettings {
    pub frequency_hz: f64,
    pub rate_hz: f64,
    pub gain: Gain,
    pub ppm: i32,
    pub agc: bool,
    pub bias_tee: bool,
    pub direct_sampling: DirectSampling,
    pub offset_tuning: bool,
    pub reconnect: bool,
    pub on_gap: OnGap,
}

impl Default for RtlTcpSettings {
    fn default() -> Self {
        RtlTcpSettings {
            frequency_hz: 100e6,
            rate_hz: 2.048e6,
            gain: Gain::Auto,
            ppm: 0,
            agc: false,
            bias_tee: false,
            direct_sampling: DirectSampling::Off,
            offset_tuning: false,
            reconnect: true,
            on_gap: OnGap::Continue,
        }
    }
}

/// The gain of a tuner.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Gain {
    /// The tuner finds it.
    #[default]
    Auto,
    /// In decibels.
    Db(f64),
}

impl Gain {
    /// What a parameter says: `auto` or a number of decibels.
    fn of(value: &Value) -> Result<Self, BlockError> {
        let wrong =
            || format!("expected auto, or a number from -{MOST_GAIN_DB} to {MOST_GAIN_DB}, got {value}");
        match (value.as_str(), value.as_f64()) {
            (Some("auto"), _) => Ok(Gain::Auto),
            (_, Some(db)) if db.abs() <= MOST_GAIN_DB => Ok(Gain::Db(db)),
            _ => Err(wrong().into()),
        }
    }

    fn value(self) -> Value {
        match self {
            Gain::Auto => "auto".into(),
            Gain::Db(db) => db.into(),
        }
    }
}

/// The most that a number of the protocol can say.
pub(super) const MOST_HZ: f64 = u32::MAX as f64;
const MOST_GAIN_DB: f64 = 100.0;
const MOST_PPM: i64 = 1000;
/// The parameters that can be changed.
pub(super) const PARAMETERS: &[&str] =
    &["frequency_hz", "rate_hz", "gain_db", "ppm", "agc", "bias_tee", "direct_sampling", "offset_tuning"];

/// The number that a new value of a parameter says.
pub(super) fn number(name: &str, value: &Value, low: f64, high: f64) -> Result<f64, BlockError> {
    match value.as_f64() {
        Some(x) if (low..=high).contains(&x) => Ok(x),
        _ => Err(format!("{name}: expected a number from {low} to {high}, got {value}").into()),
    }
}

/// Whether a new value of a parameter says yes.
pub(super) fn flag(name: &str, value: &Value) -> Result<bool, BlockError> {
    match value {
        Value::Bool(on) => Ok(*on),
        _ => Err(format!("{name}: expected true or false, got {value}").into()),
    }
}

impl RtlTcpSettings {
    /// Changes one by its name; what is then to be sent.
    pub(super) fn set(&mut self, name: &str, value: &Value) -> Result<Vec<Command>, BlockError> {
        let number = |low, high| number(name, value, low, high);
        let flag = || flag(name, value);
        match name {
            "frequency_hz" => self.frequency_hz = number(0.0, MOST_HZ)?,
            "rate_hz" => self.rate_hz = number(1.0, MOST_HZ)?,
            "gain_db" => self.gain = Gain::of(value).map_err(|error| format!("{name}: {error}"))?,
            "ppm" => self.ppm = number(-(MOST_PPM as f64), MOST_PPM as f64)?.round() as i32,
            "agc" => self.agc = flag()?,
            "bias_tee" => self.bias_tee = flag()?,
            "offset_tuning" => self.offset_tuning = flag()?,
            "direct_sampling" => {
                let mode = value.as_str().and_then(DirectSampling::of_word);
                self.direct_sampling = mode.ok_or_else(|| {
                    format!("{name}: expected one of {}, got {value}", DirectSampling::WORDS.join(", "))
                })?;
            }
            _ => return Err(no_parameter(name, PARAMETERS)),
        }
        Ok(self.commands(name))
    }

    pub(super) fn value(&self, name: &str) -> Option<Value> {
        Some(match name {
            "frequency_hz" => self.frequency_hz.into(),
            "rate_hz" => self.rate_hz.into(),
            "gain_db" => self.gain.value(),
            "ppm" => i64::from(self.ppm).into(),
            "agc" => self.agc.into(),
            "bias_tee" => self.bias_tee.into(),
            "offset_tuning" => self.offset_tuning.into(),
            "direct_sampling" => self.direct_sampling.word().into(),
            _ => return None,
        })
    }

    /// What tells the server of one setting.
    pub(super) fn commands(&self, name: &str) -> Vec<Command> {
        match (name, self.gain) {
            ("frequency_hz", _) => vec![Command::FrequencyHz(self.frequency_hz.round() as u32)],
            ("rate_hz", _) => vec![Command::RateHz(self.rate_hz.round() as u32)],
            ("gain_db", Gain::Auto) => vec![Command::ManualGain(false)],
            ("gain_db", Gain::Db(db)) => {
                vec![Command::ManualGain(true), Command::Gain((db * 10.0).round() as i32)]
            }
            ("ppm", _) => vec![Command::Ppm(self.ppm)],
            ("agc", _) => vec![Command::Agc(self.agc)],
            ("bias_tee", _) => vec![Command::BiasTee(self.bias_tee)],
            ("direct_sampling", _) => vec![Command::DirectSampling(self.direct_sampling)],
            ("offset_tuning", _) => vec![Command::OffsetTuning(self.offset_tuning)],
            _ => Vec::new(),
        }
    }
}

impl RtlTcpSettings {
    /// Refuses what is out of its range, for the block of that name.
    pub(super) fn check(&self, block: &str) -> Result<(), Error> {
        for name in PARAMETERS {
            let value = self.value(name).unwrap_or_default();
            self.clone().set(name, &value).map_err(|error| {
                let (parameter, got) = (*name, value.to_string());
                Error::Setting {
                    path: block.into(),
                    parameter,
                    got,
                    expected: expected_in(&error.to_string()),
                }
            })?;
        }
        Ok(())
    }
}

/// The end of a sentence "expected A, got B" without what was got.
fn expected_in(problem: &str) -> String {
    let expected = problem.split_once("expected ").map_or(problem, |(_, rest)| rest);
    expected.split_once(", got ").map_or(expected, |(expected, _)| expected).to_owned()
}

/// The parameters of tuners, for all blocks that have one.
pub(super) const GAIN: Param = optional(
    "gain_db",
    Kind::Value,
    "dB",
    "\"auto\"",
    "The gain of the tuner, which takes the nearest one that it has; auto: it finds one.",
);
pub(super) const PPM: Param = optional(
    "ppm",
    Kind::Integer(-MOST_PPM, MOST_PPM),
    "10^-6",
    "0",
    "By how much the radio's clock is too fast.",
);
pub(super) const AGC: Param = optional("agc", Kind::Bool, "", "false", "The chip's own automatic gain.");
pub(super) const BIAS_TEE: Param =
    optional("bias_tee", Kind::Bool, "", "false", "Power for an amplifier on the antenna's cable.");
pub(super) const DIRECT_SAMPLING: Param = optional(
    "direct_sampling",
    Kind::Choice(DirectSampling::WORDS),
    "",
    "\"off\"",
    "Samples this input without the tuner.",
);
pub(super) const OFFSET_TUNING: Param =
    optional("offset_tuning", Kind::Bool, "", "false", "Tunes beside the centre, against a peak there.");
/// The parameters of sources behind a network.
pub(super) const RECONNECT: Param = optional(
    "reconnect",
    Kind::Bool,
    "",
    "true",
    "Connects again where the connection is lost; else that is the end.",
);
/// The parameter `on_gap`.
pub const ON_GAP: Param = optional(
    "on_gap",
    Kind::Choice(OnGap::WORDS),
    "",
    "\"continue\"",
    "What is done where samples are missing: go on with a tag, fill in zeros, or end with an error.",
);

impl RtlTcpSettings {
    /// What parameters say of tuners, sources, frequency and rate.
    pub(super) fn of(params: &Params) -> Result<Self, BlockError> {
        Ok(RtlTcpSettings {
            frequency_hz: params.float("frequency_hz"),
            rate_hz: params.float("rate_hz"),
            gain: Gain::of(params.value("gain_db")).map_err(|error| format!("gain_db: {error}"))?,
            ppm: i32::try_from(params.integer("ppm")).unwrap_or_default(),
            agc: params.flag("agc"),
            bias_tee: params.flag("bias_tee"),
            direct_sampling: DirectSampling::of_word(params.text("direct_sampling")).unwrap_or_default(),
            offset_tuning: params.flag("offset_tuning"),
            reconnect: params.flag("reconnect"),
            on_gap: OnGap::of_word(params.text("on_gap")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_told_by_name_and_refused_out_of_their_ranges() {
        let mut settings = RtlTcpSettings::default();
        let commands = settings.set("frequency_hz", &1090e6.into()).unwrap();
        assert_eq!(commands, [Command::FrequencyHz(1_090_000_000)]);
        let manual = [Command::ManualGain(true), Command::Gain(297)];
        assert_eq!(settings.set("gain_db", &29.7.into()).unwrap(), manual);
        assert_eq!(settings.value("gain_db"), Some(29.7.into()));
        for (name, value, expected) in [
            ("frequency_hz", Value::from(5e9), "expected a number from 0 to 4294967295, got 5000000000"),
            ("rate_hz", 0.into(), "expected a number from 1"),
            ("gain_db", "much".into(), "expected auto, or a number"),
            ("gain_db", 101.into(), "expected auto, or a number"),
            ("ppm", f64::NAN.into(), "expected a number from -1000 to 1000"),
            ("agc", 1.into(), "expected true or false, got 1"),
            ("direct_sampling", "x".into(), "expected one of off, i, q"),
            ("tuner", 1.into(), "tuner"),
        ] {
            let before = settings.clone();
            let error = settings.set(name, &value).unwrap_err().to_string();
            assert!(error.contains(expected), "{name}: {error}");
            assert_eq!(settings, before);
        }
    }
}
