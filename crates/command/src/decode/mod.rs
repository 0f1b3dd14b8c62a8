//! `superhet decode`: the messages in recordings, by receivers that are graph files.

mod band;
mod brokers;
mod front;
mod kinds;
mod kiss;
mod print;
mod stations;
mod wifi;

use std::cell::RefCell;
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
use crate::dashboard::{Dashboard, DashboardArgs, Description, Shown, Shows};
use crate::drive::drive_shown;
use crate::interrupt::Interrupted;
use crate::quantity;
use crate::recording::{Items, Recording, RecordingArgs};
use band::{Band, KindSets, Request};
use brokers::Brokers;
use front::Front;
use kinds::{ANALYZE, KINDS, Kind};
use kiss::Kiss;
use print::Print;
use stations::Stations;
use superhet_terminal::say;
use superhet_terminal::settings::Settings;
use superhet_terminal::usage::Usage;
use wifi::{Start, Wifi};

/// `superhet decode`
#[derive(Args, Debug)]
pub struct Decode {
    /// The receiver, one of those that --list shows; or several of one band, as ism,ais,ax25@144.8M: each where its channels
    /// are, or at that frequency
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
    kiss: Kiss,
    #[command(flatten)]
    brokers: Brokers,
    #[command(flatten)]
    settings: Settings,
    #[command(flatten)]
    dashboard: DashboardArgs,
}

/// A graph that decodes, what counts its messages, and the rate of the signal.
struct Built {
    chain: Chain,
    count: Arc<AtomicU64>,
    rate_hz: f64,
}

/// Receivers whose messages say where their senders are.
const HAVE_PLACES: [&str; 3] = ["adsb", "ais", "ax25"];

/// Radios have rates above this.
const LEAST_RADIO_HZ: f64 = 200e3;

/// What decodes.
enum Receivers {
    /// One, of all of the band, with parameters that are set in its graph.
    One(Kind, Vec<Set>),
    /// Several, or one of a part of the band.
    Several(Vec<Request>),
}

impl Decode {
    /// Decodes the recordings.
    pub fn run(self) -> anyhow::Result<()> {
        if self.list {
            return list();
        }
        self.settings.check()?;
        let receivers = self.receivers()?;
        let more = self.protocols.as_deref().map(protocols).transpose()?;
        if self.annotate.is_some() && self.inputs.len() > 1 {
            let problem = "--annotate describes one recording: name one INPUT";
            return Err(Usage(problem.to_owned()).into());
        }
        let dashboard = self.dashboard.open()?;
        let dashboard = dashboard.as_ref();
        if self.inputs.len() > 1 && dashboard.is_some_and(Dashboard::stays) {
            return Err(Usage("--dashboard-stay is for one recording: name one INPUT".to_owned()).into());
        }
        if let Some(uri) = &self.from {
            let mut radio = Recording::of_radio(uri, self.rate, self.freq)?;
            match &receivers {
                Receivers::One(kind, _) => self.tune(kind, &mut radio)?,
                Receivers::Several(_) => {}
            }
            return Ok(self.decode(&receivers, &radio, more.as_ref(), dashboard)?.map_or(Ok(()), Err)?);
        }
        for input in &self.inputs {
            let arguments =
                RecordingArgs { file: input.clone(), format: self.format, rate: self.rate, freq: self.freq };
            self.decode(&receivers, &arguments.open()?, more.as_ref(), dashboard)?.map_or(Ok(()), Err)?;
        }
        Ok(())
    }

    /// The receivers that are asked for, with options that fit them.
    fn receivers(&self) -> anyhow::Result<Receivers> {
        let requests = Request::read(self.kind.as_deref().unwrap_or_default())?;
        let [Request { kind, frequency_hz: None }] = &requests[..] else {
            let alone = [
                ("--analyze", self.analyze),
                ("--station", !self.station.is_empty()),
                ("--audio", self.audio.is_some()),
                ("--play", self.play.is_some()),
                ("--bandwidth", self.bandwidth.is_some()),
                ("--pcap", self.pcap.is_some()),
                ("--kiss", self.kiss.is_wanted()),
            ];
            if let Some((option, _)) = alone.iter().find(|(_, is_given)| *is_given) {
                return Err(Usage(format!("{option} is for a receiver that is alone: name one KIND")).into());
            }
            if self.protocols.is_some() && requests.iter().all(|request| request.kind.name != "ism") {
                return Err(Usage("--protocols is for ism, which is not asked for".to_owned()).into());
            }
            return Ok(Receivers::Several(requests));
        };
        self.kiss.check(kind)?;
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
        let kind = if self.analyze { ANALYZE.clone() } else { kind.clone() };
        let (kind, sets) = self.stations().receiver(kind)?;
        Ok(Receivers::One(kind, sets))
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
        receivers: &Receivers,
        recording: &Recording,
        more: Option<&Value>,
        dashboard: Option<&Dashboard>,
    ) -> anyhow::Result<Option<Interrupted>> {
        let Built { mut chain, count, rate_hz } = self.build(receivers, recording, more)?;
        let name = format!("{}: {}", self.kind.as_deref().unwrap_or_default(), recording.name());
        let description = std::mem::take(chain.description()).named(&name);
        // The count of the graph that ran last.
        let count = RefCell::new(count);
        let again = || {
            let built = self.build(receivers, recording, more)?;
            count.replace(built.count);
            built.chain.check()
        };
        // Where several recordings follow each other, the next one comes.
        let again: Option<&dyn Fn() -> _> = if self.inputs.len() > 1 { None } else { Some(&again) };
        let shown = dashboard.map(|dashboard| Shown { dashboard, description: &description, again });
        let driven = drive_shown(chain.check()?, &self.settings, !self.json, shown)?;
        let took_s = driven.report.elapsed.as_secs_f64();
        let tags = driven.report.block("index_tags");
        let samples = tags.and_then(|tags| tags.inputs.first()).map_or(0, |input| input.items);
        let signal_s = samples as f64 / rate_hz;
        say::line(format_args!(
            "{}: {} messages in {signal_s:.3} s of signal; decoded in {:.1} ms, {:.1} times faster than real time",
            recording.name(),
            count.borrow().load(Ordering::Relaxed),
            took_s * 1e3,
            signal_s / took_s.max(f64::MIN_POSITIVE)
        ));
        Ok(driven.whole().err())
    }

