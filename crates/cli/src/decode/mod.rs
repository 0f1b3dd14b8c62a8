//! `superhet decode`: the messages in recordings, by receivers that are graph files.

mod brokers;
mod kinds;
mod print;
mod stations;
mod wifi;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Context;
use clap::Args;
use superhet::blocks::ism::Protocol;
use superhet::io::blocks::SigmfAnnotator;
use superhet::io::{RadioUri, SampleFormat, Shape};
use superhet_flow::Set;
use superhet_runtime::{AnyBlock, Value};

use crate::chain::Chain;
use crate::dashboard::{Dashboard, DashboardArgs, Description};
use crate::drive::drive_shown;
use crate::interrupt::Interrupted;
use crate::quantity;
use crate::recording::{Items, Recording, RecordingArgs};
use crate::say;
use crate::settings::Settings;
use crate::usage::Usage;
use brokers::Brokers;
use kinds::{ANALYZE, KINDS, Kind};
use print::Print;
use stations::Stations;
use wifi::{Start, Wifi};

/// `superhet decode`
#[derive(Args, Debug)]
pub struct Decode {
    /// The receiver: one of those that --list shows
    #[arg(required_unless_present = "list")]
    kind: Option<String>,
    /// Recordings, one after the other: raw samples, WAV or SigMF; `-` is stdin
    #[arg(value_name = "INPUT", required_unless_present_any = ["list", "from"], conflicts_with = "from")]
    inputs: Vec<PathBuf>,
    /// Decode what a radio receives instead, up to a signal, by its URI, as rtl_tcp://HOST[:PORT] or soapy:driver=NAME: see `superhet devices`
    #[arg(long, value_name = "URI", conflicts_with_all = ["format", "annotate"])]
    from: Option<String>,
    /// With --from, for how long, in time of the signal, as 10 or 20ms
    #[arg(long, value_name = "TIME", value_parser = quantity::seconds, requires = "from")]
    seconds: Option<f64>,
    /// List the receivers
    #[arg(long, exclusive = true)]
    list: bool,
    /// How raw samples are stored: cu8, cs8, cs16, cf32, s16, f32, … [default: as the file's name says]
    #[arg(long)]
    format: Option<SampleFormat>,
    /// Samples per second, as 2e6, 2.4M or 48kHz [default: as the file or its name says, else the receiver's own]
    #[arg(long, value_name = "RATE", value_parser = quantity::rate)]
    rate: Option<f64>,
    /// The centre frequency, as 433.92M [default: as the file or its name says, else the receiver's own]
    #[arg(long, value_name = "FREQUENCY", value_parser = quantity::frequency, allow_hyphen_values = true)]
    freq: Option<f64>,
    /// Print one JSON object a line for each message, and nothing else on stdout
    #[arg(long)]
    json: bool,
    /// Describe a raw recording as SigMF in FILE, X or X.sigmf-meta, with each message as an annotation
    #[arg(long, value_name = "FILE")]
    annotate: Option<PathBuf>,
    /// Of ism, know also the protocols in this folder: files *.toml, each like those that are built in
    #[arg(long, value_name = "DIR")]
    protocols: Option<PathBuf>,
    /// Of ism, show the pulses and gaps of each burst, and guess how bits are written
    #[arg(long, conflicts_with = "protocols")]
    analyze: bool,
    /// Of fm, receive these stations, as 98.5M,101.3M, not the one in the middle of the band
    #[arg(long, value_name = "FREQUENCY", value_parser = quantity::frequency, value_delimiter = ',')]
    station: Vec<f64>,
    /// Of fm, write the sound into this WAV file; that of several stations into NAME-98.5MHz.wav and so on
    #[arg(long, value_name = "FILE.wav")]
    audio: Option<PathBuf>,
    /// Of fm, play the sound of the station: on the machine's own card, or on this one, as pulse:NAME or alsa:NAME
    #[arg(long, value_name = "CARD", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    play: Option<String>,
    /// Of wifi, how wide the channel is: 20M, 10M or 5M [default: as wide as the rate allows]
    #[arg(long, value_name = "BANDWIDTH", value_parser = quantity::rate)]
    bandwidth: Option<f64>,
    /// Of wifi, write the frames into this PCAP file, with what was received of each as radiotap
    #[arg(long, value_name = "FILE.pcap")]
    pcap: Option<PathBuf>,
    /// Replace a file for --audio or --pcap that is there already
    #[arg(long)]
    force: bool,
    /// Set a variable of the receiver's graph, or a parameter as BLOCK.PARAMETER; may be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<Set>,
    #[command(flatten)]
    brokers: Brokers,
    #[command(flatten)]
    settings: Settings,
    #[command(flatten)]
    dashboard: DashboardArgs,
}

