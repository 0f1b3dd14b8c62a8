//! Samples of a SigMF recording, with what is known about them as tags.

use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use superhet_runtime::catalog::{Entry, Kind, optional, output, required};
use superhet_runtime::gap::GAP;
use superhet_runtime::{Block, BlockError, Context, Out, Step, Value, Work};

use super::annotation;
use super::in_use::Claim;
use super::item::{self, FLOAT_OR_RAW, FileItem, block_of_format};
use super::source::ItemBuffer;
use crate::error::Error;
use crate::sigmf::{Recording, SegmentBytes};

/// Samples of a SigMF recording, with what is known about them as tags.
///
/// The item type says what comes out: `C32` and `f32` scale any data type to full scale = 1.0, the others give items
/// as they are stored; see [`FileItem`].
///
/// | tag | at | value |
/// |---|---|---|
/// | `rx_rate` | item 0 | `core:sample_rate`, Hz |
/// | `rx_freq` | each capture's first sample | `core:frequency`, Hz |
/// | `rx_time` | each capture's first sample | `core:datetime`, text |
/// | `gap` | each capture's first sample | how many samples are missing before it, as `core:global_index` and that of the capture before tell |
/// | `annotation` | each annotation's first sample | a map with `label`, `comment`, `generator`, `uuid`, `sample_count`, `freq_lower_edge`, `freq_upper_edge` (Hz) and the fields of extensions, as far as they are there |
///
/// | port | item | unit |
/// |---|---|---|
/// | out `out` | any [`FileItem`] | as stored, or full scale = 1.0 |
///
/// # Errors
/// At run time: [`Error::Io`]; [`Error::Shrank`], when the graph has used what was there.
///
/// # Example
///
/// ```
/// use superhet_io::{C32, SampleFormat, blocks::SigmfSource, sigmf::RecordingWriter};
/// use superhet_runtime::{Graph, harness::VecSink};
///
/// # let dir = std::env::temp_dir().join(format!("superhet-doc-sigmfsource-{}", std::process::id()));
/// # std::fs::create_dir_all(&dir)?;
/// let mut writer = RecordingWriter::create(dir.join("beep"), SampleFormat::CS16, Some(48_000.0))?;
/// writer.write_c32(&[C32::new(0.5, -0.5); 3])?;
/// let path = writer.finish()?;
///
/// let mut graph = Graph::new();
/// let recording = graph.add("recording", SigmfSource::<[i16; 2]>::open(path)?);
/// let sink = VecSink::<[i16; 2]>::new();
/// let items = sink.items();
/// let sink = graph.add("sink", sink);
/// graph.connect(recording.output, sink.input);
/// graph.run()?;
/// assert_eq!(items.take(), [[16384, -16384]; 3]);
/// # std::fs::remove_dir_all(&dir)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct SigmfSource<T: FileItem> {
    #[port("out")]
    pub(super) output: Out<T>,
    data_path: PathBuf,
    bytes: SegmentBytes,
    items: ItemBuffer<T>,
    /// How many there were when the recording was opened.
    samples: u64,
    /// Item, key and value of the tags that are still to be given, the last one first.
    tags: Vec<(u64, &'static str, Value)>,
    _claims: [Claim; 2],
}

