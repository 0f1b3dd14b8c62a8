//! Raw samples from a file, a pipe, a device or stdin.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use superhet_runtime::catalog::{Entry, Kind, NOT_NEGATIVE, optional, output, required};
use superhet_runtime::{Block, BlockError, Context, Out, Step, Work};

use super::in_use::Claim;
use super::item::{self, FLOAT_OR_RAW, FORMAT, FileItem, block_of_format, format_of, known};
use super::source::{ItemBuffer, tag_known};
use super::waiting::{Waiting, own};
use crate::error::Error;
use crate::format::SampleFormat;
use crate::name::NameHints;

/// Raw samples from a file, a pipe, a device or stdin (`-`).
///
/// The item type says what comes out: `C32` and `f32` scale any format to full scale = 1.0, the others give items as
/// they are stored; see [`FileItem`]. The first item has the tags `rx_rate` and `rx_freq`, as far as settings or the
/// file's name tell ([`NameHints`]).
///
/// A pipe ends when its writers have closed it. A file ends where its end is when the source gets there: samples that
/// others append before that are read, too. A recording that is cut in mid-sample, has no sample, or became shorter is an
/// error. It ends the graph after all whole samples before it are used.
///
/// | port | item | unit |
/// |---|---|---|
/// | out `out` | any [`FileItem`] | as stored, or full scale = 1.0 |
///
/// # Errors
/// At run time: [`Error::CutSample`], [`Error::Empty`], [`Error::Shrank`], [`Error::Io`].
///
/// # Example
///
/// ```
/// use superhet_io::{C32, SampleFormat, blocks::FileSource};
/// use superhet_runtime::{Graph, harness::VecSink};
///
/// # let path = std::env::temp_dir().join(format!("superhet-doc-source-{}.cs8", std::process::id()));
/// std::fs::write(&path, [64, 0, 0, 192])?;
/// let mut graph = Graph::new();
/// let file = graph.add("file", FileSource::<C32>::open(&path, SampleFormat::CS8)?);
/// let sink = VecSink::<C32>::new();
/// let items = sink.items();
/// let sink = graph.add("sink", sink);
/// graph.connect(file.output, sink.input);
/// graph.run()?;
/// assert_eq!(items.take(), [C32::new(0.5, 0.0), C32::new(0.0, -0.5)]);
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct FileSource<T: FileItem> {
    #[port("out")]
    pub(super) output: Out<T>,
    /// As errors name it.
    path: PathBuf,
    settings: FileSourceSettings,
    input: Input,
    items: ItemBuffer<T>,
    _claim: Option<Claim>,
    /// Bytes of a pipe that are still to be passed over.
    to_skip: u64,
    /// How many samples a file had to give when it was opened; 0 of a pipe.
    promised: u64,
}

/// What a [`FileSource`] reads: the format, rate and frequency of its samples.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileSourceSettings {
    /// Starts again at the end, for ever. Regular files only.
    pub repeat: bool,
    /// How many samples to pass over first.
    pub offset_samples: u64,
    /// How many samples to read at most, or before each repetition.
    pub samples: Option<u64>,
    /// Samples per second, where the file's name does not say.
    pub rate_hz: Option<f64>,
    /// The centre frequency in hertz, where the file's name does not say.
    pub center_hz: Option<f64>,
}

/// Where the bytes come from.
#[derive(Debug)]
enum Input {
    /// A regular file, and the byte at which reading starts.
    File(File, u64),
    Waiting(Waiting),
}

/// What an attempt to read more has come to.
enum More {
    Some,
    End,
    /// The graph was asked to stop, or nobody reads any more.
    Unwanted,
}

impl<T: FileItem> FileSource<T> {
    /// Reads all samples of a raw file, pipe or device, or of stdin if `path` is `-`.
    ///
    /// # Errors
    /// [`Error::WrongItem`] where `T` does not hold the format's samples; [`Error::Io`] where there is no such file;
    /// [`Error::Empty`]; [`Error::InUse`] where another block writes the file.
    pub fn open(path: impl AsRef<Path>, format: SampleFormat) -> Result<Self, Error> {
        Self::open_with(path, format, FileSourceSettings::default())
    }

    /// As [`FileSource::open`], with settings.
    ///
    /// # Errors
    /// Besides, [`Error::Setting`] where the file is too short for the offset, or cannot be repeated.
    pub fn open_with(
        path: impl AsRef<Path>,
        format: SampleFormat,
        settings: FileSourceSettings,
    ) -> Result<Self, Error> {
        let opened = Opened::new(path.as_ref(), format, settings, item::expect::<T>)?;
        let Opened { path, settings, input, claim, to_skip, promised, expected } = opened;
        let output = match expected {
            Some(items) => Out::new().expected_items(items),
            None => Out::new(),
        };
        let items = ItemBuffer::new(format);
        Ok(FileSource { output, path, settings, input, items, _claim: claim, to_skip, promised })
    }

