//! `superhet info`: what a recording is, and how strong its samples are.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

use clap::Args;
use serde_json::{Value as Json, json};
use superhet::io::sigmf::Meta;
use superhet::io::{C32, Shape};
use superhet_runtime::AnyBlock;

use crate::chain::Chain;
use crate::drive::drive;
use crate::levels::{LevelSink, Levels, dbfs, range_of};
use crate::recording::{Items, Kind, Recording, RecordingArgs};
use superhet_terminal::say;
use superhet_terminal::settings::Settings;

/// `superhet info`
#[derive(Args, Debug)]
pub struct Info {
    #[command(flatten)]
    recording: RecordingArgs,
    /// Say what the file and its name tell, and read no sample
    #[arg(long)]
    no_levels: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// How many captures and annotations are listed in words.
const LISTED: usize = 20;

impl Info {
    /// Prints what is known.
    pub fn run(self) -> anyhow::Result<()> {
        let (recording, mut problems) = self.recording.open_lenient()?;
        let bytes = bytes(&recording);
        if let (Kind::Raw(format), Some(bytes)) = (&recording.kind, bytes) {
            let rest = bytes % format.bytes() as u64;
            if bytes == 0 {
                problems.push("the file is empty".to_owned());
            } else if rest > 0 {
                problems.push(format!(
                    "the last {rest} bytes are no whole sample of {format}, which has {} bytes",
                    format.bytes()
                ));
            }
        }
        let mut levels = None;
        if !self.no_levels && recording.samples != Some(0) {
            match read_levels(&recording) {
                Ok(found) => levels = Some(found),
                Err(error) if error.is::<crate::interrupt::Interrupted>() => return Err(error),
                Err(error) => problems.push(say::Chain(&error).to_string()),
            }
            if let Kind::Sigmf(found) = &recording.kind
                && let Err(error) = found.verify_sha512()
            {
                problems.push(error.to_string());
            }
        }
        let samples = recording.samples.or(levels.as_ref().map(|levels| levels.samples));
        let facts =
            Facts { recording: &recording, samples, bytes, levels: levels.as_ref(), problems: &problems };
        let text =
            if self.json { format!("{}\n", facts.json()) } else { say::shown(&facts.text()).into_owned() };
        say::result(&text)?;
        match problems.len() {
            0 => Ok(()),
            1 => anyhow::bail!("{}: {}", recording.name(), problems[0]),
            n => anyhow::bail!("{}: {n} mistakes: {}", recording.name(), problems.join("; ")),
        }
    }
}

/// The bytes of the file that holds the samples.
fn bytes(recording: &Recording) -> Option<u64> {
    let path = match &recording.kind {
        Kind::Sigmf(found) => found.data_path()?,
        _ => recording.path.as_path(),
    };
    std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).map(|meta| meta.len())
}

/// Reads all samples.
fn read_levels(recording: &Recording) -> anyhow::Result<Levels> {
    let mut chain = Chain::new();
    recording.source(&mut chain, Items::Float, 0, recording.whole_samples())?;
    let range = range_of(recording.nearest_format());
    let levels: Arc<Mutex<Levels>> = match recording.shape {
        Shape::Complex => {
            let (sink, levels) = LevelSink::<C32>::new(range);
            chain.add_block("levels", AnyBlock::new(sink));
            levels
        }
        Shape::Real => {
            let (sink, levels) = LevelSink::<f32>::new(range);
            chain.add_block("levels", AnyBlock::new(sink));
            levels
        }
    };
    drive(chain.check()?, &Settings::default(), true)?.whole()?;
    let levels = levels.lock().unwrap_or_else(PoisonError::into_inner).clone();
    Ok(levels)
}

/// All that is to be said.
struct Facts<'a> {
    recording: &'a Recording,
    samples: Option<u64>,
    bytes: Option<u64>,
    levels: Option<&'a Levels>,
    problems: &'a [String],
}