impl<T: FileItem> SigmfSource<T> {
    /// Reads the recording at `path`: `X.sigmf-meta`, `X.sigmf-data`, an archive `X.sigmf`, or `X`.
    ///
    /// # Errors
    /// Those of [`Recording::open`], and of [`SigmfSource::new`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::new(&Recording::open(path)?)
    }

    /// Reads a recording that is open already.
    ///
    /// # Errors
    /// [`Error::WrongItem`] where `T` does not hold its samples; [`Error::Setting`] where it has several channels;
    /// [`Error::Empty`], [`Error::NoData`], [`Error::Io`]; [`Error::InUse`] where another block writes it.
    pub fn new(recording: &Recording) -> Result<Self, Error> {
        let path = recording.meta_path().to_owned();
        if recording.channels() != 1 {
            let (got, expected) = (recording.channels().to_string(), "1 channel".to_owned());
            return Err(Error::Setting { path, parameter: "core:num_channels", got, expected });
        }
        item::expect::<T>(&path, recording.format())?;
        let bytes = recording.sample_bytes()?;
        let data_path = recording.data_path().unwrap_or(&path).to_owned();
        if recording.samples() == 0 {
            return Err(Error::Empty { path: data_path });
        }
        let claims = [Claim::reading(&data_path)?, Claim::reading(&path)?];
        let (items, tags) = (ItemBuffer::new(recording.format()), tags(recording));
        let samples = recording.samples();
        Ok(SigmfSource { output: Out::new(), data_path, bytes, items, samples, tags, _claims: claims })
    }
}

/// The tags of a recording, the last one first.
fn tags(recording: &Recording) -> Vec<(u64, &'static str, Value)> {
    let meta = recording.meta();
    let offset = meta.global.offset.unwrap_or(0);
    let mut tags = Vec::new();
    if let Some(rate_hz) = recording.sample_rate_hz() {
        tags.push((0, "rx_rate", rate_hz.into()));
    }
    let mut ahead = None;
    for capture in &meta.captures {
        let at = capture.sample_start.saturating_sub(offset);
        tags.extend(capture.frequency_hz.map(|hz| (at, "rx_freq", hz.into())));
        tags.extend(capture.datetime.as_deref().map(|time| (at, "rx_time", time.into())));
        let now = capture.global_index.and_then(|index| index.checked_sub(capture.sample_start));
        let lost = now.zip(ahead).map_or(0, |(now, before): (u64, u64)| now.saturating_sub(before));
        tags.extend((lost > 0).then(|| (at, GAP, lost.into())));
        ahead = now;
    }
    for found in &meta.annotations {
        tags.push((found.sample_start.saturating_sub(offset), "annotation", annotation::to_value(found)));
    }
    tags.sort_by_key(|(at, ..)| *at);
    tags.reverse();
    tags
}

impl<T: FileItem> Work for SigmfSource<T> {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        while self.items.items() == 0 {
            match self.bytes.read(self.items.room()) {
                Ok(0) => return Ok(Step::Done),
                Ok(n) => self.items.filled(n),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                    let (path, got) = (self.data_path.clone(), self.items.given());
                    let shrank = Error::Shrank { path, got, expected: self.samples, unit: "samples" };
                    return Ok(context.end_with(shrank));
                }
                Err(error) => return Err(Error::io(&self.data_path, "read", error).into()),
            }
        }
        let first = self.output.index();
        let n = self.items.give(self.output.reserve());
        while let Some((at, key, value)) = self.tags.pop_if(|(at, ..)| *at < first + n as u64) {
            self.output.tag((at - first) as usize, key, value);
        }
        self.output.produce(n);
        Ok(Step::Ran)
    }
}

/// How files and the command line find [`SigmfSource`].
pub const ENTRY: Entry = Entry {
    name: "sigmf_source",
    category: "sources",
    summary: "Samples of a SigMF recording, with what is known about them as tags.",
    params: &[
        required("path", Kind::Path, "", "X.sigmf-meta, X.sigmf-data, the archive X.sigmf, or X."),
        optional(
            "output",
            FLOAT_OR_RAW,
            "",
            "\"float\"",
            "float: C32 or f32, full scale 1.0; raw: as stored.",
        ),
    ],
    ports: &[output("out", "C32, f32 or as stored", "the samples, full scale = 1.0 or as stored")],
    make: |params| {
        let recording = Recording::open(params.text("path"))?;
        let (path, format) = (recording.meta_path(), recording.format());
        let as_stored = params.text("output") == "raw";
        Ok(block_of_format!(path, format, as_stored, T => SigmfSource::<T>::new(&recording)?))
    },
};
