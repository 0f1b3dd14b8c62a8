//! The channels of a WAV file, a stream each.

use std::path::PathBuf;

use superhet_runtime::catalog::{Entry, Kind, optional, output, required};
use superhet_runtime::{AnyBlock, Block, BlockError, Context, Out, Step, Work};

use super::in_use::Claim;
use super::wav_source::open_lenient;
use crate::error::Error;
use crate::wav::WavReader;

/// The channels of a WAV file, each as a stream of its own, as sound is; [`WavSource`](super::WavSource) reads two channels as
/// IQ.
///
/// | port | item | unit |
/// |---|---|---|
/// | out `out0`, `out1` | `f32` | full scale = 1.0; as many as the file has channels, some may stay unconnected |
///
/// # Errors
/// At run time: [`Error::Io`]; [`Error::Shrank`], when the graph has used what was there.
///
/// # Example
///
/// ```
/// use superhet_io::{C32, Shape, blocks::WavChannelsSource, wav::{WavEncoding, WavReader, WavWriter}};
/// use superhet_runtime::{Graph, harness::VecSink};
///
/// # let path = std::env::temp_dir().join(format!("superhet-doc-wavchannels-{}.wav", std::process::id()));
/// let mut writer = WavWriter::create(&path, 48_000, Shape::Complex, WavEncoding::S16)?;
/// writer.write_frames(&[0.25, -0.5, 0.75, 0.0])?; // left, right, left, right
/// writer.finish()?;
///
/// let mut graph = Graph::new();
/// let wav = graph.add("wav", WavChannelsSource::new(WavReader::open(&path)?, false)?);
/// let sink = VecSink::<f32>::new();
/// let items = sink.items();
/// let sink = graph.add("sink", sink);
/// graph.connect(wav.output[0], sink.input);
/// graph.run()?;
/// assert_eq!(items.take(), [0.25, 0.75]);
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct WavChannelsSource {
    #[port("out")]
    output: Vec<Out<f32>>,
    reader: WavReader,
    repeat: bool,
    /// Frames that were read together.
    frames: Vec<f32>,
    _claim: Claim,
}

/// So many frames are read at a time.
const AT_A_TIME: usize = 4096;

impl WavChannelsSource {
    /// Reads a file that is open already, from where it stands; with `repeat` over and over.
    ///
    /// # Errors
    /// [`Error::Empty`] where there is no frame; [`Error::InUse`] where another block writes the file.
    pub fn new(reader: WavReader, repeat: bool) -> Result<Self, Error> {
        if reader.frames_left() == 0 {
            return Err(Error::Empty { path: reader.path().to_owned() });
        }
        let claim = Claim::reading(reader.path())?;
        let channels = usize::from(reader.header().channels);
        let output = (0..channels).map(|_| Out::new().optional()).collect();
        Ok(WavChannelsSource {
            output,
            reader,
            repeat,
            frames: vec![0.0; AT_A_TIME * channels],
            _claim: claim,
        })
    }
}

impl Work for WavChannelsSource {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        let channels = self.output.len();
        let wanted = self.output.iter().filter(|port| port.is_connected() && !port.is_closed());
        let Some(room) = wanted.map(Out::room).min() else { return Ok(Step::Done) };
        if room == 0 {
            return Ok(Step::NeedOutput);
        }
        let n = match self.reader.read_frames(&mut self.frames[..room.min(AT_A_TIME) * channels]) {
            Ok(n) => n,
            Err(error @ Error::Shrank { .. }) => return Ok(context.end_with(error)),
            Err(error) => return Err(error.into()),
        };
        for (channel, port) in self.output.iter_mut().enumerate() {
            if port.is_connected() && !port.is_closed() {
                superhet_numbers::channel(&self.frames, channels, channel, &mut port.reserve()[..n]);
                port.produce(n);
            }
        }
        if self.reader.frames_left() == 0 {
            if !self.repeat {
                return Ok(Step::Done);
            }
            self.reader.rewind()?;
        }
        Ok(Step::Ran)
    }
}

/// How files and the command line find [`WavChannelsSource`].
pub const ENTRY: Entry = Entry {
    name: "wav_channels_source",
    category: "sources",
    summary: "The channels of a WAV file, a stream of real samples each.",
    params: &[
        required("path", Kind::Path, "", "The file."),
        optional("repeat", Kind::Bool, "", "false", "Starts again at the end, for ever."),
        optional("lenient", Kind::Bool, "", "false", "Reads what is there even if the header lies."),
    ],
    ports: &[
        output("out0", "f32", "the first channel, full scale = 1.0"),
        output("out1", "f32", "the second, where the file has one"),
    ],
    make: |params| {
        let path = PathBuf::from(params.text("path"));
        let reader = if params.flag("lenient") { open_lenient(path)? } else { WavReader::open(path)? };
        Ok(AnyBlock::new(WavChannelsSource::new(reader, params.flag("repeat"))?))
    },
};
