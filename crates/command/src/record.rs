//! `superhet record`: what a block gives, into a file.

use clap::Args;
use superhet::io::blocks::RtlTcpSettings;
use superhet::io::{RadioUri, SampleFormat, Shape};
use superhet_flow::Flow;

use crate::chain::Chain;
use crate::drive::drive;
use crate::quantity;
use crate::recording::{Items, Recording};
use crate::target::TargetArgs;
use superhet_terminal::say;
use superhet_terminal::settings::Settings;
use superhet_terminal::usage::Usage;

/// `superhet record`
#[derive(Args, Debug)]
pub struct Record {
    #[command(flatten)]
    target: TargetArgs,
    /// A radio by its URI, as rtl_tcp://127.0.0.1:1234 or soapy:driver=rtlsdr (see `superhet devices`), or the block whose samples are recorded, with its
    /// parameters, or a chain that ends with it, as in 'udp_source port=2000 format=cs16'
    #[arg(long, value_name = "URI|BLOCK")]
    from: String,
    /// For how long, in time of the signal, as 10 or 20ms; without it and --samples up to the end, or to a signal
    #[arg(long, value_name = "TIME", value_parser = quantity::seconds)]
    seconds: Option<f64>,
    /// How many samples
    #[arg(long, value_name = "COUNT", value_parser = quantity::samples, conflicts_with = "seconds")]
    samples: Option<u64>,
    /// Samples per second [default: what the last block of BLOCK with a parameter rate_hz has there]
    #[arg(long, value_name = "RATE", value_parser = quantity::rate)]
    rate: Option<f64>,
    /// The centre frequency, for SigMF [default: as the tag rx_freq says]
    #[arg(long, value_name = "FREQUENCY", value_parser = quantity::frequency, allow_hyphen_values = true)]
    freq: Option<f64>,
    #[command(flatten)]
    settings: Settings,
}

impl Record {
    /// Records.
    pub fn run(self) -> anyhow::Result<()> {
        self.settings.check()?;
        let (mut chain, last, rate_hz) = self.source()?;
        let item = chain.item()?;
        let Some(format) = format_of(&item) else {
            return Err(Usage(format!("{last} gives items of type {item}, which no recording holds")).into());
        };
        let target = self.target.open(format)?;
        let samples = match (self.samples, self.seconds, rate_hz) {
            (Some(samples), ..) => Some(samples),
            (None, Some(seconds), Some(rate_hz)) => Some((seconds * rate_hz).round().max(1.0) as u64),
            (None, Some(_), None) => {
                return Err(
                    Usage("--seconds needs a sample rate: say it, as in --rate 2e6".to_owned()).into()
                );
            }
            (None, None, _) => None,
        };
        if let Some(samples) = samples {
            chain.add("head", &[("item", item.as_str().into()), ("items", samples.into())])?;
        }
        target.recording_sink(&mut chain, rate_hz, self.freq)?;
        let graph = chain.check()?;
        let driven = drive(graph, &self.settings, true)?;
        driven.whole()?;
        let came = driven.report.block("head").and_then(|head| head.outputs.first()).map(|out| out.items);
        if let (Some(samples), Some(came)) = (samples, came)
            && came < samples
        {
            say::line(format_args!("superhet: {last} ended after {came} of {samples} samples"));
        }
        Ok(())
    }
}

impl Record {
    /// What gives the samples, the name of its last block, and their rate where it is known.
    fn source(&self) -> anyhow::Result<(Chain, String, Option<f64>)> {
        if RadioUri::is_one(&self.from) {
            let mut radio = Recording::of_radio(&self.from, self.rate, self.freq)?;
            if radio.rate_hz.is_none()
                && matches!(RadioUri::parse(&self.from), Ok(RadioUri::RtlTcp { .. } | RadioUri::RtlSdr(_)))
            {
                radio.rate_hz = Some(RtlTcpSettings::default().rate_hz);
            }
            let mut chain = Chain::new();
            radio.source(&mut chain, Items::Float, 0, None)?;
            return Ok((chain, "radio".to_owned(), radio.rate_hz));
        }
        let flow = Flow::from_line(&self.from, &[])?;
        let names: Vec<&str> = flow.blocks().map(|(name, _)| name).collect();
        let last = names.last().copied().unwrap_or_default();
        let rate_hz = self.rate.or_else(|| {
            let rates = names.iter().rev().filter_map(|name| flow.value(name, "rate_hz")?.as_f64());
            rates.into_iter().find(|rate| *rate > 0.0)
        });
        Ok((Chain::of(flow.build(&superhet::registry())?, Some(last)), last.to_owned(), rate_hz))
    }
}

/// The format that items of a type are stored as.
fn format_of(item: &str) -> Option<SampleFormat> {
    let name = match item {
        "C32" => "cf32",
        "C64" => "cf64",
        other => other,
    };
    let format: SampleFormat = name.parse().ok()?;
    let is_complex = item.starts_with(['C', 'c']);
    (format.shape() == if is_complex { Shape::Complex } else { Shape::Real }).then_some(format)
}
