//! `superhet replay`: a recording, as fast as it was taken.

use clap::Args;
use superhet::io::SampleFormat;
use superhet_flow::Flow;
use superhet_runtime::Value;

use crate::chain::Chain;
use crate::drive::drive;
use crate::recording::{Items, Kind, RecordingArgs};
use crate::target::expect_free;
use superhet_terminal::settings::Settings;
use superhet_terminal::usage::Usage;

/// `superhet replay`
#[derive(Args, Debug)]
pub struct Replay {
    #[command(flatten)]
    recording: RecordingArgs,
    /// The block that takes the samples, with its parameters, or a chain that begins with it, as in
    /// 'udp_sink host=127.0.0.1 port=2000'. They come as C32 or f32, full scale = 1.0 [default: stdout, as they are stored]
    #[arg(long, value_name = "BLOCK")]
    to: Option<String>,
    /// Hand the samples to that block as they are stored
    #[arg(long, requires = "to")]
    stored: bool,
    /// How samples are stored on stdout
    #[arg(long, value_name = "FORMAT", conflicts_with = "to")]
    out_format: Option<SampleFormat>,
    /// Begin again at the end, for ever
    #[arg(long = "loop")]
    repeat: bool,
    /// So many times as fast
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, value_parser = parse_speed)]
    speed: f64,
    #[command(flatten)]
    settings: Settings,
}

fn parse_speed(text: &str) -> Result<f64, String> {
    let speed = text.parse().ok().filter(|speed| (1e-3..=1e6).contains(speed));
    speed.ok_or_else(|| "expected a number from 0.001 to 1000000".to_owned())
}

impl Replay {
    /// Replays.
    pub fn run(self) -> anyhow::Result<()> {
        self.settings.check()?;
        let recording = self.recording.open()?;
        let rate_hz = recording.known_rate()?;
        let stored = recording.nearest_format();
        let format = self.out_format.unwrap_or(stored);
        let keeps = (format.number(), format.shape()) == (stored.number(), stored.shape());
        let items = if self.stored || self.to.is_none() && keeps { Items::Stored } else { Items::Float };
        let (mut chain, first) = match &self.to {
            None => {
                expect_free("-".as_ref(), false)?;
                (Chain::new(), None)
            }
            Some(to) => {
                let flow = Flow::from_line(to, &[])?;
                crate::stdout::expect_free(&flow, None, None)?;
                let first = flow.blocks().next().map(|(name, _)| name.to_owned());
                (Chain::of(flow.build(&superhet::registry())?, None), first)
            }
        };
        if self.repeat {
            recording.repeated(&mut chain, items)?;
        } else {
            recording.source(&mut chain, items, 0, None)?;
        }
        let item: Value = chain.item()?.into();
        chain.add("throttle", &[("item", item), ("rate_hz", (rate_hz * self.speed).into())])?;
        match first {
            Some(first) => chain.end_at(&first),
            None => {
                let is_float = matches!(chain.item()?.as_str(), "C32" | "f32");
                let input = if is_float { "float" } else { "raw" };
                let format = format.to_string().into();
                chain
                    .add("file_sink", &[("path", "-".into()), ("format", format), ("input", input.into())])?;
            }
        }
        let driven = drive(chain.check()?, &self.settings, true)?;
        Ok(driven.whole()?)
    }
}

impl crate::recording::Recording {
    /// Adds what gives the samples over and over.
    pub fn repeated(&self, chain: &mut Chain, items: Items) -> anyhow::Result<()> {
        let path = |path: &std::path::Path| Value::from(path.to_string_lossy().as_ref());
        match &self.kind {
            Kind::Wav(_) => chain.add("wav_source", &[("path", path(&self.path)), ("repeat", true.into())]),
            Kind::Raw(_) | Kind::Sigmf(_) | Kind::Radio => {
                let Some(plain) = self.plain().filter(|plain| plain.channels == 1) else {
                    let problem =
                        "a recording in an archive, or with headers between its samples, is not looped";
                    return Err(Usage(format!(
                        "{}: {problem}: `superhet convert` makes one that is",
                        self.name()
                    ))
                    .into());
                };
                chain.add(
                    "file_source",
                    &[
                        ("path", path(&plain.path)),
                        ("format", plain.format.to_string().into()),
                        ("output", self.output(items, true).into()),
                        ("samples", self.samples.unwrap_or(0).into()),
                        ("repeat", true.into()),
                        ("rate_hz", self.rate_hz.unwrap_or(0.0).into()),
                        ("frequency_hz", self.center_hz.unwrap_or(0.0).into()),
                    ],
                )
            }
        }
    }
}
