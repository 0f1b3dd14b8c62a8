//! A recording that a command reads: raw samples, WAV or SigMF; what is known of it, and its place in a graph.

use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Args;
use superhet::io::sigmf::{self, Meta};
use superhet::io::wav::{WavEncoding, WavReader};
use superhet::io::{Endian, NameHints, Number, RadioUri, SampleFormat, Shape};
use superhet_runtime::Value;

use crate::chain::Chain;
use crate::quantity;
use superhet_terminal::usage::Usage;

/// Which recording, and what it does not say of itself.
#[derive(Args, Clone, Debug)]
pub struct RecordingArgs {
    /// The recording: raw samples, a WAV file, or SigMF (one of its files, its archive, or its name without an extension);
    /// `-` is stdin
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// How raw samples are stored: cu8, cs8, cs16, cf32, s16, f32, … [default: as the file's name says]
    #[arg(long)]
    pub format: Option<SampleFormat>,
    /// Samples per second, as 2e6, 2.4M or 48kHz [default: as the file or its name says]
    #[arg(long, value_name = "RATE", value_parser = quantity::rate)]
    pub rate: Option<f64>,
    /// The centre frequency, as 433.92M [default: as the file or its name says]
    #[arg(long, value_name = "FREQUENCY", value_parser = quantity::frequency, allow_hyphen_values = true)]
    pub freq: Option<f64>,
}

/// A recording and what is known of it.
#[derive(Debug)]
pub struct Recording {
    /// As it was named.
    pub path: PathBuf,
    pub kind: Kind,
    pub shape: Shape,
    pub rate_hz: Option<f64>,
    pub center_hz: Option<f64>,
    /// How many samples there are; not known of a pipe.
    pub samples: Option<u64>,
    /// When it began.
    datetime: Option<String>,
}

/// How the samples are stored.
#[derive(Debug)]
pub enum Kind {
    Raw(SampleFormat),
    Wav(WavEncoding),
    Sigmf(Box<sigmf::Recording>),
    /// Not at all: they come from a radio.
    Radio,
}

/// How samples come out of a recording.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Items {
    /// As `C32` or `f32`, full scale = 1.0.
    Float,
    /// As they are stored, where there is a type for that, and else as `Float`.
    Stored,
}

/// Samples that lie one after the other in a file, with nothing else before them.
pub struct Plain {
    pub path: PathBuf,
    pub format: SampleFormat,
    pub channels: u64,
}

impl RecordingArgs {
    /// Finds out what the recording is. No sample is read.
    pub fn open(&self) -> anyhow::Result<Recording> {
        let path = &self.file;
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let is_sigmf = match extension.as_str() {
            "sigmf-meta" | "sigmf-data" | "sigmf" | "sigmf-collection" => true,
            _ => !path.exists() && [".sigmf-meta", ".sigmf"].iter().any(|end| appended(path, end).exists()),
        };
        let mut recording = if is_sigmf {
            self.refuse_format("SigMF metadata say")?;
            of_sigmf(path, sigmf::Recording::open(path)?)
        } else if self.format.is_none() && (extension == "wav" || is_riff(path)) {
            of_wav(path, &WavReader::open(path)?)
        } else {
            self.raw(path)?
        };
        recording.rate_hz = self.rate.or(recording.rate_hz);
        recording.center_hz = self.freq.or(recording.center_hz);
        Ok(recording)
    }

    /// The same of a SigMF recording or WAV file that has mistakes, with what they are.
    pub fn open_lenient(&self) -> anyhow::Result<(Recording, Vec<String>)> {
        match self.open() {
            Ok(recording) => Ok((recording, Vec::new())),
            Err(error) => {
                let opened =
                    if error.downcast_ref().is_some_and(|e| matches!(e, superhet::io::Error::Sigmf { .. })) {
                        sigmf::Recording::open_lenient(&self.file).ok().map(|found| {
                            let problems = found.problems().iter().map(ToString::to_string).collect();
                            (of_sigmf(&self.file, found), problems)
                        })
                    } else if matches!(error.downcast_ref(), Some(superhet::io::Error::WavHeader { .. })) {
                        WavReader::open_lenient(&self.file).ok().map(|reader| {
                            let problems = reader.problems().iter().map(ToString::to_string).collect();
                            (of_wav(&self.file, &reader), problems)
                        })
                    } else {
                        None
                    };
                let (mut recording, problems) = opened.ok_or(error)?;
                recording.rate_hz = self.rate.or(recording.rate_hz);
                recording.center_hz = self.freq.or(recording.center_hz);
                Ok((recording, problems))
            }
        }
    }