/// Audio of complex samples comes at this rate, or up to twice as much.
const AUDIO_HZ: f64 = 24e3;
/// Radios have rates above this.
const LEAST_RADIO_HZ: f64 = 200e3;
/// Half the width of a channel of voice, and how soon its filter falls off.
const CHANNEL_HZ: f64 = 8e3;
const TRANSITION_HZ: f64 = 4e3;
/// The band of single sideband above its carrier, and how soon its filter falls off.
const SIDEBAND_HZ: f64 = 5e3;
const EDGE_HZ: f64 = 400.0;

impl Decode {
    /// Decodes the recordings.
    pub fn run(self) -> anyhow::Result<()> {
        if self.list {
            return list();
        }
        self.settings.check()?;
        let kind = Kind::find(self.kind.as_deref().unwrap_or_default())?;
        if kind.name != "ism" && (self.analyze || self.protocols.is_some()) {
            return Err(Usage(format!("--analyze and --protocols are for ism, not for {}", kind.name)).into());
        }
        if kind.name != "fm" && (!self.station.is_empty() || self.audio.is_some() || self.play.is_some()) {
            return Err(
                Usage(format!("--station, --audio and --play are for fm, not for {}", kind.name)).into()
            );
        }
        if kind.name != "wifi" && (self.pcap.is_some() || self.bandwidth.is_some()) {
            return Err(Usage(format!("--pcap and --bandwidth are for wifi, not for {}", kind.name)).into());
        }
        if self.force && self.audio.is_none() && self.pcap.is_none() {
            return Err(Usage("--force is for --audio and --pcap".to_owned()).into());
        }
        if self.audio.is_some() && self.inputs.len() > 1 {
            return Err(Usage("--audio takes the sound of one recording: name one INPUT".to_owned()).into());
        }
        if self.play.is_some() && (self.station.len() > 1 || self.inputs.len() > 1) {
            return Err(
                Usage("--play plays one station of one recording: name one of each".to_owned()).into()
            );
        }
        if self.pcap.is_some() && self.inputs.len() > 1 {
            return Err(Usage("--pcap takes the frames of one recording: name one INPUT".to_owned()).into());
        }
        let kind = if self.analyze { ANALYZE.clone() } else { kind };
        let (kind, sets) = self.stations().receiver(kind)?;
        let more = self.protocols.as_deref().map(protocols).transpose()?;
        if self.annotate.is_some() && self.inputs.len() > 1 {
            let problem = "--annotate describes one recording: name one INPUT";
            return Err(Usage(problem.to_owned()).into());
        }
        let dashboard = self.dashboard.open()?;
        let dashboard = dashboard.as_ref();
        if let Some(uri) = &self.from {
            let mut radio = Recording::of_radio(uri, self.rate, self.freq)?;
            self.tune(&kind, &mut radio)?;
            return Ok(self.decode(&kind, &radio, &sets, more.as_ref(), dashboard)?.map_or(Ok(()), Err)?);
        }
        for input in &self.inputs {
            let arguments =
                RecordingArgs { file: input.clone(), format: self.format, rate: self.rate, freq: self.freq };
            self.decode(&kind, &arguments.open()?, &sets, more.as_ref(), dashboard)?.map_or(Ok(()), Err)?;
        }
        Ok(())
    }

    fn stations(&self) -> Stations {
        Stations {
            frequencies_hz: self.station.clone(),
            audio: self.audio.clone(),
            play: self.play.clone(),
            force: self.force,
        }
    }

    /// Tunes a radio to what the receiver is for, where nothing else is said.
    fn tune(&self, kind: &Kind, radio: &mut Recording) -> anyhow::Result<()> {
        let rate_hz = variable(kind, "rate_hz")?;
        let own_hz = variable(kind, "center_hz").ok().filter(|center_hz| *center_hz > 0.0);
        let center_hz = self.stations().center_hz().or(own_hz);
        let is_file = matches!(RadioUri::parse(&radio.name()), Ok(RadioUri::File(_)));
        if !is_file && radio.center_hz.or(center_hz).is_none() {
            let problem = "is on many frequencies: say the one to receive, as in --freq 433.92M";
            return Err(Usage(format!("{} {problem}", kind.name)).into());
        }
        if !is_file && radio.rate_hz.is_none() && rate_hz < LEAST_RADIO_HZ {
            let problem = "takes audio, whose rate no radio has: say the radio's, as in --rate 240k";
            return Err(Usage(format!("{} {problem}", kind.name)).into());
        }
        radio.rate_hz = radio.rate_hz.or(Some(rate_hz));
        radio.center_hz = radio.center_hz.or(center_hz);
        Ok(())
    }

