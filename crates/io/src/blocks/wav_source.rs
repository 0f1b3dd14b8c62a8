//! Samples from a WAV file.

use std::path::PathBuf;

use superhet_runtime::catalog::{Entry, Kind, optional, output, required};
use superhet_runtime::{AnyBlock, Block, BlockError, Context, Out, Step, Work};

use super::in_use::Claim;
use super::item::FileItem;
use super::source::tag_known;
use crate::C32;
use crate::error::Error;
use crate::format::Shape;
use crate::name::NameHints;
use crate::wav::WavReader;

/// Samples from a WAV file: mono is real, two channels are IQ; see [`wav`](crate::wav) for what is understood.
///
/// The first item has the tags `rx_rate` and, where the header or the file's name tells it, `rx_freq`.
///
/// | port | item | unit |
/// |---|---|---|
/// | out `out` | `f32` or `C32` | full scale = 1.0 |
///
/// # Errors
/// At run time: [`Error::Io`]; [`Error::Shrank`], when the graph has used what was there.
///
/// # Example
///
/// ```
/// use superhet_io::{Shape, blocks::WavSource, wav::{WavEncoding, WavWriter}};
/// use superhet_runtime::{Graph, harness::VecSink};
///
/// # let path = std::env::temp_dir().join(format!("superhet-doc-wavsource-{}.wav", std::process::id()));
/// let mut writer = WavWriter::create(&path, 48_000, Shape::Real, WavEncoding::S16)?;
/// writer.write_f32(&[0.25, -0.5])?;
/// writer.finish()?;
///
/// let mut graph = Graph::new();
/// let wav = graph.add("wav", WavSource::<f32>::open(&path)?);
/// let sink = VecSink::<f32>::new();
/// let items = sink.items();
/// let sink = graph.add("sink", sink);
/// graph.connect(wav.output, sink.input);
/// graph.run()?;
/// assert_eq!(items.take(), [0.25, -0.5]);
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct WavSource<T: WavItem> {
    #[port("out")]
    pub(super) output: Out<T>,
    reader: WavReader,
    center_hz: Option<f64>,
    repeat: bool,
    _claim: Claim,
}

/// An item that the frames of a WAV file become: `f32` of mono, `C32` of two channels.
pub trait WavItem: FileItem {
    /// Real or complex.
    const SHAPE: Shape;

    /// Reads frames and returns how many; 0 is the end.
    ///
    /// # Errors
    /// As [`WavReader::read_f32`].
    fn read(reader: &mut WavReader, items: &mut [Self]) -> Result<usize, Error>;
}

impl WavItem for f32 {
    const SHAPE: Shape = Shape::Real;
    fn read(reader: &mut WavReader, items: &mut [Self]) -> Result<usize, Error> {
        reader.read_f32(items)
    }
}

impl WavItem for C32 {
    const SHAPE: Shape = Shape::Complex;
    fn read(reader: &mut WavReader, items: &mut [Self]) -> Result<usize, Error> {
        reader.read_c32(items)
    }
}

impl<T: WavItem> WavSource<T> {
    /// Reads a file whose header is true in everything it says.
    ///
    /// # Errors
    /// [`Error::WrongShape`] where the number of channels does not fit `T`; those of [`WavReader::open`];
    /// [`Error::Empty`] where there is no frame.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, Error> {
        Self::new(WavReader::open(path)?)
    }

    /// Reads what is there even if the header lies; each lie is a line in the log.
    ///
    /// # Errors
    /// As for [`WavSource::open`], where nothing sensible can be read.
    pub fn open_lenient(path: impl Into<PathBuf>) -> Result<Self, Error> {
        Self::new(open_lenient(path.into())?)
    }

    /// Reads a file that is open already, from where it stands.
    ///
    /// # Errors
    /// [`Error::WrongShape`], [`Error::Empty`]; [`Error::InUse`] where another block writes the file.
    pub fn new(reader: WavReader) -> Result<Self, Error> {
        let (wanted, got) = (T::SHAPE, reader.header().shape());
        let path = reader.path().to_owned();
        if wanted != got {
            return Err(Error::WrongShape { path, wanted, got });
        }
        if reader.frames_left() == 0 {
            return Err(Error::Empty { path });
        }
        let claim = Claim::reading(&path)?;
        let center_hz = reader.header().center_hz.or(NameHints::from_path(path).center_hz);
        Ok(WavSource { output: Out::new(), reader, center_hz, repeat: false, _claim: claim })
    }

    /// Starts again at the end, for ever.
    pub fn repeated(mut self) -> Self {
        self.repeat = true;
        self
    }
}

/// Opens a file even if its header lies; each lie is a line in the log.
pub(super) fn open_lenient(path: PathBuf) -> Result<WavReader, Error> {
    let reader = WavReader::open_lenient(path)?;
    reader.problems().iter().for_each(|problem| tracing::warn!("{problem}"));
    Ok(reader)
}

impl<T: WavItem> Work for WavSource<T> {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        if self.output.index() == 0 {
            let rate_hz = Some(f64::from(self.reader.header().sample_rate_hz));
            tag_known(&mut self.output, &[("rx_rate", rate_hz), ("rx_freq", self.center_hz)]);
        }
        let n = match T::read(&mut self.reader, self.output.reserve()) {
            Ok(n) => n,
            Err(error @ Error::Shrank { .. }) => return Ok(context.end_with(error)),
            Err(error) => return Err(error.into()),
        };
        self.output.produce(n);
        match (self.reader.frames_left(), self.repeat) {
            (0, false) => Ok(Step::Done),
            (0, true) => {
                self.reader.rewind()?;
                Ok(Step::Ran)
            }
            _ => Ok(Step::Ran),
        }
    }
}

/// How files and the command line find [`WavSource`].
pub const ENTRY: Entry = Entry {
    name: "wav_source",
    category: "sources",
    summary: "Samples from a WAV file: mono is real, two channels are IQ.",
    params: &[
        required("path", Kind::Path, "", "The file."),
        optional(
            "output",
            Kind::Choice(&["auto", "real", "complex"]),
            "",
            "\"auto\"",
            "real: f32 of a mono file; complex: C32 of two channels; auto: as the file is.",
        ),
        optional("repeat", Kind::Bool, "", "false", "Starts again at the end, for ever."),
        optional("lenient", Kind::Bool, "", "false", "Reads what is there even if the header lies."),
    ],
    ports: &[output("out", "f32 or C32", "the samples, full scale = 1.0")],
    make: |params| {
        let path = PathBuf::from(params.text("path"));
        let reader = if params.flag("lenient") { open_lenient(path)? } else { WavReader::open(path)? };
        let is_real = match params.text("output") {
            "auto" => reader.header().shape() == Shape::Real,
            output => output == "real",
        };
        let repeat = params.flag("repeat");
        Ok(if is_real {
            AnyBlock::new(WavSource { repeat, ..WavSource::<f32>::new(reader)? })
        } else {
            AnyBlock::new(WavSource { repeat, ..WavSource::<C32>::new(reader)? })
        })
    },
};
