//! Samples into a WAV file.

use std::path::{Path, PathBuf};

use superhet_runtime::catalog::{Entry, Kind, Param, Params, input, optional, required};
use superhet_runtime::{AnyBlock, Block, BlockError, Context, In, Step, Work};

use super::file_sink::expect_folder;
use super::in_use::Claim;
use super::wav_source::WavItem;
use crate::C32;
use crate::error::Error;
use crate::format::Shape;
use crate::wav::{WavEncoding, WavWriter};

/// Samples into a WAV file: `f32` becomes mono, `C32` two channels, I left and Q right.
///
/// The file is created, or emptied, with the first samples. Its lengths become true when the graph ends, however it ends.
/// An error in that is the graph's error, or a line in the log if the graph has failed already. Where a write fails, they
/// become those of the samples that are in the file.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | `f32` or `C32` | full scale = 1.0 |
///
/// # Errors
/// At run time: [`Error::WavFull`] after 4 GiB, [`Error::Io`].
///
/// # Example
///
/// ```
/// use superhet_io::{C32, blocks::WavSink, wav::{WavEncoding, WavReader}};
/// use superhet_runtime::{Graph, harness::VecSource};
///
/// # let path = std::env::temp_dir().join(format!("superhet-doc-wavsink-{}.wav", std::process::id()));
/// let mut graph = Graph::new();
/// let source = graph.add("source", VecSource::new(vec![C32::new(0.5, -1.0)]));
/// let wav = graph.add("wav", WavSink::<C32>::create(&path, 48_000, WavEncoding::S16)?);
/// graph.connect(source.output, wav.input);
/// graph.run()?;
/// assert_eq!(WavReader::open(&path)?.header().frames, 1);
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct WavSink<T: WavItem> {
    #[port("in")]
    input: In<T>,
    path: PathBuf,
    rate_hz: u32,
    encoding: WavEncoding,
    writer: Option<WavWriter>,
    _claim: Claim,
}

impl<T: WavItem> WavSink<T> {
    /// Writes to a new file at `path`.
    ///
    /// # Errors
    /// [`Error::WavUnsupported`] for rates that [`WavWriter`] does not write; [`Error::Io`] where a file
    /// cannot be made there; [`Error::InUse`] where another block reads or writes it.
    pub fn create(path: impl Into<PathBuf>, rate_hz: u32, encoding: WavEncoding) -> Result<Self, Error> {
        let path = path.into();
        expect_new_file(&path)?;
        WavWriter::check(&path, rate_hz, T::SHAPE, encoding)?;
        let claim = Claim::writing(&path)?;
        Ok(WavSink { input: In::new(), path, rate_hz, encoding, writer: None, _claim: claim })
    }

    /// The writer, which is made by the first call.
    fn writer(&mut self) -> Result<&mut WavWriter, Error> {
        let writer = match self.writer.take() {
            Some(writer) => writer,
            None => WavWriter::create(&self.path, self.rate_hz, T::SHAPE, self.encoding)?,
        };
        Ok(self.writer.insert(writer))
    }
}

/// Takes leave of a writer that has failed: it has reported its error, and ended the file. One that is full has its lengths
/// still to write.
pub(super) fn end_after(writer: &mut Option<WavWriter>, error: &Error) {
    if matches!(error, Error::Io { .. }) {
        *writer = None;
    }
}

/// Checks that a file can be made, or replaced, at `path`.
pub(super) fn expect_new_file(path: &Path) -> Result<(), Error> {
    match std::fs::metadata(path) {
        Ok(meta) if meta.is_dir() => Err(Error::io(path, "create", std::io::ErrorKind::IsADirectory.into())),
        Ok(meta) if !meta.is_file() => Err(Error::NotAFile { path: path.to_owned() }),
        Ok(_) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => expect_folder(path),
        Err(error) => Err(Error::io(path, "create", error)),
    }
}

impl<T: WavItem> Work for WavSink<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.writer()?;
        let x = self.input.peek();
        let n = x.len();
        if let Some(writer) = &mut self.writer {
            let written = match T::SHAPE {
                Shape::Real => writer.write_f32(bytemuck::cast_slice(x)),
                Shape::Complex => writer.write_c32(bytemuck::cast_slice(x)),
            };
            if let Err(error) = written {
                end_after(&mut self.writer, &error);
                return Err(error.into());
            }
        }
        self.input.consume(n);
        Ok(Step::Ran)
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.writer()?;
        if let Some(writer) = self.writer.take() {
            writer.finish()?;
        }
        Ok(Step::Done)
    }
}

impl<T: WavItem> Drop for WavSink<T> {
    fn drop(&mut self) {
        if let Some(writer) = self.writer.take()
            && let Err(error) = writer.finish()
        {
            tracing::error!("{error}");
        }
    }
}

/// The parameter `encoding`.
pub(super) const ENCODING: Param = optional(
    "encoding",
    Kind::Choice(&["u8", "s16", "s24", "s32", "f32"]),
    "",
    "\"s16\"",
    "Unsigned or signed integers of so many bits, which saturate, or 32-bit floats.",
);

/// What `encoding` says.
pub(super) fn encoding(params: &Params) -> WavEncoding {
    match params.text("encoding") {
        "u8" => WavEncoding::U8,
        "s24" => WavEncoding::S24,
        "s32" => WavEncoding::S32,
        "f32" => WavEncoding::F32,
        _ => WavEncoding::S16,
    }
}

/// How files and the command line find [`WavSink`].
pub const ENTRY: Entry = Entry {
    name: "wav_sink",
    category: "sinks",
    summary: "Samples into a WAV file: f32 becomes mono, C32 two channels.",
    params: &[
        required("path", Kind::Path, "", "The file; an existing one is emptied."),
        required("rate_hz", Kind::Integer(1, u32::MAX as i64), "Hz", "Samples per second."),
        optional("input", Kind::Choice(&["real", "complex"]), "", "\"real\"", "real: f32; complex: C32."),
        ENCODING,
    ],
    ports: &[input("in", "f32 or C32", "the samples, full scale = 1.0")],
    make: |params| {
        let path = params.text("path");
        let rate_hz = u32::try_from(params.count("rate_hz"))?;
        let encoding = encoding(params);
        Ok(if params.text("input") == "real" {
            AnyBlock::new(WavSink::<f32>::create(path, rate_hz, encoding)?)
        } else {
            AnyBlock::new(WavSink::<C32>::create(path, rate_hz, encoding)?)
        })
    },
};