    fn refuse_format(&self, who: &str) -> Result<(), Usage> {
        match self.format {
            Some(_) => Err(Usage(format!(
                "{}: {who} how samples are stored, so --format is of no use",
                self.file.display()
            ))),
            None => Ok(()),
        }
    }

    fn raw(&self, path: &Path) -> anyhow::Result<Recording> {
        let is_stdin = path == Path::new("-");
        let format = match self.format {
            Some(format) => format,
            None if is_stdin => {
                let problem = "stdin does not tell its sample format: say it, as in --format cu8";
                return Err(Usage(problem.to_owned()).into());
            }
            None => {
                // That there is no such file goes before what its name does not say.
                match std::fs::metadata(path) {
                    Err(error) => bail!("cannot open {}: {error}", path.display()),
                    Ok(meta) if meta.is_dir() => bail!("cannot open {}: it is a directory", path.display()),
                    Ok(_) => {}
                }
                SampleFormat::from_path(path).map_err(|error| Usage(format!("{error} (--format cu8)")))?
            }
        };
        let meta = if is_stdin { None } else { std::fs::metadata(path).ok() };
        let samples = meta.filter(std::fs::Metadata::is_file).map(|meta| meta.len() / format.bytes() as u64);
        let hints = NameHints::from_path(path);
        Ok(Recording {
            path: path.to_owned(),
            kind: Kind::Raw(format),
            shape: format.shape(),
            rate_hz: hints.sample_rate_hz,
            center_hz: hints.center_hz,
            samples,
            datetime: hints.datetime,
        })
    }
}

fn of_wav(path: &Path, reader: &WavReader) -> Recording {
    let (header, hints) = (reader.header(), NameHints::from_path(path));
    Recording {
        path: path.to_owned(),
        kind: Kind::Wav(header.encoding),
        shape: header.shape(),
        rate_hz: Some(f64::from(header.sample_rate_hz)),
        center_hz: header.center_hz.or(hints.center_hz),
        samples: Some(header.frames),
        datetime: hints.datetime,
    }
}

fn of_sigmf(path: &Path, found: sigmf::Recording) -> Recording {
    Recording {
        path: path.to_owned(),
        shape: found.format().shape(),
        rate_hz: found.sample_rate_hz(),
        center_hz: found.center_hz(),
        samples: Some(found.samples()),
        datetime: found.meta().captures.first().and_then(|capture| capture.datetime.clone()),
        kind: Kind::Sigmf(Box::new(found)),
    }
}

/// Whether a file begins as WAV files do, whatever its name.
fn is_riff(path: &Path) -> bool {
    use std::io::Read;
    // Reading from a pipe would take from what its reader is to get.
    if !std::fs::metadata(path).is_ok_and(|meta| meta.is_file()) || SampleFormat::from_path(path).is_ok() {
        return false;
    }
    let mut mark = [0; 12];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut mark));
    read.is_ok()
        && [b"RIFF", b"RF64", b"BW64"].contains(&mark.first_chunk().unwrap_or(&[0; 4]))
        && &mark[8..] == b"WAVE"
}