    /// Decodes one recording; the signal that has ended it, if any.
    fn decode(
        &self,
        kind: &Kind,
        recording: &Recording,
        sets: &[Set],
        more: Option<&Value>,
        dashboard: Option<&Dashboard>,
    ) -> anyhow::Result<Option<Interrupted>> {
        let rate_hz = match recording.rate_hz {
            Some(rate_hz) => rate_hz,
            None => variable(kind, "rate_hz")?,
        };
        self.stations().check(recording.center_hz, rate_hz)?;
        let (kind, sets) = &self.channel(kind, recording, rate_hz, sets)?;
        let (mut chain, count) = self.chain(kind, recording, rate_hz, sets, more)?;
        let name = format!("{}: {}", kind.name, recording.name());
        let description = std::mem::take(chain.description()).named(&name);
        let shown = dashboard.map(|dashboard| (dashboard, &description));
        let driven = drive_shown(chain.check()?, &self.settings, !self.json, shown)?;
        let took_s = driven.report.elapsed.as_secs_f64();
        let tags = driven.report.block("index_tags");
        let samples = tags.and_then(|tags| tags.inputs.first()).map_or(0, |input| input.items);
        let signal_s = samples as f64 / rate_hz;
        say::line(format_args!(
            "{}: {} messages in {signal_s:.3} s of signal; decoded in {:.1} ms, {:.1} times faster than real time",
            recording.name(),
            count.load(Ordering::Relaxed),
            took_s * 1e3,
            signal_s / took_s.max(f64::MIN_POSITIVE)
        ));
        Ok(driven.whole().err())
    }

    /// The receiver for a recording's rate, with what it needs for that and the files that it writes besides.
    fn channel(
        &self,
        kind: &Kind,
        recording: &Recording,
        rate_hz: f64,
        sets: &[Set],
    ) -> Result<(Kind, Vec<Set>), Usage> {
        if kind.name != "wifi" {
            return Ok((kind.clone(), sets.to_vec()));
        }
        let wifi = Wifi { bandwidth_hz: self.bandwidth, pcap: self.pcap.clone(), force: self.force };
        let start = match &self.from {
            Some(_) => Start::Now,
            None => recording.datetime().map_or(Start::Unknown, Start::At),
        };
        let (kind, more) = wifi.receiver(kind.clone(), rate_hz, start)?;
        Ok((kind, [sets, &more].concat()))
    }

    /// The receiver between a recording and what prints; and the number of messages.
    fn chain(
        &self,
        kind: &Kind,
        recording: &Recording,
        rate_hz: f64,
        given: &[Set],
        more: Option<&Value>,
    ) -> anyhow::Result<(Chain, Arc<AtomicU64>)> {
        // The receiver's input says what it takes, which may change the rate.
        let takes = port(kind, &[given, &self.set].concat(), "in")?;
        let is_audio = takes.1 == "f32";
        let carrier_hz = carrier(kind, &self.set)?;
        let decimation = match (is_audio, recording.shape) {
            // A carrier in audio has as much room above it as below.
            (true, Shape::Complex) => {
                (rate_hz / carrier_hz.map_or(AUDIO_HZ, |carrier_hz| 4.0 * carrier_hz)).floor().max(1.0)
            }
            (false, Shape::Real) => {
                let problem = format!("{} needs complex samples (cu8, cs16, …), not real ones", kind.name);
                return Err(Usage(format!("{}: {problem}", recording.name())).into());
            }
            _ => 1.0,
        };
        // Samples are counted before the decimation.
        let mut sets =
            vec![Set::new("rate_hz", rate_hz / decimation), Set::new("recording_rate_hz", rate_hz)];
        sets.extend(recording.center_hz.map(|center_hz| Set::new("center_hz", center_hz)));
        sets.extend(more.map(|more| Set::new("protocols", more.clone())));
        sets.extend(given.iter().chain(&self.set).cloned());
        // A graph that writes a file lets no other one do that.
        let gives = port(kind, &sets, "out")?.0;
        let flow = kind.flow(&sets)?;
        let registry = superhet::registry();
        let mut chain = Chain::of(flow.build(&registry)?, None);
        *chain.description() = Description::of_flow(kind.name, &flow, &registry);
        let samples = self.seconds.map(|seconds| (seconds * rate_hz).round().max(1.0) as u64);
        recording.source(&mut chain, Items::Float, 0, samples)?;
        let item = chain.item()?;
        chain.add("index_tags", &[("item", item.as_str().into())])?;
        chain.description().gives("index_tags", Some(rate_hz), recording.center_hz);
        if is_audio && recording.shape == Shape::Complex {
            match (flow.variables().get("demodulation").and_then(Value::as_str), carrier_hz) {
                (Some("usb"), _) => upper_sideband(&mut chain, rate_hz, decimation)?,
                (_, Some(carrier_hz)) => on_carrier(&mut chain, rate_hz, decimation, carrier_hz)?,
                _ => frequency_modulation(&mut chain, rate_hz, decimation)?,
            }
        }
        chain.end_at(&takes.0);
        self.brokers.add(&mut chain, &gives, self.from.is_some())?;
        chain.go_on_at(&gives);
        let print = Print::new(self.json, (self.inputs.len() > 1).then(|| recording.name()));
        let count = print.count();
        chain.add_block("print", AnyBlock::new(print));
        if let Some(path) = &self.annotate {
            let mut annotator = annotator(recording, path, rate_hz)?;
            annotator.meta_mut().global.description = flow.description().map(str::to_owned);
            chain.add_block("annotator", AnyBlock::new(annotator));
        }
        Ok((chain, count))
    }
}

