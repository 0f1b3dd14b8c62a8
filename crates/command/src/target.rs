//! What a command writes samples to: raw samples, WAV or SigMF; and what must not be overwritten.

use std::fs;
use std::io::IsTerminal;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;
use superhet::io::sigmf::{self, Meta};
use superhet::io::wav::WavEncoding;
use superhet::io::{Number, SampleFormat, Shape};
use superhet_runtime::Value;

use crate::chain::Chain;
use crate::drive::drive;
use crate::recording::{Items, Kind, Plain, Recording, appended};
use superhet_terminal::say;
use superhet_terminal::settings::Settings;
use superhet_terminal::usage::Usage;

/// Where samples go, and how.
#[derive(Args, Clone, Debug)]
pub struct TargetArgs {
    /// The recording to write: raw samples, X.wav, or SigMF as X.sigmf-meta; `-` is stdout
    #[arg(value_name = "OUT")]
    pub output: PathBuf,
    /// How samples are to be stored: cu8, cs8, cs16, cf32, s16, f32, …; u8, s16, s24, s32 or f32 in WAV [default: as the
    /// output's name says, or as in FILE]
    #[arg(long, value_name = "FORMAT")]
    pub out_format: Option<String>,
    /// Replace an output that is there already
    #[arg(long)]
    pub force: bool,
}

/// An output that may be written to.
#[derive(Debug)]
pub struct Target {
    path: PathBuf,
    kind: TargetKind,
}

#[derive(Clone, Copy, Debug)]
enum TargetKind {
    Raw(SampleFormat),
    Wav(WavEncoding, Shape),
    Sigmf(SampleFormat),
}

impl TargetArgs {
    /// Finds out what is to be written, and that nothing is lost by it. `like` is how samples are stored where neither the name
    /// nor an option says it.
    pub fn open(&self, like: SampleFormat) -> anyhow::Result<Target> {
        let path = &self.output;
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let said = self.out_format.as_deref();
        let parsed = |text: &str| {
            text.parse::<SampleFormat>().map_err(|error| Usage(format!("--out-format: {error}")))
        };
        let kind = match extension.as_str() {
            "wav" => TargetKind::Wav(said.map_or_else(|| Ok(wav_like(like)), wav_encoding)?, like.shape()),
            "sigmf-meta" | "sigmf-data" => TargetKind::Sigmf(said.map_or(Ok(like), parsed)?),
            "sigmf" | "sigmf-collection" => {
                let problem = format!("{}: archives are not written: name X.sigmf-meta", path.display());
                return Err(Usage(problem).into());
            }
            _ => TargetKind::Raw(match said {
                Some(said) => parsed(said)?,
                None if path == Path::new("-") => {
                    let problem = "stdout does not tell its sample format: say it, as in --out-format cs16";
                    return Err(Usage(problem.to_owned()).into());
                }
                None => {
                    let named = SampleFormat::from_path(path);
                    named.map_err(|error| Usage(format!("{error} (--out-format cs16, or X.sigmf-meta)")))?
                }
            }),
        };
        let target = Target { path: path.clone(), kind };
        target.files().iter().try_for_each(|file| expect_free(file, self.force))?;
        Ok(target)
    }
}

/// Refuses a file that is there already, and a terminal.
pub fn expect_free(path: &Path, force: bool) -> Result<(), Usage> {
    if path == Path::new("-") {
        return if std::io::stdout().is_terminal() { Err(terminal("stdout")) } else { Ok(()) };
    }
    match fs::metadata(path) {
        Ok(meta) if meta.is_file() && !force => {
            Err(Usage(format!("{} is there already; --force replaces it", path.display())))
        }
        // To open anything else might wait for ever.
        Ok(meta) if meta.file_type().is_char_device() => match fs::File::open(path) {
            Ok(file) if file.is_terminal() => Err(terminal(&path.display().to_string())),
            _ => Ok(()),
        },
        _ => Ok(()),
    }
}

/// That samples do not go to a terminal.
pub fn terminal(name: &str) -> Usage {
    Usage(format!(
        "{name} is a terminal, which samples would disturb: name a file, or lead them into another program"
    ))
}

fn wav_encoding(text: &str) -> Result<WavEncoding, Usage> {
    let all = [WavEncoding::U8, WavEncoding::S16, WavEncoding::S24, WavEncoding::S32, WavEncoding::F32];
    let wanted = text.to_ascii_lowercase();
    let found = all.into_iter().find(|encoding| encoding.to_string() == wanted);
    found.ok_or_else(|| Usage(format!("--out-format: WAV files hold u8, s16, s24, s32 or f32, not {text:?}")))
}

