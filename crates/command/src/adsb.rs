//! `superhet adsb`: aircraft from a recording.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use superhet::blocks::adsb::{
    AdsbChannel, AdsbChannelDemod, AdsbDecode, AdsbError, AdsbPreambles, AdsbPrint, Aircraft, AircraftTable,
    Settings as Decoding, Style,
};
use superhet::blocks::convert::{Cs8ToC32, Cs16ToC32, Cu8ToC32};
use superhet::io::blocks::{FileSource, SigmfAnnotator, WavSource};
use superhet::io::{C32, NameHints, SampleFormat};
use superhet_runtime::{Graph, packet::PacketBlock as _, port::OutRef};

use crate::drive::drive;
use crate::quantity;
use superhet_terminal::say;
use superhet_terminal::settings::Settings;
use superhet_terminal::usage::Usage;

/// `superhet adsb`
#[derive(Args, Debug)]
pub struct Adsb {
    /// The recording: raw IQ samples or a WAV file; `-` for stdin
    file: PathBuf,
    /// Print one JSON object a line for each message, and nothing else on stdout
    #[arg(long)]
    json: bool,
    /// Samples per second, as 2e6 or 2.4M [default: what the file or its name says, else 2 MHz]
    #[arg(long, value_name = "RATE", value_parser = quantity::rate)]
    rate: Option<f64>,
    /// The format of the samples: cu8, cs8, cs16, cf32, … [default: from the file's name]
    #[arg(long)]
    format: Option<SampleFormat>,
    /// Drop messages with a wrong bit instead of repairing it
    #[arg(long)]
    no_repair: bool,
    /// Describe a raw recording as SigMF in BASE.sigmf-meta, with each message as an annotation; in another folder
    /// the recording becomes BASE.sigmf-data there too
    #[arg(long, value_name = "BASE")]
    sigmf: Option<PathBuf>,
    /// Replace the SigMF files if they are there
    #[arg(long, requires = "sigmf")]
    force: bool,
    #[command(flatten)]
    settings: Settings,
}

/// Where Mode S is on the air.
const CENTER_HZ: f64 = 1090e6;
const DEFAULT_RATE_HZ: f64 = 2e6;

impl Adsb {
    /// Decodes the recording.
    pub fn run(self) -> anyhow::Result<()> {
        self.settings.check()?;
        let mut graph = Graph::new();
        let (iq, rate_hz) = self.source(&mut graph)?;
        let usage = |error: AdsbError| Usage(error.to_string());
        let channel = graph.add("channel", AdsbChannel::new(rate_hz).map_err(usage)?);
        let preambles = graph.add("preambles", AdsbPreambles);
        let demod = AdsbChannelDemod::new(Decoding { rate_hz, repair: !self.no_repair }).map_err(usage)?;
        let demod = graph.add("demod", demod.undecoded());
        let decode = AdsbDecode::new(rate_hz).map_err(usage)?;
        let table = decode.aircraft();
        let decode = graph.add("decode", decode.messages());
        let print = AdsbPrint::new(if self.json { Style::Json } else { Style::Text });
        let count = print.count();
        let print = graph.add("print", print);
        graph.connect(iq, channel.input);
        graph.connect(channel.output, preambles.input);
        graph.connect(channel.output, demod.input);
        graph.connect(preambles.output, demod.marks);
        graph.connect(demod.frames, decode.input);
        graph.connect(decode.output, print.frames);
        if let Some(base) = &self.sigmf {
            let annotator = graph.add("annotator", self.annotator(base, rate_hz)?);
            graph.connect(decode.output, annotator.input);
        }
        let driven = drive(graph.check()?, &self.settings, !self.json)?;
        let report = &driven.report;
        let samples = report.block("channel").map_or(0, |channel| channel.inputs[0].items);
        if !self.json {
            let text = table_text(&table, rate_hz);
            say::result(&text)?;
        }
        let (signal_s, took_s) = (samples as f64 / rate_hz, report.elapsed.as_secs_f64());
        say::line(format_args!(
            "{} messages from {} aircraft in {signal_s:.3} s of signal; decoded in {:.1} ms, {:.0} times faster than \
             real time",
            count.get(),
            table.snapshot().len(),
            took_s * 1e3,
            signal_s / took_s.max(f64::MIN_POSITIVE)
        ));
        Ok(driven.whole()?)
    }

    /// Adds what gives IQ samples, and finds out their rate.
    fn source(&self, graph: &mut Graph) -> anyhow::Result<(OutRef<C32>, f64)> {
        let hints = NameHints::from_path(&self.file);
        let rate_hz = self.rate.or(hints.sample_rate_hz);
        if self.is_wav() {
            let reader = superhet::io::wav::WavReader::open(&self.file)?;
            let rate_hz = self.rate.unwrap_or(f64::from(reader.header().sample_rate_hz));
            return Ok((graph.add("file", WavSource::<C32>::new(reader)?).output, rate_hz));
        }
        let format = self.sample_format()?;
        let rate_hz = rate_hz.unwrap_or(DEFAULT_RATE_HZ);
        // The formats of the common receivers stay as they are in the file, so that what is read is small.
        macro_rules! stored {
            ($item:ty, $convert:expr) => {{
                let file = graph.add("file", FileSource::<$item>::open(&self.file, format)?);
                let convert = graph.add("convert", $convert);
                graph.connect(file.output, convert.input);
                convert.output
            }};
        }
        let iq = match format {
            SampleFormat::CU8 => stored!([u8; 2], Cu8ToC32),
            SampleFormat::CS8 => stored!([i8; 2], Cs8ToC32),
            SampleFormat::CS16 => stored!([i16; 2], Cs16ToC32),
            _ => graph.add("file", FileSource::<C32>::open(&self.file, format)?).output,
        };
        Ok((iq, rate_hz))
    }

