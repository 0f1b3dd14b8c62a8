//! What blocks of sound can be set to.

use superhet_runtime::catalog::{Kind, Param, optional, required};

use crate::error::Error;
use crate::sound::card;

/// The settings of an [`AudioSink`](super::AudioSink) and an [`AudioSource`](super::AudioSource).
///
/// | setting | unit | range | means | default |
/// |---|---|---|---|---|
/// | `device` | | `pulse`, `pulse:NAME`, `alsa`, `alsa:NAME` | the card, which may be a sink or a source of a server of sound; empty: the machine's own | empty |
/// | `rate_hz` | Hz | 1000 to 384,000 | frames a second | 48,000 |
/// | `channels` | | 1 to 8 | streams side by side | 1 |
/// | `latency_s` | s | 0.01 to 2 | of a sink, what lies in the buffers, the card's own among them; of a source, what comes together | 0.2 |
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the table says it")]
pub struct AudioSettings {
    pub device: String,
    pub rate_hz: u32,
    pub channels: u8,
    pub latency_s: f64,
}

impl Default for AudioSettings {
    fn default() -> Self {
        AudioSettings { device: String::new(), rate_hz: 48_000, channels: 1, latency_s: 0.2 }
    }
}

impl AudioSettings {
    /// Refuses what no card has, for the block of that name.
    pub(super) fn check(&self, block: &str) -> Result<(), Error> {
        let fail = |parameter, got: String, expected: &str| {
            Err(Error::Setting { path: block.into(), parameter, got, expected: expected.to_owned() })
        };
        if !card::is_name(&self.device) {
            return fail("device", self.device.clone(), card::NAMES);
        }
        if !(1000..=384_000).contains(&self.rate_hz) {
            return fail("rate_hz", self.rate_hz.to_string(), "1000 to 384000 Hz");
        }
        if !(1..=8).contains(&self.channels) {
            return fail("channels", self.channels.to_string(), "1 to 8");
        }
        if !(0.01..=2.0).contains(&self.latency_s) {
            return fail("latency_s", self.latency_s.to_string(), "0.01 to 2 s");
        }
        Ok(())
    }

    /// How many frames the latency is.
    pub(super) fn frames(&self) -> u32 {
        (self.latency_s * f64::from(self.rate_hz)).round().max(1.0) as u32
    }
}

pub(super) const DEVICE: Param = optional(
    "device",
    Kind::Text,
    "",
    "\"\"",
    "The card: pulse, pulse:NAME, alsa, alsa:NAME; empty: the machine's own.",
);
pub(super) const RATE: Param =
    required("rate_hz", Kind::Integer(1000, 384_000), "Hz", "Frames a second, as 48000.");
pub(super) const CHANNELS: Param =
    optional("channels", Kind::Integer(1, 8), "", "1", "How many streams there are, a channel each.");

/// What parameters say.
pub(super) fn of(params: &superhet_runtime::catalog::Params) -> AudioSettings {
    AudioSettings {
        device: params.text("device").to_owned(),
        rate_hz: u32::try_from(params.count("rate_hz")).unwrap_or_default(),
        channels: u8::try_from(params.count("channels")).unwrap_or_default(),
        latency_s: params.float("latency_s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_card_has_is_refused() {
        let default = AudioSettings::default;
        assert!(default().check("audio_sink").is_ok());
        assert_eq!(default().frames(), 9600);
        for (settings, problem) in [
            (
                AudioSettings { device: "oss".to_owned(), ..default() },
                "device is oss, expected pulse, pulse:NAME",
            ),
            (AudioSettings { rate_hz: 999, ..default() }, "rate_hz is 999, expected 1000 to 384000 Hz"),
            (AudioSettings { channels: 9, ..default() }, "channels is 9, expected 1 to 8"),
            (AudioSettings { latency_s: f64::NAN, ..default() }, "latency_s is NaN, expected 0.01 to 2 s"),
        ] {
            let error = settings.check("audio_sink").unwrap_err().to_string();
            assert!(error.contains(problem), "{error}");
        }
    }
}
