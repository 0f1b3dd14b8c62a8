//! Streams into the channels of a WAV file.

use std::path::PathBuf;

use superhet_runtime::catalog::{Entry, Kind, input, optional, required};
use superhet_runtime::{AnyBlock, Block, BlockError, Context, In, Step, Work};

use super::in_use::Claim;
use super::wav_sink::{ENCODING, encoding, end_after, expect_new_file};
use crate::error::Error;
use crate::format::Shape;
use crate::wav::{WavEncoding, WavWriter};

/// One or two streams into a WAV file, a channel each, as sound is; [`WavSink`](super::WavSink) writes IQ.
///
/// The file is created, or emptied, with the first samples, and its lengths become true when the graph ends, however it
/// ends. It ends with the shorter stream. Where a write fails, they become those of the samples that are in the file.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in0`, `in1` | `f32` | full scale = 1.0 |
///
/// # Errors
/// At run time: [`Error::WavFull`] after 4 GiB, [`Error::Io`].
///
/// # Example
///
/// ```
/// use superhet_io::{blocks::{WavChannelsSettings, WavChannelsSink}, wav::{WavEncoding, WavReader}};
/// use superhet_runtime::{Graph, harness::VecSource};
///
/// # let path = std::env::temp_dir().join(format!("superhet-doc-wavchannelssink-{}.wav", std::process::id()));
/// let settings = WavChannelsSettings { channels: 2, rate_hz: 48_000, encoding: WavEncoding::S16, append: false };
/// let mut graph = Graph::new();
/// let left = graph.add("left", VecSource::new(vec![0.5f32, -0.25]));
/// let right = graph.add("right", VecSource::new(vec![0.0f32, 0.75]));
/// let wav = graph.add("wav", WavChannelsSink::new(&path, settings)?);
/// graph.connect(left.output, wav.input[0]);
/// graph.connect(right.output, wav.input[1]);
/// graph.run()?;
/// let mut frames = [0.0; 4];
/// WavReader::open(&path)?.read_frames(&mut frames)?;
/// assert_eq!(frames, [0.5, 0.0, -0.25, 0.75]);
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct WavChannelsSink {
    #[port("in")]
    input: Vec<In<f32>>,
    path: PathBuf,
    settings: WavChannelsSettings,
    writer: Option<WavWriter>,
    /// Frames that are written together.
    frames: Vec<f32>,
    _claim: Claim,
}

/// How a [`WavChannelsSink`] writes.
#[derive(Clone, Copy, Debug)]
pub struct WavChannelsSettings {
    /// 1 or 2.
    pub channels: usize,
    /// Frames per second.
    pub rate_hz: u32,
    /// How a number is stored; integers round to the nearest and saturate.
    pub encoding: WavEncoding,
    /// Goes on at the end of a file that is there, and has the same settings.
    pub append: bool,
}

impl WavChannelsSettings {
    fn shape(&self) -> Shape {
        if self.channels == 2 { Shape::Complex } else { Shape::Real }
    }
}

impl WavChannelsSink {
    /// Writes to a file at `path`.
    ///
    /// # Errors
    /// [`Error::WavUnsupported`] for other numbers of channels and rates than [`WavWriter`] writes; [`Error::Io`] where a file
    /// cannot be made there; [`Error::InUse`] where another block reads or writes it.
    pub fn new(path: impl Into<PathBuf>, settings: WavChannelsSettings) -> Result<Self, Error> {
        let path = path.into();
        let WavChannelsSettings { channels, rate_hz, encoding, .. } = settings;
        if !(1..=2).contains(&channels) {
            let (field, got) = ("the number of channels", channels.to_string());
            return Err(Error::WavUnsupported { path, field, got, supported: "1 and 2" });
        }
        expect_new_file(&path)?;
        WavWriter::check(&path, rate_hz, settings.shape(), encoding)?;
        let claim = Claim::writing(&path)?;
        let input = (0..channels).map(|_| In::new()).collect();
        Ok(WavChannelsSink { input, path, settings, writer: None, frames: Vec::new(), _claim: claim })
    }

    /// Makes the writer, where it is not there yet.
    fn open(&mut self) -> Result<(), Error> {
        if self.writer.is_none() {
            let WavChannelsSettings { rate_hz, encoding, append, .. } = self.settings;
            let make = if append { WavWriter::append } else { WavWriter::create };
            self.writer = Some(make(self.path.clone(), rate_hz, self.settings.shape(), encoding)?);
        }
        Ok(())
    }
}

impl Work for WavChannelsSink {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.open()?;
        let channels = self.input.len();
        let n = self.input.iter().map(In::available).min().unwrap_or(0);
        self.frames.resize(n * channels, 0.0);
        for (channel, port) in self.input.iter_mut().enumerate() {
            superhet_numbers::put_channel(port.peek(), &mut self.frames, channels, channel);
            port.consume(n);
        }
        if let Some(writer) = &mut self.writer
            && let Err(error) = writer.write_frames(&self.frames)
        {
            end_after(&mut self.writer, &error);
            return Err(error.into());
        }
        Ok(if n > 0 { Step::Ran } else { Step::NeedInput })
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.open()?;
        if let Some(writer) = self.writer.take() {
            writer.finish()?;
        }
        Ok(Step::Done)
    }
}

impl Drop for WavChannelsSink {
    fn drop(&mut self) {
        if let Some(writer) = self.writer.take()
            && let Err(error) = writer.finish()
        {
            tracing::error!("{error}");
        }
    }
}

/// How files and the command line find [`WavChannelsSink`].
pub const ENTRY: Entry = Entry {
    name: "wav_channels_sink",
    category: "sinks",
    summary: "One or two streams of real samples into a WAV file, a channel each.",
    params: &[
        required("path", Kind::Path, "", "The file; an existing one is emptied."),
        optional("channels", Kind::Integer(1, 2), "", "1", "How many."),
        required("rate_hz", Kind::Integer(1, u32::MAX as i64), "Hz", "Samples per second."),
        ENCODING,
        optional("append", Kind::Bool, "", "false", "Goes on at the end of an existing file."),
    ],
    ports: &[
        input("in0", "f32", "the first channel, full scale = 1.0"),
        input("in1", "f32", "the second, where there are two"),
    ],
    make: |params| {
        let settings = WavChannelsSettings {
            channels: params.count("channels"),
            rate_hz: u32::try_from(params.count("rate_hz"))?,
            encoding: encoding(params),
            append: params.flag("append"),
        };
        Ok(AnyBlock::new(WavChannelsSink::new(params.text("path"), settings)?))
    },
};
