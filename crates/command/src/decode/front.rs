//! Audio of complex samples, for receivers that take audio: by frequency modulation, single sideband, or a carrier.

use superhet_flow::Flow;
use superhet_runtime::Value;

use crate::chain::Chain;

/// Audio of complex samples comes at this rate, or up to twice as much.
const AUDIO_HZ: f64 = 24e3;
/// Half the width of a channel of voice, and how soon its filter falls off.
const CHANNEL_HZ: f64 = 8e3;
const TRANSITION_HZ: f64 = 4e3;
/// The band of single sideband above its carrier, and how soon its filter falls off.
const SIDEBAND_HZ: f64 = 5e3;
const EDGE_HZ: f64 = 400.0;

/// What makes audio of complex samples for a receiver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Front {
    /// The station is demodulated by its frequency.
    Frequency,
    /// The middle of the samples is the carrier of an upper sideband.
    UpperSideband,
    /// The middle of the samples becomes this frequency of the audio.
    Carrier(f64),
}

impl Front {
    /// What a receiver's graph asks for.
    pub fn of(flow: &Flow) -> Self {
        let variable = |name| flow.variables().get(name);
        let demodulation = variable("demodulation").and_then(Value::as_str);
        match (demodulation, variable("carrier_hz").and_then(Value::as_f64)) {
            (Some("usb"), _) => Front::UpperSideband,
            (Some("carrier"), Some(carrier_hz)) => Front::Carrier(carrier_hz),
            _ => Front::Frequency,
        }
    }

    /// How many samples become one of the audio.
    pub fn decimation(self, rate_hz: f64) -> f64 {
        let audio_hz = match self {
            // A carrier in audio has as much room above it as below.
            Front::Carrier(carrier_hz) => 4.0 * carrier_hz,
            Front::Frequency | Front::UpperSideband => AUDIO_HZ,
        };
        (rate_hz / audio_hz).floor().max(1.0)
    }

    /// Adds it behind samples of this rate.
    pub fn add(self, chain: &mut Chain, rate_hz: f64) -> anyhow::Result<()> {
        let decimation = self.decimation(rate_hz);
        match self {
            Front::Frequency => frequency_modulation(chain, rate_hz, decimation),
            Front::UpperSideband => upper_sideband(chain, rate_hz, decimation),
            Front::Carrier(carrier_hz) => on_carrier(chain, rate_hz, decimation, carrier_hz),
        }
    }
}

/// Adds what makes audio of the sideband above the middle of complex samples.
fn upper_sideband(chain: &mut Chain, rate_hz: f64, decimation: f64) -> anyhow::Result<()> {
    let turn = std::f64::consts::TAU * SIDEBAND_HZ / 2.0 / rate_hz;
    chain.add("rotator", &[("increment_rad", (-turn).into())])?;
    chain.add(
        "low_pass_filter",
        &[
            ("rate_hz", rate_hz.into()),
            ("cutoff_hz", (SIDEBAND_HZ / 2.0).into()),
            ("transition_hz", EDGE_HZ.into()),
            ("decimation", (decimation as u64).into()),
        ],
    )?;
    chain.add("rotator", &[("increment_rad", (turn * decimation).into())])?;
    chain.add("complex_to_real", &[])
}

/// Adds what makes audio of complex samples, whose middle becomes a carrier in it.
fn on_carrier(chain: &mut Chain, rate_hz: f64, decimation: f64, carrier_hz: f64) -> anyhow::Result<()> {
    if rate_hz > 3.0 * carrier_hz {
        chain.add(
            "low_pass_filter",
            &[
                ("rate_hz", rate_hz.into()),
                ("cutoff_hz", (0.8 * carrier_hz).into()),
                ("transition_hz", (0.4 * carrier_hz).into()),
                ("decimation", (decimation as u64).into()),
            ],
        )?;
    }
    let turn = std::f64::consts::TAU * carrier_hz * decimation / rate_hz;
    chain.add("rotator", &[("increment_rad", turn.into())])?;
    chain.add("complex_to_real", &[])
}

/// Adds what makes audio of complex samples with frequency modulation.
fn frequency_modulation(chain: &mut Chain, rate_hz: f64, decimation: f64) -> anyhow::Result<()> {
    if rate_hz > 2.0 * CHANNEL_HZ + TRANSITION_HZ {
        chain.add(
            "low_pass_filter",
            &[
                ("rate_hz", rate_hz.into()),
                ("cutoff_hz", CHANNEL_HZ.into()),
                ("transition_hz", TRANSITION_HZ.into()),
                ("decimation", (decimation as u64).into()),
            ],
        )?;
    }
    // A deviation of 5 kHz is about 1.
    let gain = rate_hz / decimation / (std::f64::consts::TAU * 5e3);
    chain.add("quadrature_demod", &[("gain", gain.into())])
}