/// `X` and `.sigmf-meta` to `X.sigmf-meta`, also where X has dots.
pub fn appended(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

impl Recording {
    /// A radio, in the place of a recording. What is not said of it, it says itself, or has by default.
    pub fn of_radio(uri: &str, rate_hz: Option<f64>, center_hz: Option<f64>) -> anyhow::Result<Self> {
        let said = match RadioUri::parse(uri).map_err(|error| Usage(error.to_string()))? {
            RadioUri::RtlTcp { .. }
            | RadioUri::SpyServer { .. }
            | RadioUri::Soapy(_)
            | RadioUri::RtlSdr(_)
            | RadioUri::Link { .. }
            | RadioUri::SharedLink { .. }
            | RadioUri::Other { .. } => (None, None),
            RadioUri::File(file) => {
                let arguments = RecordingArgs {
                    file: file.path,
                    format: file.format,
                    rate: file.rate_hz,
                    freq: file.center_hz,
                };
                let recording = arguments.open()?;
                (recording.rate_hz, recording.center_hz)
            }
        };
        Ok(Recording {
            path: uri.into(),
            kind: Kind::Radio,
            shape: Shape::Complex,
            rate_hz: rate_hz.or(said.0),
            center_hz: center_hz.or(said.1),
            samples: None,
            datetime: None,
        })
    }

    /// How the samples are stored, as a format of raw samples; `None` for WAV, whose bytes have another zero.
    pub fn format(&self) -> Option<SampleFormat> {
        match &self.kind {
            Kind::Raw(format) => Some(*format),
            Kind::Sigmf(recording) => Some(recording.format()),
            Kind::Wav(_) | Kind::Radio => None,
        }
    }

    /// The raw format that holds the samples without loss.
    pub fn nearest_format(&self) -> SampleFormat {
        let number = |encoding| match encoding {
            // 128 stands for 0 there, which no unsigned format has.
            WavEncoding::U8 => Number::I8,
            WavEncoding::S16 => Number::I16,
            WavEncoding::S24 | WavEncoding::S32 => Number::I32,
            WavEncoding::F32 => Number::F32,
        };
        match &self.kind {
            Kind::Wav(encoding) => SampleFormat::new(self.shape, number(*encoding), Endian::Little),
            Kind::Raw(format) => *format,
            Kind::Sigmf(recording) => recording.format(),
            Kind::Radio => SampleFormat::CF32,
        }
    }

    /// How many whole samples a raw file has, if its last one is cut short.
    pub fn whole_samples(&self) -> Option<u64> {
        let Kind::Raw(format) = self.kind else { return None };
        let bytes = std::fs::metadata(&self.path).ok().filter(std::fs::Metadata::is_file)?.len();
        (bytes % format.bytes() as u64 != 0)
            .then_some(bytes / format.bytes() as u64)
            .filter(|samples| *samples > 0)
    }

    /// The sample rate.
    ///
    /// # Errors
    /// That it is not known.
    pub fn known_rate(&self) -> Result<f64, Usage> {
        let problem =
            || Usage(format!("{}: the sample rate is not known: say it, as in --rate 2e6", self.name()));
        self.rate_hz.ok_or_else(problem)
    }

    /// As messages name it.
    pub fn name(&self) -> String {
        if self.path == Path::new("-") { "stdin".to_owned() } else { self.path.display().to_string() }
    }

    /// What is known, as SigMF has it.
    pub fn meta(&self) -> Meta {
        let mut meta = match &self.kind {
            Kind::Sigmf(recording) => recording.meta().clone(),
            Kind::Raw(_) | Kind::Wav(_) | Kind::Radio => {
                let mut meta = Meta::new(self.nearest_format(), self.rate_hz);
                meta.captures[0].datetime.clone_from(&self.datetime);
                meta
            }
        };
        meta.global.sample_rate_hz = self.rate_hz;
        // What the command line says holds for the whole; else each capture has its own.
        let is_said = meta.captures.first().and_then(|first| first.frequency_hz) != self.center_hz;
        if is_said {
            meta.captures.iter_mut().for_each(|capture| capture.frequency_hz = self.center_hz);
        }
        meta
    }

    /// The samples, where they lie in a file or come from a pipe with nothing else between them.
    pub fn plain(&self) -> Option<Plain> {
        match &self.kind {
            Kind::Raw(format) => Some(Plain { path: self.path.clone(), format: *format, channels: 1 }),
            Kind::Wav(_) | Kind::Radio => None,
            Kind::Sigmf(recording) => {
                let path = recording.data_path()?;
                let whole = recording.segments().first().is_some_and(|segment| segment.byte_start == 0);
                let mut ends = recording.segments().windows(2).map(|pair| {
                    let bytes = recording.format().bytes() as u64 * recording.channels();
                    pair[0].byte_start + pair[0].samples * bytes == pair[1].byte_start
                });
                let is_archive = path.extension().is_some_and(|end| end == "sigmf");
                (whole && !is_archive && ends.all(|is_next| is_next)).then(|| Plain {
                    path: path.to_owned(),
                    format: recording.format(),
                    channels: recording.channels(),
                })
            }
        }
    }

    /// When the first sample came, as SigMF has it, where that is known.
    pub fn datetime(&self) -> Option<&str> {
        self.datetime.as_deref()
    }

    /// How a source is told what to give; `is_cut` is whether blocks behind it cut the stream.
    pub fn output(&self, items: Items, is_cut: bool) -> &'static str {
        let is_stored =
            items == Items::Stored && self.format().is_some_and(|format| has_item(format, is_cut));
        if is_stored { "raw" } else { "float" }
    }

    /// Adds what gives the samples from `first` on, `samples` of them or all.
    pub fn source(
        &self,
        chain: &mut Chain,
        items: Items,
        first: u64,
        samples: Option<u64>,
    ) -> anyhow::Result<()> {
        let path = Value::from(self.path.to_string_lossy().as_ref());
        let is_cut = !matches!(self.kind, Kind::Raw(_)) && (first > 0 || samples.is_some());
        let output = self.output(items, is_cut);
        match &self.kind {
            Kind::Raw(format) => {
                let params = [
                    ("path", path),
                    ("format", format.to_string().into()),
                    ("output", output.into()),
                    ("offset_samples", first.into()),
                    ("samples", samples.unwrap_or(0).into()),
                    ("rate_hz", self.rate_hz.unwrap_or(0.0).into()),
                    ("frequency_hz", self.center_hz.unwrap_or(0.0).into()),
                ];
                return chain.add("file_source", &params);
            }
            Kind::Wav(_) => chain.add("wav_source", &[("path", path)])?,
            Kind::Radio => {
                let params = [
                    ("uri", path),
                    ("rate_hz", self.rate_hz.unwrap_or(0.0).into()),
                    ("frequency_hz", self.center_hz.unwrap_or(0.0).into()),
                ];
                chain.add("radio", &params)?;
            }
            Kind::Sigmf(_) => chain.add("sigmf_source", &[("path", path), ("output", output.into())])?,
        }
        let item = chain.item()?;
        if first > 0 {
            chain.add("skiphead", &[("item", item.as_str().into()), ("items", first.into())])?;
        }
        if let Some(samples) = samples {
            chain.add("head", &[("item", item.as_str().into()), ("items", samples.into())])?;
        }
        Ok(())
    }
}

