//! `superhet slice`: a part of a recording.

use clap::Args;

use crate::chain::Chain;
use crate::quantity::{self, Position};
use crate::recording::RecordingArgs;
use crate::target::TargetArgs;
use superhet_terminal::settings::Settings;
use superhet_terminal::usage::Usage;

/// `superhet slice`
#[derive(Args, Debug)]
pub struct Slice {
    #[command(flatten)]
    recording: RecordingArgs,
    #[command(flatten)]
    target: TargetArgs,
    /// Where the part begins: a time such as 1.5s, or a number of samples
    #[arg(long, value_name = "TIME|SAMPLES", default_value = "0", value_parser = quantity::position)]
    from: Position,
    /// Where it ends: the first sample that no longer belongs to it [default: the end]
    #[arg(long, value_name = "TIME|SAMPLES", value_parser = quantity::position)]
    to: Option<Position>,
}

impl Slice {
    /// Writes the part.
    pub fn run(self) -> anyhow::Result<()> {
        let recording = self.recording.open()?;
        let sample = |position: Position| position.sample(recording.rate_hz).map_err(Usage);
        let (first, end) = (sample(self.from)?, self.to.map(sample).transpose()?);
        let there = recording.samples.unwrap_or(u64::MAX);
        let wrong = |problem: String| Err(Usage(problem).into());
        if first >= there {
            return wrong(format!("--from is sample {first}, but {} has {there} samples", recording.name()));
        }
        if let Some(end) = end.filter(|end| *end <= first || *end > there) {
            let problem = match end <= first {
                true => format!("--to is sample {end}, which does not lie behind --from, sample {first}"),
                false => format!("--to is sample {end}, but {} has {there} samples", recording.name()),
            };
            return wrong(problem);
        }
        let samples = end.map(|end| end - first);
        let target = self.target.open(recording.nearest_format())?;
        let mut chain = Chain::new();
        target.take(&mut chain, &recording, first, samples)?;
        let meta = recording.meta().cut(first, samples.unwrap_or(u64::MAX));
        target.run(chain, &recording, meta, &Settings::default())
    }
}