    fn sample_format(&self) -> anyhow::Result<SampleFormat> {
        let format = match self.format {
            Some(format) => format,
            None if self.file == Path::new("-") => {
                return Err(Usage(
                    "stdin does not tell its sample format: say it, as in --format cu8".into(),
                )
                .into());
            }
            None => SampleFormat::from_path(&self.file)
                .map_err(|error| Usage(format!("{error} (--format cu8)")))?,
        };
        if !format.is_complex() {
            let problem =
                format!("{}: ADS-B needs complex samples (cu8, cs16, …), not {format}", self.file.display());
            return Err(Usage(problem).into());
        }
        Ok(format)
    }

    fn annotator(&self, base: &Path, rate_hz: f64) -> anyhow::Result<SigmfAnnotator> {
        if self.file == Path::new("-") || self.is_wav() {
            let what = if self.is_wav() { "a WAV file" } else { "stdin" };
            return Err(Usage(format!("--sigmf describes a raw recording in a file, not {what}")).into());
        }
        let format = self.sample_format()?;
        for end in [".sigmf-meta", ".sigmf-data"] {
            let mut path = base.as_os_str().to_owned();
            path.push(end);
            let path = PathBuf::from(path);
            // The recording itself may have that name; then it describes itself and must stay.
            if self.force && !is_same_file(&path, &self.file) {
                match std::fs::remove_file(&path) {
                    Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                        return Err(error).with_context(|| format!("{} cannot be replaced", path.display()));
                    }
                    _ => {}
                }
            }
        }
        let mut annotator =
            SigmfAnnotator::new(&self.file, format, base)?.with_rate_hz(rate_hz)?.with_center_hz(CENTER_HZ);
        annotator.meta_mut().global.description = Some("Mode S and ADS-B messages".to_owned());
        Ok(annotator)
    }

    fn is_wav(&self) -> bool {
        self.file.extension().is_some_and(|end| end.eq_ignore_ascii_case("wav")) && self.format.is_none()
    }
}

/// Whether two paths lead to one file, by a link or otherwise than by a hard link.
fn is_same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// What is known of each aircraft, a line each below an empty line and the headings.
fn table_text(table: &AircraftTable, rate_hz: f64) -> String {
    let aircraft = table.snapshot();
    let mut text = String::new();
    if aircraft.is_empty() {
        return text;
    }
    for headings in [
        [
            "icao",
            "callsign",
            "squawk",
            "altitude",
            "latitude",
            "longitude",
            "speed",
            "track",
            "vertical",
            "messages",
            "last at",
        ],
        ["", "", "", "ft", "deg", "deg", "kt", "deg", "ft/min", "", "s"],
    ] {
        let [icao, callsign, squawk, altitude, latitude, longitude, speed, track, vertical, messages, last] =
            headings;
        let start = if text.is_empty() { "\n" } else { "" };
        let _ = writeln!(
            text,
            "{start}{icao:<6} {callsign:<8} {squawk:>6} {altitude:>8} {latitude:>10} {longitude:>11} {speed:>6} \
             {track:>6} {vertical:>8} {messages:>8} {last:>8}"
        );
    }
    for one in &aircraft {
        text += &row(one, rate_hz);
        text.push('\n');
    }
    text
}

fn row(one: &Aircraft, rate_hz: f64) -> String {
    fn or_dash<T>(value: Option<T>, show: impl Fn(T) -> String) -> String {
        value.map_or_else(|| "-".to_owned(), show)
    }
    let degrees = |value: f64| format!("{value:.5}");
    format!(
        "{:06x} {:<8} {:>6} {:>8} {:>10} {:>11} {:>6} {:>6} {:>8} {:>8} {:>8.3}",
        one.address,
        or_dash(one.callsign.as_deref(), str::to_owned),
        or_dash(one.squawk, |squawk| format!("{squawk:04}")),
        or_dash(one.altitude_ft, |feet| feet.to_string()),
        or_dash(one.position, |p| degrees(p.latitude_deg)),
        or_dash(one.position, |p| degrees(p.longitude_deg)),
        or_dash(one.ground_speed_kt, |knots| format!("{knots:.0}")),
        or_dash(one.track_deg, |track| format!("{track:.0}")),
        or_dash(one.vertical_rate_fpm, |rate| rate.to_string()),
        one.messages,
        one.last_index as f64 / rate_hz
    )
}
