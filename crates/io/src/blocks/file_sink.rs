//! Raw samples into a file, a pipe, a device or stdout.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use superhet_runtime::catalog::{Entry, Kind, input, optional, required};
use superhet_runtime::{Block, BlockError, Context, In, Step, Work};

use super::in_use::Claim;
use super::item::{self, FLOAT_OR_RAW, FORMAT, FileItem, block_of_format, format_of};
use super::waiting::{Waiting, own};
use crate::error::Error;
use crate::format::SampleFormat;

/// How many bytes are collected before a file is written to.
const CHUNK_BYTES: usize = 256 * 1024;

/// How long a stopped graph waits for the reader of a full pipe to take anything at all.
const LAST_TIMEOUT: Duration = Duration::from_millis(300);

/// Raw samples into a file, a pipe, a device or stdout (`-`).
///
/// The item type says what goes in: `C32` and `f32` with full scale = 1.0 are rounded to any format, the others are stored
/// as they are; see [`FileItem`]. The file is created, or emptied, with the first samples. All items that were taken are
/// written when the graph ends, however it ends. An error in that is the graph's error, or a line in the log if the graph
/// has failed already.
///
/// What goes to a pipe is written at once. When nobody reads it any more, the sink has enough and ends.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | any [`FileItem`] | as stored, or full scale = 1.0 |
///
/// # Errors
/// At run time: [`Error::Io`].
///
/// # Example
///
/// ```
/// use superhet_io::{SampleFormat, blocks::FileSink};
/// use superhet_runtime::{Graph, harness::VecSource};
///
/// # let path = std::env::temp_dir().join(format!("superhet-doc-sink-{}.s16", std::process::id()));
/// let mut graph = Graph::new();
/// let source = graph.add("source", VecSource::new(vec![0.5f32, -1.0]));
/// let file = graph.add("file", FileSink::<f32>::create(&path, SampleFormat::S16)?);
/// graph.connect(source.output, file.input);
/// graph.run()?;
/// assert_eq!(std::fs::read(&path)?, [0x00, 0x40, 0x00, 0x80]);
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct FileSink<T: FileItem> {
    #[port("in")]
    input: In<T>,
    /// As errors name it.
    path: PathBuf,
    format: SampleFormat,
    settings: FileSinkSettings,
    output: Output,
    /// Bytes that are still to be written.
    pending: Vec<u8>,
    _claim: Option<Claim>,
}

/// How a [`FileSink`] writes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileSinkSettings {
    /// Writes behind what the file has already.
    pub append: bool,
    /// Writes whatever comes at once, so that others see it grow.
    pub unbuffered: bool,
}

/// Where the bytes go.
#[derive(Debug)]
enum Output {
    /// A regular file, once it is open.
    File(Option<File>),
    Waiting(Waiting),
}

impl<T: FileItem> FileSink<T> {
    /// Writes to a new file at `path`, or to stdout if that is `-`.
    ///
    /// # Errors
    /// [`Error::WrongItem`] where the format cannot be made of `T`; [`Error::Io`] where a file cannot be made there;
    /// [`Error::InUse`] where another block reads or writes it.
    pub fn create(path: impl AsRef<Path>, format: SampleFormat) -> Result<Self, Error> {
        Self::create_with(path, format, FileSinkSettings::default())
    }

    /// As [`FileSink::create`], with settings.
    ///
    /// # Errors
    /// Besides, [`Error::Setting`] where the samples of the file to append to are not whole.
    pub fn create_with(
        path: impl AsRef<Path>,
        format: SampleFormat,
        settings: FileSinkSettings,
    ) -> Result<Self, Error> {
        let path = path.as_ref();
        let is_stdout = path == Path::new("-");
        let (path, output) = if is_stdout {
            let path = PathBuf::from("stdout");
            let failed = |e| Error::io(&path, "open", e);
            let file = own(std::io::stdout()).map_err(failed)?;
            let is_file = file.metadata().map_err(failed)?.is_file();
            (path, if is_file { Output::File(Some(file)) } else { Output::Waiting(Waiting::shared(file)) })
        } else {
            (path.to_owned(), look_at(path, format, settings.append)?)
        };
        item::expect::<T>(&path, format)?;
        let claim = if is_stdout { None } else { Some(Claim::writing(&path)?) };
        let pending = Vec::new();
        Ok(FileSink { input: In::new(), path, format, settings, output, pending, _claim: claim })
    }

    /// Creates or opens a regular file, if that is still to be done.
    fn open(&mut self) -> Result<(), Error> {
        if let Output::File(file @ None) = &mut self.output {
            let opened = open(&self.path, self.settings.append);
            *file = Some(opened.map_err(|error| Error::io(&self.path, "create", error))?);
        }
        Ok(())
    }