    /// Reads until there is a whole item, or there will be none.
    fn read(&mut self, context: &Context<'_>) -> Result<More, Error> {
        let failed = |error| Error::io(&self.path, "read", error);
        while self.items.items() == 0 {
            let n = match &mut self.input {
                Input::File(file, _) => match file.read(self.items.room()) {
                    Ok(n) => n,
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    Err(error) => return Err(failed(error)),
                },
                Input::Waiting(_) if context.is_stopping() || self.output.is_closed() => {
                    return Ok(More::Unwanted);
                }
                Input::Waiting(waiting) => match waiting.read(self.items.room()).map_err(failed)? {
                    Some(n) => n,
                    None => continue,
                },
            };
            if n == 0 {
                return Ok(More::End);
            }
            self.items.filled(n);
            self.to_skip -= self.items.skip(self.to_skip);
        }
        Ok(More::Some)
    }

    /// How many items may still be given in this pass.
    fn left(&self) -> u64 {
        self.settings.samples.map_or(u64::MAX, |samples| samples - self.items.given())
    }

    /// Starts again, or ends.
    fn end(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        let offset_samples = self.settings.offset_samples;
        let problem = match self.items.problem_at_end(&self.path, offset_samples) {
            _ if self.left() == 0 => None,
            // A cut is then no more than where the file was made shorter.
            _ if self.items.given() < self.promised => Some(Error::Shrank {
                path: self.path.clone(),
                got: self.items.given(),
                expected: self.promised,
                unit: "samples",
            }),
            Some(Error::Empty { path }) if offset_samples > 0 => Some(Error::Setting {
                path,
                parameter: "offset_samples",
                got: offset_samples.to_string(),
                expected: "less than the samples that came".to_owned(),
            }),
            problem => problem,
        };
        match &mut self.input {
            Input::File(file, start) if self.settings.repeat && problem.is_none() => {
                let sought = file.seek(SeekFrom::Start(*start));
                sought.map_err(|error| Error::io(&self.path, "read", error))?;
                self.items.clear();
                Ok(Step::Ran)
            }
            _ => Ok(problem.map_or(Step::Done, |problem| context.end_with(problem))),
        }
    }
}

/// What a [`FileSource`] reads, whatever its items, so that opening it is compiled once.
struct Opened {
    path: PathBuf,
    settings: FileSourceSettings,
    input: Input,
    claim: Option<Claim>,
    to_skip: u64,
    promised: u64,
    /// How many items there will be, where that is known.
    expected: Option<u64>,
}

impl Opened {
    /// `expect` says whether the items can be made of the format.
    fn new(
        path: &Path,
        format: SampleFormat,
        mut settings: FileSourceSettings,
        expect: fn(&Path, SampleFormat) -> Result<(), Error>,
    ) -> Result<Self, Error> {
        let hints = NameHints::from_path(path);
        settings.rate_hz = settings.rate_hz.or(hints.sample_rate_hz);
        settings.center_hz = settings.center_hz.or(hints.center_hz);
        let is_stdin = path == Path::new("-");
        let (path, opened) = if is_stdin {
            let path = PathBuf::from("stdin");
            let file = own(std::io::stdin()).map_err(|e| Error::io(&path, "open", e))?;
            (path, Some(file))
        } else {
            // Opening a pipe is left to the graph: it would tell the writer that its reader is there.
            let meta = std::fs::metadata(path).map_err(|e| Error::io(path, "open", e))?;
            let is_special = !meta.is_file() && !meta.is_dir();
            let file = if is_special { None } else { Some(crate::raw::open(path)?.0) };
            (path.to_owned(), file)
        };
        expect(&path, format)?;
        let to_skip = settings.offset_samples.checked_mul(format.bytes() as u64);
        let wrong = |parameter, got: String, expected| {
            let path = path.clone();
            Err(Error::Setting { path, parameter, got, expected })
        };
        let Some(to_skip) = to_skip else {
            let expected = "a number of samples that a file can have".to_owned();
            return wrong("offset_samples", settings.offset_samples.to_string(), expected);
        };
        let input = match opened {
            Some(file) => open_input(file, to_skip).map_err(|e| Error::io(&path, "open", e))?,
            None => Input::Waiting(Waiting::at(&path)),
        };
        if let Input::File(file, start) = &input {
            let bytes = file.metadata().map_err(|e| Error::io(&path, "open", e))?.len();
            let before = start.saturating_sub(to_skip);
            if bytes <= before {
                return Err(Error::Empty { path });
            }
            if bytes <= *start {
                let samples = (bytes - before) / format.bytes() as u64;
                let expected = format!("less than the {samples} samples of the file");
                return wrong("offset_samples", settings.offset_samples.to_string(), expected);
            }
        } else if settings.repeat {
            return wrong(
                "repeat",
                "true".to_owned(),
                "false: a pipe or device cannot be read again".to_owned(),
            );
        }
        if settings.samples == Some(0) {
            return wrong("samples", "0".to_owned(), "at least 1".to_owned());
        }
        let to_skip = if matches!(input, Input::Waiting(_)) { to_skip } else { 0 };
        let (mut promised, mut expected) = (0, None);
        if let Input::File(file, start) = &input {
            let bytes = file.metadata().map_or(0, |meta| meta.len()).saturating_sub(*start);
            let samples = bytes / format.bytes() as u64;
            promised = settings.samples.map_or(samples, |most| most.min(samples));
            if !settings.repeat {
                expected = Some(promised);
            }
        }
        let claim = if is_stdin { None } else { Some(Claim::reading(&path)?) };
        Ok(Opened { path, settings, input, claim, to_skip, promised, expected })
    }
}

