//! `superhet shift`: a recording, shifted in frequency.

use std::f64::consts::TAU;

use clap::Args;
use superhet::io::Shape;

use crate::chain::Chain;
use crate::quantity;
use crate::recording::{Items, RecordingArgs};
use crate::target::TargetArgs;
use superhet_terminal::settings::Settings;
use superhet_terminal::usage::Usage;

/// `superhet shift`
#[derive(Args, Debug)]
pub struct Shift {
    #[command(flatten)]
    recording: RecordingArgs,
    #[command(flatten)]
    target: TargetArgs,
    /// By how much frequencies rise, within half of the sample rate: -250e3 brings what lies at 250 kHz to 0 Hz
    #[arg(long, value_name = "FREQUENCY", value_parser = quantity::frequency, allow_hyphen_values = true)]
    by: f64,
}

impl Shift {
    /// Writes the shifted recording. What the band goes around its edges with comes in at the other one.
    pub fn run(self) -> anyhow::Result<()> {
        let recording = self.recording.open()?;
        let rate_hz = recording.known_rate()?;
        if recording.shape == Shape::Real {
            let problem = "real samples have each frequency twice, as ±f: only complex ones can be shifted";
            return Err(Usage(format!("{}: {problem}", recording.name())).into());
        }
        if self.by.abs() > rate_hz / 2.0 {
            let (by, most) = (self.by, rate_hz / 2.0);
            return Err(
                Usage(format!("--by {by}: expected at most half of the sample rate, ±{most} Hz")).into()
            );
        }
        let target = self.target.open(recording.nearest_format())?;
        let mut chain = Chain::new();
        recording.source(&mut chain, Items::Float, 0, None)?;
        chain.add("rotator", &[("increment_rad", (TAU * self.by / rate_hz).into())])?;
        target.sink(&mut chain, Some(rate_hz))?;
        target.run(chain, &recording, recording.meta().shifted(self.by), &Settings::default())
    }
}