    /// Writes what is pending; false if nobody reads any more.
    ///
    /// While `is_stopping`, the reader of a pipe gets a last chance to take something.
    fn flush(&mut self, is_stopping: &dyn Fn() -> bool) -> Result<bool, Error> {
        // A failed write is not tried again: the graph ends after an error.
        let pending = std::mem::take(&mut self.pending);
        let failed = |error| Error::io(&self.path, "write", error);
        let written = match &mut self.output {
            Output::File(None) => Ok(()),
            Output::File(Some(file)) => file.write_all(&pending),
            Output::Waiting(waiting) => write_all(waiting, &pending, is_stopping),
        };
        match written {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(false),
            Err(error) => return Err(failed(error)),
        }
        self.pending = pending;
        self.pending.clear();
        Ok(true)
    }
}

/// Finds out what is at `path`, and whether samples can go there.
fn look_at(path: &Path, format: SampleFormat, append: bool) -> Result<Output, Error> {
    let failed = |error| Error::io(path, "create", error);
    let meta = match std::fs::metadata(path) {
        Ok(meta) => meta,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            expect_folder(path)?;
            return Ok(Output::File(None));
        }
        Err(error) => return Err(failed(error)),
    };
    if meta.is_dir() {
        return Err(failed(ErrorKind::IsADirectory.into()));
    }
    if !meta.is_file() {
        return Ok(Output::Waiting(Waiting::at(path)));
    }
    // Without `truncate` this changes nothing.
    OpenOptions::new().append(true).open(path).map_err(failed)?;
    if append && meta.len() % format.bytes() as u64 != 0 {
        return Err(Error::Setting {
            path: path.to_owned(),
            parameter: "append",
            got: "true".to_owned(),
            expected: format!("false: the {} bytes in the file are not whole {format} samples", meta.len()),
        });
    }
    Ok(Output::File(None))
}

/// Checks that there is a folder for a file that is to be made at `path`.
pub(super) fn expect_folder(path: &Path) -> Result<(), Error> {
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    match std::fs::metadata(folder) {
        Ok(meta) if meta.is_dir() => Ok(()),
        Ok(_) => Err(Error::io(path, "create", ErrorKind::NotADirectory.into())),
        Err(error) => Err(Error::io(path, "create", error)),
    }
}

fn open(path: &Path, append: bool) -> std::io::Result<File> {
    OpenOptions::new().create(true).write(true).append(append).truncate(!append).open(path)
}

/// Writes all bytes, however long that takes; once stopping, only while the reader takes any.
fn write_all(waiting: &mut Waiting, mut bytes: &[u8], is_stopping: &dyn Fn() -> bool) -> std::io::Result<()> {
    let mut idle_since = None;
    while !bytes.is_empty() {
        match waiting.write(bytes)? {
            Some(0) => return Err(ErrorKind::WriteZero.into()),
            Some(n) => {
                bytes = &bytes[n..];
                idle_since = None;
            }
            None if !is_stopping() => {}
            None if idle_since.get_or_insert_with(Instant::now).elapsed() < LAST_TIMEOUT => {}
            None => {
                let message = format!("the reader of the pipe did not take the last {} bytes", bytes.len());
                return Err(std::io::Error::new(ErrorKind::TimedOut, message));
            }
        }
    }
    Ok(())
}

impl<T: FileItem> Work for FileSink<T> {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        self.open()?;
        let n = self.input.available();
        T::to_bytes(self.format, self.input.peek(), &mut self.pending);
        self.input.consume(n);
        let at_once = self.settings.unbuffered || matches!(self.output, Output::Waiting(_));
        let is_open = if at_once || self.pending.len() >= CHUNK_BYTES {
            self.flush(&|| context.is_stopping())?
        } else {
            true
        };
        Ok(if is_open { Step::Ran } else { Step::Done })
    }

    fn finish(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        self.open()?;
        self.flush(&|| context.is_stopping())?;
        Ok(Step::Done)
    }

    fn blocking(&self) -> bool {
        matches!(self.output, Output::Waiting(_))
    }
}

impl<T: FileItem> Drop for FileSink<T> {
    fn drop(&mut self) {
        if !self.pending.is_empty()
            && let Err(error) = self.flush(&|| true)
        {
            tracing::error!("{error}");
        }
    }
}

/// How files and the command line find [`FileSink`].
pub const ENTRY: Entry = Entry {
    name: "file_sink",
    category: "sinks",
    summary: "Raw samples into a file, a pipe, a device or stdout.",
    params: &[
        required(
            "path",
            Kind::Path,
            "",
            "The file, pipe or device; - is stdout. An existing file is emptied.",
        ),
        FORMAT,
        optional(
            "input",
            FLOAT_OR_RAW,
            "",
            "\"float\"",
            "float: C32 or f32, full scale 1.0; raw: as stored.",
        ),
        optional("append", Kind::Bool, "", "false", "Writes behind what the file has already."),
        optional("unbuffered", Kind::Bool, "", "false", "Writes whatever comes at once."),
    ],
    ports: &[input("in", "C32, f32 or as stored", "the samples, full scale = 1.0 or as stored")],
    make: |params| {
        let path = Path::new(params.text("path"));
        let format = format_of(params, path)?;
        let settings =
            FileSinkSettings { append: params.flag("append"), unbuffered: params.flag("unbuffered") };
        let as_stored = params.text("input") == "raw";
        Ok(
            block_of_format!(path, format, as_stored, T => FileSink::<T>::create_with(path, format, settings)?),
        )
    },
};