    /// The graph that decodes a recording.
    fn build(
        &self,
        receivers: &Receivers,
        recording: &Recording,
        more: Option<&Value>,
    ) -> anyhow::Result<Built> {
        match receivers {
            Receivers::One(kind, sets) => {
                let rate_hz = match recording.rate_hz {
                    Some(rate_hz) => rate_hz,
                    None => variable(kind, "rate_hz")?,
                };
                self.stations().check(recording.center_hz, rate_hz)?;
                let (kind, sets) = self.channel(kind, recording, rate_hz, sets)?;
                let (chain, count) = self.chain(&kind, recording, rate_hz, &sets, more)?;
                Ok(Built { chain, count, rate_hz })
            }
            Receivers::Several(requests) => {
                let band = Band::of(recording)?;
                let (chain, count) = self.several(requests, recording, &band, more)?;
                Ok(Built { chain, count, rate_hz: band.rate_hz })
            }
        }
    }

    /// The receivers of several kinds or channels between a recording and what prints; the number of messages.
    fn several(
        &self,
        requests: &[Request],
        recording: &Recording,
        band: &Band,
        more: Option<&Value>,
    ) -> anyhow::Result<(Chain, Arc<AtomicU64>)> {
        let sets = KindSets::read(&self.set, requests)?;
        let places = band::places(requests, band, recording)?;
        let mut receivers = band::Receivers::new(&places, band, &sets, more)?;
        let chain = receivers.chain();
        self.source(chain, recording, band.rate_hz)?;
        receivers.cut()?;
        let (mut chain, gives, description) = receivers.merged();
        let count = self.print(&mut chain, &gives, recording, band.rate_hz, Some(&description))?;
        Ok((chain, count))
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
        let front = Front::of(&kind.flow(&self.set)?);
        let decimation = match (is_audio, recording.shape) {
            (true, Shape::Complex) => front.decimation(rate_hz),
            (false, Shape::Real) => return Err(needs_complex(kind.name, recording).into()),
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
        self.source(&mut chain, recording, rate_hz)?;
        let item = chain.item()?;
        let mut index = vec![("item", item.as_str().into())];
        index.extend(flow.variables().get("index_period").map(|period| ("period", period.clone())));
        chain.add("index_tags", &index)?;
        chain.description().gives("index_tags", Some(rate_hz), recording.center_hz);
        if is_audio && recording.shape == Shape::Complex {
            front.add(&mut chain, rate_hz)?;
        }
        chain.end_at(&takes.0);
        let count = self.print(&mut chain, &gives, recording, rate_hz, flow.description())?;
        Ok((chain, count))
    }

    /// Adds what gives the samples.
    fn source(&self, chain: &mut Chain, recording: &Recording, rate_hz: f64) -> anyhow::Result<()> {
        let samples = self.seconds.map(|seconds| (seconds * rate_hz).round().max(1.0) as u64);
        recording.source(chain, Items::Float, 0, samples)
    }

    /// Adds what prints and publishes the messages of an output, and describes the recording by them; and the number of messages.
    fn print(
        &self,
        chain: &mut Chain,
        gives: &str,
        recording: &Recording,
        rate_hz: f64,
        description: Option<&str>,
    ) -> anyhow::Result<Arc<AtomicU64>> {
        let shown = chain.description();
        shown.shows(Shows::Spectrum, "index_tags");
        shown.shows(Shows::Waterfall, "index_tags");
        if recording.shape == Shape::Complex {
            shown.shows(Shows::Constellation, "index_tags");
        }
        let kinds = self.kind.as_deref().unwrap_or_default();
        let has_places = HAVE_PLACES.iter().any(|name| kinds.contains(name));
        shown.shows(if has_places { Shows::Map } else { Shows::Messages }, gives);
        self.brokers.add(chain, gives, self.from.is_some())?;
        self.kiss.add(chain, gives)?;
        chain.go_on_at(gives);
        let print = Print::new(self.json, (self.inputs.len() > 1).then(|| recording.name()));
        let count = print.count();
        chain.add_block("print", AnyBlock::new(print));
        if let Some(path) = &self.annotate {
            let mut annotator = annotator(recording, path, rate_hz)?;
            annotator.meta_mut().global.description = description.map(str::to_owned);
            chain.add_block("annotator", AnyBlock::new(annotator));
        }
        Ok(count)
    }
}

fn needs_complex(kind: &str, recording: &Recording) -> Usage {
    let problem = format!("{kind} needs complex samples (cu8, cs16, …), not real ones");
    Usage(format!("{}: {problem}", recording.name()))
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