/// The encoding that loses nothing, or as little as can be.
fn wav_like(format: SampleFormat) -> WavEncoding {
    match format.number() {
        Number::F32 | Number::F64 => WavEncoding::F32,
        Number::I8 | Number::U8 | Number::I16 => WavEncoding::S16,
        Number::U16 => WavEncoding::S24,
        Number::I32 | Number::U32 => WavEncoding::S32,
    }
}

impl Target {
    fn shape(&self) -> Shape {
        match self.kind {
            TargetKind::Raw(format) | TargetKind::Sigmf(format) => format.shape(),
            TargetKind::Wav(_, shape) => shape,
        }
    }

    /// The files that are written.
    fn files(&self) -> Vec<PathBuf> {
        match self.kind {
            TargetKind::Sigmf(_) => {
                let base = self.path.with_extension("");
                vec![appended(&base, ".sigmf-data"), appended(&base, ".sigmf-meta")]
            }
            _ => vec![self.path.clone()],
        }
    }

    /// Whether samples of that format go there as they are.
    fn stores(&self, format: SampleFormat) -> bool {
        let (TargetKind::Raw(to) | TargetKind::Sigmf(to)) = self.kind else { return false };
        (format.number(), format.shape()) == (to.number(), to.shape())
    }

    /// Adds what takes samples there, from `first` on, `samples` of them or all: bit for bit, where they are stored alike.
    pub fn take(
        &self,
        chain: &mut Chain,
        recording: &Recording,
        first: u64,
        samples: Option<u64>,
    ) -> anyhow::Result<()> {
        let is_alike = recording.format().is_some_and(|format| self.stores(format));
        let is_sigmf = matches!(self.kind, TargetKind::Sigmf(_));
        match recording.plain().filter(|plain| is_alike && (is_sigmf || plain.channels == 1)) {
            Some(plain) => {
                // A file of SigMF may have bytes behind its samples.
                let rest = matches!(recording.kind, Kind::Sigmf(_)).then_some(recording.samples).flatten();
                let samples = samples.or(rest.map(|rest| rest.saturating_sub(first)));
                plain.source(chain, first, samples)?;
                self.plain_sink(chain, &plain)
            }
            None => {
                let items = if is_alike { Items::Stored } else { Items::Float };
                recording.source(chain, items, first, samples)?;
                self.sink(chain, recording.rate_hz)
            }
        }
    }

    fn plain_sink(&self, chain: &mut Chain, plain: &Plain) -> anyhow::Result<()> {
        let (TargetKind::Raw(to) | TargetKind::Sigmf(to)) = self.kind else { bail!("WAV has a header") };
        self.file_sink(chain, SampleFormat::new(plain.stored().shape(), to.number(), to.endian()), "raw")
    }

    /// Adds what writes the samples, at `rate_hz`. The chain gives `C32` or `f32`, or just what is to be stored.
    pub fn sink(&self, chain: &mut Chain, rate_hz: Option<f64>) -> anyhow::Result<()> {
        let item = chain.item()?;
        if self.shape() == Shape::Real && item == "C32" {
            let problem = "complex samples do not fit a real format: take cs16, cf32 and the like, or SigMF";
            return Err(Usage(format!("{}: {problem}", self.path.display())).into());
        }
        if self.shape() == Shape::Complex && item == "f32" {
            chain.add("float_to_complex", &[("inputs", 1.into())])?;
        }
        let item = chain.item()?;
        match self.kind {
            TargetKind::Raw(format) | TargetKind::Sigmf(format) => {
                let is_float = matches!(item.as_str(), "C32" | "f32");
                self.file_sink(chain, format, if is_float { "float" } else { "raw" })
            }
            TargetKind::Wav(encoding, shape) => {
                let rate_hz = match rate_hz {
                    Some(rate_hz) if rate_hz.fract() == 0.0 => rate_hz,
                    Some(rate_hz) => {
                        let problem =
                            format!("WAV files have a whole number of samples a second, not {rate_hz}");
                        return Err(Usage(problem).into());
                    }
                    None => {
                        let problem = "a WAV file needs a sample rate: say it, as in --rate 48k";
                        return Err(Usage(problem.to_owned()).into());
                    }
                };
                chain.add(
                    "wav_sink",
                    &[
                        ("path", self.path.to_string_lossy().as_ref().into()),
                        ("rate_hz", rate_hz.into()),
                        ("input", if shape == Shape::Real { "real" } else { "complex" }.into()),
                        ("encoding", encoding.to_string().into()),
                    ],
                )
            }
        }
    }