/// Whether an item of a graph holds the samples as they are stored; one that blocks can cut, where that is asked for.
fn has_item(format: SampleFormat, is_cut: bool) -> bool {
    match (format.shape(), format.number()) {
        (_, Number::U16 | Number::U32 | Number::F64) if is_cut => false,
        (Shape::Real, _) => true,
        (Shape::Complex, number) => !matches!(number, Number::U16 | Number::I32 | Number::U32),
    }
}

impl Plain {
    /// What items are made of: samples, or the numbers of samples of which no item is made, or of several channels.
    pub fn stored(&self) -> SampleFormat {
        let is_whole = self.channels == 1 && has_item(self.format, false);
        let shape = if is_whole { self.format.shape() } else { Shape::Real };
        SampleFormat::new(shape, self.format.number(), self.format.endian())
    }

    /// Adds what gives the samples from `first` on, `samples` of them or all, as they are stored.
    pub fn source(&self, chain: &mut Chain, first: u64, samples: Option<u64>) -> anyhow::Result<()> {
        let stored = self.stored();
        let items = self.format.numbers() as u64 * self.channels / stored.numbers() as u64;
        chain.add(
            "file_source",
            &[
                ("path", self.path.to_string_lossy().as_ref().into()),
                ("format", stored.to_string().into()),
                ("output", "raw".into()),
                ("offset_samples", first.saturating_mul(items).into()),
                ("samples", samples.unwrap_or(0).saturating_mul(items).into()),
            ],
        )
    }
}