/// Finds out what `file` is and goes to the byte where reading starts.
fn open_input(mut file: File, to_skip: u64) -> std::io::Result<Input> {
    let meta = file.metadata()?;
    if meta.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    if !meta.is_file() {
        return Ok(Input::Waiting(Waiting::shared(file)));
    }
    // Stdin may stand anywhere in its file.
    let start = file.stream_position()?.saturating_add(to_skip).min(i64::MAX as u64);
    file.seek(SeekFrom::Start(start))?;
    Ok(Input::File(file, start))
}

impl<T: FileItem> Work for FileSource<T> {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        if self.left() == 0 {
            return self.end(context);
        }
        match self.read(context)? {
            More::Some => {}
            More::End => return self.end(context),
            More::Unwanted => return Ok(Step::Done),
        }
        if self.output.index() == 0 {
            let FileSourceSettings { rate_hz, center_hz, .. } = self.settings;
            tag_known(&mut self.output, &[("rx_rate", rate_hz), ("rx_freq", center_hz)]);
        }
        let most = usize::try_from(self.left()).unwrap_or(usize::MAX);
        let room = self.output.reserve();
        let most = most.min(room.len());
        let n = self.items.give(&mut room[..most]);
        self.output.produce(n);
        Ok(Step::Ran)
    }

    fn blocking(&self) -> bool {
        matches!(self.input, Input::Waiting(_))
    }
}

/// How files and the command line find [`FileSource`].
pub const ENTRY: Entry = Entry {
    name: "file_source",
    category: "sources",
    summary: "Raw samples from a file, a pipe, a device or stdin.",
    params: &[
        required("path", Kind::Path, "", "The file, pipe or device; - is stdin."),
        FORMAT,
        optional(
            "output",
            FLOAT_OR_RAW,
            "",
            "\"float\"",
            "float: C32 or f32, full scale 1.0; raw: as stored.",
        ),
        optional("repeat", Kind::Bool, "", "false", "Starts again at the end, for ever."),
        optional("offset_samples", NOT_NEGATIVE, "samples", "0", "How many to pass over first."),
        optional("samples", NOT_NEGATIVE, "samples", "0", "How many to read at most; 0 is all."),
        optional(
            "rate_hz",
            Kind::Float(0.0, 1e12),
            "Hz",
            "0",
            "The rate for the tag rx_rate; 0: as the name says.",
        ),
        optional(
            "frequency_hz",
            Kind::Float(-1e12, 1e12),
            "Hz",
            "0",
            "The centre frequency for the tag rx_freq; 0: as the name says.",
        )
        .formerly(&["center_hz"]),
    ],
    ports: &[output("out", "C32, f32 or as stored", "the samples, full scale = 1.0 or as stored")],
    make: |params| {
        let path = Path::new(params.text("path"));
        let format = format_of(params, path)?;
        let settings = FileSourceSettings {
            repeat: params.flag("repeat"),
            offset_samples: params.count("offset_samples") as u64,
            samples: Some(params.count("samples") as u64).filter(|samples| *samples > 0),
            rate_hz: known(params.float("rate_hz")),
            center_hz: known(params.float("frequency_hz")),
        };
        let as_stored = params.text("output") == "raw";
        Ok(
            block_of_format!(path, format, as_stored, T => FileSource::<T>::open_with(path, format, settings)?),
        )
    },
};