    /// Adds what records a stream with its tags.
    pub fn recording_sink(
        &self,
        chain: &mut Chain,
        rate_hz: Option<f64>,
        center_hz: Option<f64>,
    ) -> anyhow::Result<()> {
        let TargetKind::Sigmf(format) = self.kind else { return self.sink(chain, rate_hz) };
        let is_float = matches!(chain.item()?.as_str(), "C32" | "f32");
        let params: [(&str, Value); 6] = [
            ("path", self.path.to_string_lossy().as_ref().into()),
            ("format", format.to_string().into()),
            ("input", if is_float { "float" } else { "raw" }.into()),
            ("rate_hz", rate_hz.unwrap_or(0.0).into()),
            ("frequency_hz", center_hz.unwrap_or(0.0).into()),
            // Whoever made this target was told whether that is wanted.
            ("overwrite", true.into()),
        ];
        chain.add("sigmf_sink", &params)
    }

    /// Removes the files of a SigMF recording, if they are there: one that is replaced was allowed to be.
    pub fn make_room(&self) -> anyhow::Result<()> {
        let TargetKind::Sigmf(_) = self.kind else { return Ok(()) };
        for path in self.files() {
            match fs::remove_file(&path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(error).with_context(|| format!("{} cannot be replaced", path.display()));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn file_sink(&self, chain: &mut Chain, format: SampleFormat, input: &str) -> anyhow::Result<()> {
        let params: [(&str, Value); 3] = [
            ("path", self.files()[0].to_string_lossy().as_ref().into()),
            ("format", format.to_string().into()),
            ("input", input.into()),
        ];
        chain.add("file_sink", &params)
    }

    /// Runs the graph, and describes what it has written. `meta` is what is known of the samples, should all of them come.
    pub fn run(
        &self,
        chain: Chain,
        recording: &Recording,
        meta: Meta,
        settings: &Settings,
    ) -> anyhow::Result<()> {
        let graph = chain.check()?;
        self.prepare(recording, &meta)?;
        let driven = drive(graph, settings, true);
        let described = self.describe(meta);
        driven?.whole()?;
        described
    }

    /// Makes room for a SigMF recording, and writes what is known before its samples come: should the process be killed, the
    /// samples are not without it.
    fn prepare(&self, recording: &Recording, meta: &Meta) -> anyhow::Result<()> {
        let TargetKind::Sigmf(format) = self.kind else {
            if recording.center_hz.is_some() && matches!(self.kind, TargetKind::Wav(..)) {
                say::line("superhet: WAV files have no place for the centre frequency, which is left out");
            }
            return Ok(());
        };
        let [_, meta_path] = self.files().try_into().unwrap_or_default();
        if let Kind::Sigmf(read) = &recording.kind
            && is_same_file(read.meta_path(), &meta_path)
        {
            bail!("{} is read and written at once", meta_path.display());
        }
        self.make_room()?;
        let mut meta = meta.clone();
        meta.global.datatype = format.to_string();
        meta.annotations.clear();
        meta.captures.retain(|capture| capture.sample_start == 0);
        let text = meta.to_json(&meta_path)?;
        fs::write(&meta_path, text).with_context(|| format!("cannot write {}", meta_path.display()))
    }

    /// Writes the metadata of a SigMF recording, as far as its samples have come.
    fn describe(&self, meta: Meta) -> anyhow::Result<()> {
        let TargetKind::Sigmf(format) = self.kind else { return Ok(()) };
        let [data, meta_path] = self.files().try_into().unwrap_or_default();
        let Ok(there) = fs::metadata(&data) else {
            // Nothing came, so there is nothing to describe.
            let _ = fs::remove_file(&meta_path);
            return Ok(());
        };
        let samples = there.len() / (format.bytes() as u64 * meta.channels());
        let mut meta = meta.cut(0, samples);
        meta.global.datatype = format.to_string();
        sigmf::write_meta(&data, meta)?;
        Ok(())
    }
}

/// Whether two paths lead to one file.
fn is_same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}