/// The texts of the protocols in a folder, in the order of their names, each of which can be read.
fn protocols(folder: &Path) -> anyhow::Result<Value> {
    let failed = || format!("cannot read the folder {}", folder.display());
    let entries: Result<Vec<_>, _> = fs::read_dir(folder).with_context(failed)?.collect();
    let mut paths: Vec<PathBuf> = entries.with_context(failed)?.iter().map(fs::DirEntry::path).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "toml"));
    paths.sort();
    if paths.is_empty() {
        return Err(Usage(format!("--protocols {}: expected files *.toml in it", folder.display())).into());
    }
    let mut texts: Vec<Value> = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        Protocol::from_toml(&text, &path.display().to_string()).map_err(|error| Usage(error.to_string()))?;
        texts.push(text.into());
    }
    Ok(texts.into())
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

/// What describes a recording by its messages.
fn annotator(recording: &Recording, path: &Path, rate_hz: f64) -> anyhow::Result<SigmfAnnotator> {
    let plain = recording.plain().filter(|plain| plain.channels == 1 && plain.path != Path::new("-"));
    let Some(plain) = plain else {
        let problem = "--annotate describes a raw recording in a file";
        return Err(Usage(format!("{}: {problem}", recording.name())).into());
    };
    let annotator = SigmfAnnotator::new(&plain.path, plain.format, path)?.with_rate_hz(rate_hz)?;
    Ok(match recording.center_hz {
        Some(center_hz) => annotator.with_center_hz(center_hz),
        None => annotator,
    })
}

/// A number that a receiver's graph has as a variable.
fn variable(kind: &Kind, name: &str) -> anyhow::Result<f64> {
    let flow = kind.flow(&[])?;
    let value = flow.variables().get(name).and_then(Value::as_f64);
    value.with_context(|| format!("the receiver {} has no variable {name}", kind.name))
}

/// Where a receiver wants the middle of complex samples in its audio, if it says so.
fn carrier(kind: &Kind, sets: &[Set]) -> anyhow::Result<Option<f64>> {
    let flow = kind.flow(sets)?;
    let variable = |name| flow.variables().get(name);
    let has_carrier = variable("demodulation").and_then(Value::as_str) == Some("carrier");
    Ok(variable("carrier_hz").and_then(Value::as_f64).filter(|_| has_carrier))
}

/// The port of a block that a receiver shows by this name, and the type of its items.
fn port(kind: &Kind, sets: &[Set], name: &str) -> anyhow::Result<(String, String)> {
    let flow = kind.flow(sets)?;
    let shown = flow.ports().find(|(shown, _)| *shown == name).map(|(_, target)| target.to_owned());
    let shown = shown.with_context(|| format!("the receiver {} shows no port {name}", kind.name))?;
    let graph = flow.build(&superhet::registry())?;
    let (block, port) = shown.split_once('.').unwrap_or((&shown, name));
    let ports = graph.blocks().find(|(name, _)| *name == block).map(|(_, ports)| ports);
    let found = ports.and_then(|ports| ports.inputs.iter().find(|(name, _)| *name == port));
    let item = found.map(|(_, port)| port.item.name().to_owned()).unwrap_or_default();
    Ok((shown, item))
}

/// Prints the names of the receivers, and what each is for.
fn list() -> anyhow::Result<()> {
    let mut text = String::new();
    for kind in KINDS {
        let flow = kind.flow(&[])?;
        text += &format!("{:<10} {}\n", kind.name, flow.description().unwrap_or_default());
    }
    say::result(&text)
}