impl Facts<'_> {
    fn kind(&self) -> &'static str {
        match self.recording.kind {
            Kind::Raw(_) => "raw",
            Kind::Wav(_) => "WAV",
            Kind::Sigmf(_) => "SigMF",
            Kind::Radio => "radio",
        }
    }

    fn stored(&self) -> String {
        match &self.recording.kind {
            Kind::Raw(format) => format.to_string(),
            Kind::Sigmf(found) => found.format().to_string(),
            Kind::Wav(encoding) => encoding.to_string(),
            Kind::Radio => self.recording.nearest_format().to_string(),
        }
    }

    fn channels(&self) -> u64 {
        match &self.recording.kind {
            Kind::Sigmf(found) => found.channels(),
            _ => 1,
        }
    }

    fn seconds(&self) -> Option<f64> {
        Some(self.samples? as f64 / self.recording.rate_hz?)
    }

    fn meta(&self) -> Meta {
        self.recording.meta()
    }

    fn json(&self) -> Json {
        let meta = self.meta();
        json!({
            "file": self.recording.name(),
            "kind": self.kind(),
            "format": self.stored(),
            "shape": self.recording.shape.to_string(),
            "channels": self.channels(),
            "rate_hz": self.recording.rate_hz,
            "center_hz": self.recording.center_hz,
            "samples": self.samples,
            "seconds": self.seconds(),
            "bytes": self.bytes,
            "datetime": meta.captures.first().and_then(|capture| capture.datetime.clone()),
            "captures": meta.captures,
            "annotations": meta.annotations,
            "global": match self.recording.kind { Kind::Sigmf(_) => json!(meta.global), _ => Json::Null },
            "levels": self.levels.map(Levels::to_json),
            "problems": self.problems,
        })
    }

    fn text(&self) -> String {
        let mut text = String::new();
        let mut line = |name: &str, value: String| {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{name:<12} {value}");
        };
        let or_unknown = |value: Option<String>| value.unwrap_or_else(|| "not known".to_owned());
        let meta = self.meta();
        line("file", self.recording.name());
        let channels =
            if self.channels() == 1 { String::new() } else { format!(", {} channels", self.channels()) };
        line(
            "kind",
            format!("{}, {} samples as {}{channels}", self.kind(), self.recording.shape, self.stored()),
        );
        line("rate", or_unknown(self.recording.rate_hz.map(hertz)));
        line("centre", or_unknown(self.recording.center_hz.map(hertz)));
        if let Some(time) = meta.captures.first().and_then(|capture| capture.datetime.as_deref()) {
            line("begins", time.to_owned());
        }
        let seconds = self.seconds().map_or(String::new(), |seconds| format!(", {}", duration(seconds)));
        line("length", or_unknown(self.samples.map(|samples| format!("{samples} samples{seconds}"))));
        if let Some(bytes) = self.bytes {
            line("size", format!("{bytes} bytes"));
        }
        for (name, value) in [
            ("description", &meta.global.description),
            ("author", &meta.global.author),
            ("hardware", &meta.global.hw),
            ("recorder", &meta.global.recorder),
            ("license", &meta.global.license),
        ] {
            if let (Some(value), Kind::Sigmf(_)) = (value, &self.recording.kind) {
                line(name, value.clone());
            }
        }
        if let Some(levels) = self.levels {
            let [re, im] = levels.offset();
            let mean = match self.recording.shape {
                Shape::Complex => format!("{re:+.6} {im:+.6}j, {:.1} dBFS", dbfs(re.hypot(im))),
                Shape::Real => format!("{re:+.6}, {:.1} dBFS", dbfs(re.abs())),
            };
            line("mean (DC)", mean);
            line("RMS", format!("{:.6}, {:.1} dBFS", levels.rms(), dbfs(levels.rms())));
            line("peak", format!("{:.6}, {:.1} dBFS", levels.peak(), dbfs(levels.peak())));
            let percent = 100.0 * levels.clipped_share();
            line("clipped", format!("{} samples, {percent:.4} %", levels.clipped));
            if levels.not_finite > 0 {
                line("not finite", format!("{} samples", levels.not_finite));
            }
        }
        if let Kind::Sigmf(_) = self.recording.kind {
            line("captures", meta.captures.len().to_string());
            for capture in meta.captures.iter().take(LISTED) {
                let centre = capture.frequency_hz.map_or(String::new(), |hz| format!("  {}", hertz(hz)));
                let time = capture.datetime.as_deref().map_or(String::new(), |time| format!("  {time}"));
                line("", format!("at {}{centre}{time}", capture.sample_start));
            }
            rest(&mut line, meta.captures.len());
            line("annotations", meta.annotations.len().to_string());
            for found in meta.annotations.iter().take(LISTED) {
                let count = found.sample_count.map_or(String::new(), |count| format!(" +{count}"));
                let edges = found.freq_lower_edge_hz.zip(found.freq_upper_edge_hz);
                let edges =
                    edges.map_or(String::new(), |(low, high)| format!("  {} to {}", hertz(low), hertz(high)));
                let label = found.label.as_deref().or(found.comment.as_deref()).unwrap_or_default();
                line("", format!("at {}{count}{edges}  {label}", found.sample_start).trim_end().to_owned());
            }
            rest(&mut line, meta.annotations.len());
        }
        for problem in self.problems {
            line("mistake", problem.clone());
        }
        text
    }
}

fn rest(line: &mut impl FnMut(&str, String), count: usize) {
    if count > LISTED {
        line("", format!("and {} more", count - LISTED));
    }
}

/// A frequency with the unit that suits it.
pub fn hertz(hz: f64) -> String {
    let (scale, unit) = match hz.abs() {
        hz if hz >= 1e9 => (1e9, "GHz"),
        hz if hz >= 1e6 => (1e6, "MHz"),
        hz if hz >= 1e3 => (1e3, "kHz"),
        _ => (1.0, "Hz"),
    };
    // Twelve digits are more than any clock has, and show no binary dust.
    let digits = (11 - (hz.abs() / scale).max(1.0).log10() as usize).min(9);
    let number = format!("{:.digits$}", hz / scale);
    format!("{} {unit}", number.trim_end_matches('0').trim_end_matches('.'))
}

fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1.0 => format!("{:.3} ms", s * 1e3),
        s if s < 120.0 => format!("{s:.3} s"),
        s if s < 7200.0 => format!("{} min {:.1} s", (s / 60.0).floor(), s % 60.0),
        s => format!("{} h {} min", (s / 3600.0).floor(), (s % 3600.0 / 60.0).floor()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequencies_have_the_unit_that_suits_them() {
        for (hz, text) in [
            (2e6, "2 MHz"),
            (433.92e6, "433.92 MHz"),
            (1.09e9, "1.09 GHz"),
            (-250e3, "-250 kHz"),
            (0.0, "0 Hz"),
            (44_100.0, "44.1 kHz"),
        ] {
            assert_eq!(hertz(hz), text);
        }
        assert_eq!((duration(0.178_434), duration(90.0)), ("178.434 ms".to_owned(), "90.000 s".to_owned()));
    }
}
