//! Samples into a SigMF recording, with their tags as captures and annotations.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use superhet_runtime::catalog::{Entry, Kind, input, optional, required};
use superhet_runtime::clock::{Moment, StreamClock};
use superhet_runtime::gap::{GAP, GAP_FILLED};
use superhet_runtime::{Block, BlockError, Context, In, MsgIn, Step, Tag, Value, Work};

use super::annotation;
use super::in_use::Claim;
use super::item::{self, FLOAT_OR_RAW, FileItem, block_of_format, known};
use super::wav_sink::expect_new_file;
use crate::error::Error;
use crate::format::SampleFormat;
use crate::sigmf::cut_annotations;
use crate::sigmf::{Annotation, Capture, Meta, RecordingWriter, datetime};

/// The files are brought up to date at most so often.
const PUBLISH_EVERY: Duration = Duration::from_millis(200);

/// Samples into a SigMF recording, with their tags as captures and annotations.
///
/// The item type says what goes in: `C32` and `f32` with full scale = 1.0 are rounded to any format, the others are
/// stored as they are; see [`FileItem`].
///
/// | tag | becomes |
/// |---|---|
/// | `rx_rate`, number | the recording's sample rate, if none was given |
/// | `rx_freq`, number | a capture with this centre frequency, if it is another than before; the centre from sample 0 on, where no tag of this table's first four came before: a filter's delay lies before its first tags |
/// | `rx_time`, a [`Moment`] as [`Moment::from_value`] takes it | a capture with this time |
/// | `gap`, number or null | a capture whose `global_index` counts what is missing, with its time, as far as both are known |
/// | `gap_filled`, number | an annotation `gap_filled` of the zeros |
/// | `annotation`, map | an annotation at exactly this sample, of `label`, `comment`, `generator`, `uuid`, `sample_count`, `freq_lower_edge`, `freq_upper_edge` (Hz); one that reaches behind the last sample is cut there |
///
/// A message at `annotations` becomes an annotation, too: a map, or a packet with such metadata, whose `sample_index` is the index of an item
/// of the stream. `duration_samples` is how many samples it spans, `label` or else `hex` its label, and `comment` or else all other entries
/// that are text or numbers its comment. What has no `sample_index`, or is about an item before the first that is written, says nothing.
///
/// The first item that comes is sample 0 of the recording, also where the stream has run before.
///
/// `X.sigmf-data` and `X.sigmf-meta` are created when the graph begins to run. From then on the metadata are true: they say
/// what the tags have said, a fifth of a second later or, where they are long, ten times as long as it takes to write them, and
/// describe no more than the samples that are in the file. If
/// the process is killed, or the disk is full, a valid recording is left. The checksum comes when the graph ends, however it
/// ends. An error in that is the graph's error, or a line in the log if the graph has failed already.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | any [`FileItem`] | as stored, or full scale = 1.0 |
/// | in `annotations` | messages | maps or packets; may stay unconnected |
///
/// # Errors
/// At run time: [`Error::Io`]; a tag whose value is not of the table's kind.
///
/// # Example
///
/// ```
/// use superhet_io::{C32, SampleFormat, blocks::SigmfSink, sigmf::Recording};
/// use superhet_runtime::{Graph, harness::VecSource};
///
/// # let dir = std::env::temp_dir().join(format!("superhet-doc-sigmfsink-{}", std::process::id()));
/// # std::fs::create_dir_all(&dir)?;
/// let mut graph = Graph::new();
/// let source = graph.add("source", VecSource::new(vec![C32::new(0.5, 0.0); 1000]));
/// let sink = SigmfSink::<C32>::create(dir.join("tone"), SampleFormat::CS16, Some(48_000.0), Some(433.92e6))?;
/// let sink = graph.add("sink", sink);
/// graph.connect(source.output, sink.input);
/// graph.run()?;
/// let recording = Recording::open(dir.join("tone"))?;
/// assert_eq!((recording.samples(), recording.center_hz()), (1000, Some(433.92e6)));
/// # std::fs::remove_dir_all(&dir)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct SigmfSink<T: FileItem> {
    #[port("in")]
    input: In<T>,
    #[port]
    annotations: MsgIn,
    /// The index of the item that is sample 0.
    first: Option<u64>,
    path: PathBuf,
    format: SampleFormat,
    rate_hz: Option<f64>,
    /// The capture that the next sample belongs to.
    capture: Capture,
    clock: StreamClock,
    /// The first sample of which a tag says rate, frequency, time or a gap.
    described_from: Option<u64>,
    /// How many samples are missing so far; `None` behind a gap of unknown length.
    missing: Option<f64>,
    /// When the metadata were written last, and whether there is more to say.
    published: Instant,
    has_news: bool,
    /// Whether files that are there may be replaced.
    overwrites: bool,
    writer: Option<RecordingWriter>,
    bytes: Vec<u8>,
    _claims: [Claim; 2],
}

impl<T: FileItem> SigmfSink<T> {
    /// Writes `X.sigmf-data` and `X.sigmf-meta` for the path `X`, either of them, or `X.sigmf`.
    ///
    /// # Errors
    /// [`Error::Exists`] where one of the files is there already; those of
    /// [`create_or_replace`](Self::create_or_replace).
    pub fn create(
        path: impl AsRef<Path>,
        format: SampleFormat,
        rate_hz: Option<f64>,
        center_hz: Option<f64>,
    ) -> Result<Self, Error> {
        let mut sink = SigmfSink::create_or_replace(path, format, rate_hz, center_hz)?;
        sink.overwrites = false;
        sink.expect_new()?;
        Ok(sink)
    }

    /// As [`create`](Self::create); a recording that is there already is replaced when the graph begins to run.
    ///
    /// # Errors
    /// [`Error::WrongItem`] where the format cannot be made of `T`; [`Error::Sigmf`] where the rate is not from 1 Hz to
    /// 10¹² Hz; [`Error::Io`] where a file cannot be made there; [`Error::InUse`] where another block reads or writes it.
    pub fn create_or_replace(
        path: impl AsRef<Path>,
        format: SampleFormat,
        rate_hz: Option<f64>,
        center_hz: Option<f64>,
    ) -> Result<Self, Error> {
        let path = path.as_ref().to_owned();
        item::expect::<T>(&path, format)?;
        let (capture, claims) = claim(&path, format, rate_hz, center_hz)?;
        let (writer, bytes) = (None, Vec::new());
        Ok(SigmfSink {
            input: In::new().min(0),
            annotations: MsgIn::new(),
            first: None,
            path,
            format,
            rate_hz,
            capture,
            described_from: None,
            clock: StreamClock::new(),
            missing: Some(0.0),
            published: Instant::now(),
            has_news: false,
            overwrites: true,
            writer,
            bytes,
            _claims: claims,
        })
    }

    /// Refuses to replace what it was not told to.
    fn expect_new(&self) -> Result<(), Error> {
        let paths = RecordingWriter::paths(&self.path);
        match paths.into_iter().find(|path| !self.overwrites && path.exists()) {
            Some(path) => Err(Error::Exists { path }),
            None => Ok(()),
        }
    }

    /// Brings the files up to date, if the last time is long enough ago.
    fn publish(&mut self) -> Result<(), Error> {
        if self.published.elapsed() >= PUBLISH_EVERY {
            let start = Instant::now();
            match std::mem::take(&mut self.has_news) {
                true => self.writer()?.publish()?,
                false => self.writer()?.flush()?,
            }
            // Long metadata take a while: most of the time is for samples.
            self.published = start + 9 * start.elapsed();
        }
        Ok(())
    }

    /// The writer, which is made by the first call, with metadata of no samples.
    fn writer(&mut self) -> Result<&mut RecordingWriter, Error> {
        let writer = match self.writer.take() {
            Some(writer) => writer,
            None => {
                self.expect_new()?;
                let mut writer = RecordingWriter::create(&self.path, self.format, self.rate_hz)?;
                writer.capture(self.capture.clone())?;
                writer.publish()?;
                writer
            }
        };
        Ok(self.writer.insert(writer))
    }

    /// Makes annotations of the messages that have come.
    fn annotate(&mut self) -> Result<(), Error> {
        let first = self.first.unwrap_or(0);
        while let Some(message) = self.annotations.recv() {
            let entries = message.into_meta();
            let index = entries.get("sample_index").and_then(Value::as_u64);
            if let Some(at) = index.and_then(|index| index.checked_sub(first)) {
                self.writer()?.annotate(annotation::of_message(at, &entries));
                self.has_news = true;
            }
        }
        Ok(())
    }

    /// Puts what a tag says into the metadata.
    fn note(&mut self, tag: &Tag) -> Result<(), BlockError> {
        let refused = |wanted: &str| {
            Err(format!("the tag {} at sample {} is {}, not {wanted}", tag.key, tag.index, tag.value).into())
        };
        self.clock.note(tag);
        let at = tag.index.saturating_sub(self.first.unwrap_or(0));
        if matches!(&*tag.key, "rx_rate" | "rx_freq" | "rx_time" | GAP) {
            self.described_from.get_or_insert(at);
        }
        let had_news = std::mem::replace(&mut self.has_news, true);
        let missing = self.missing;
        let begin = |capture: &Capture| Capture {
            sample_start: at,
            datetime: capture.datetime.clone().filter(|_| capture.sample_start == at),
            // Without a gap so far it equals the sample's index, which is the default.
            global_index: missing
                .filter(|missing| *missing > 0.0)
                .map(|missing| at.saturating_add(missing as u64)),
            ..capture.clone()
        };
        match &*tag.key {
            "rx_rate" => match tag.value.as_f64() {
                Some(hz) if (1.0..=1e12).contains(&hz) => {
                    let rate_hz = *self.rate_hz.get_or_insert(hz);
                    if rate_hz != hz {
                        tracing::warn!(
                            "the rate changes to {hz} Hz at sample {}, the recording says {rate_hz} Hz",
                            tag.index
                        );
                    }
                    self.writer()?.meta_mut().global.sample_rate_hz = Some(rate_hz);
                    return Ok(());
                }
                _ => return refused("a rate from 1 Hz to 10¹² Hz"),
            },
            "rx_freq" => match tag.value.as_f64() {
                Some(hz) if self.capture.frequency_hz == Some(hz) => return Ok(()),
                Some(hz) if hz.abs() <= 1e12 && self.is_first_centre(at) => {
                    self.capture.frequency_hz = Some(hz);
                    let captures = &mut self.writer()?.meta_mut().captures;
                    captures.iter_mut().for_each(|capture| capture.frequency_hz = Some(hz));
                    return Ok(());
                }
                Some(hz) if hz.abs() <= 1e12 => {
                    self.capture = Capture { frequency_hz: Some(hz), ..begin(&self.capture) };
                }
                _ => return refused("a frequency within ±10¹² Hz"),
            },
            "rx_time" => {
                let text = tag.value.as_str().filter(|time| datetime::is_valid(time)).map(str::to_owned);
                let time = match tag.value.as_str() {
                    Some(_) => text,
                    None => Moment::from_value(&tag.value).and_then(datetime::of_moment),
                };
                let Some(time) = time else { return refused("a time YYYY-MM-DDTHH:MM:SS.sZ") };
                self.capture = Capture { datetime: Some(time), ..begin(&self.capture) };
            }
            GAP => {
                let lost = tag.value.as_f64().filter(|lost| (0.0..1e18).contains(lost));
                if lost.is_none() && tag.value != Value::Null {
                    return refused("a number of samples");
                }
                if self.missing == Some(0.0) && lost.is_some() {
                    // From here on the counts differ: say where the first one began.
                    let first = &mut self.writer()?.meta_mut().captures;
                    first.iter_mut().for_each(|capture| capture.global_index = Some(capture.sample_start));
                }
                self.missing = self.missing.zip(lost).map(|(missing, lost)| missing + lost);
                let global_index = self.missing.map(|missing| at.saturating_add(missing.round() as u64));
                let mut capture = Capture { global_index, ..begin(&self.capture) };
                if capture.datetime.is_none() {
                    capture.datetime = self.clock.time_of(tag.index).and_then(datetime::of_moment);
                }
                self.capture = capture;
            }
            GAP_FILLED => {
                let Some(count) = tag.value.as_f64() else { return refused("a number of samples") };
                let filled = Annotation::new(at, count.round() as u64);
                self.writer()?.annotate(filled.with_label(GAP_FILLED));
                return Ok(());
            }
            "annotation" => {
                let found = annotation::from_value(at, &tag.value);
                let found =
                    found.map_err(|problem| format!("the annotation at sample {}: {problem}", tag.index))?;
                self.writer()?.annotate(found);
                return Ok(());
            }
            _ => {
                self.has_news = had_news;
                return Ok(());
            }
        }
        let capture = self.capture.clone();
        Ok(self.writer()?.capture(capture)?)
    }

    /// Whether a centre that a tag says of this sample is what the samples before it have, too: nothing was said of them.
    fn is_first_centre(&self, at: u64) -> bool {
        self.capture.frequency_hz.is_none() && self.described_from == Some(at)
    }

    /// Ends the recording, if it was begun.
    fn end(&mut self) -> Result<(), Error> {
        let Some(mut writer) = self.writer.take() else { return Ok(()) };
        let samples = writer.samples();
        cut_annotations(writer.meta_mut(), samples);
        writer.finish().map(|_| ())
    }
}

/// The first capture of such a recording, and the claims on its files, where all is as it can be.
fn claim(
    path: &Path,
    format: SampleFormat,
    rate_hz: Option<f64>,
    center_hz: Option<f64>,
) -> Result<(Capture, [Claim; 2]), Error> {
    let capture = Capture { frequency_hz: center_hz, ..Capture::default() };
    let mut meta = Meta::new(format, rate_hz);
    meta.captures = vec![capture.clone()];
    meta.to_json(path)?;
    for file in RecordingWriter::paths(path) {
        expect_new_file(&file)?;
    }
    let [meta_path, data_path] = RecordingWriter::paths(path);
    Ok((capture, [Claim::writing(&meta_path)?, Claim::writing(&data_path)?]))
}

impl<T: FileItem> Work for SigmfSink<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        // The files are there before the first samples, which may be a while in coming.
        self.writer()?;
        let index = self.input.index();
        self.first.get_or_insert(index);
        self.annotate()?;
        if self.input.available() == 0 {
            return Ok(Step::NeedInput);
        }
        for tag in self.input.tags() {
            self.note(&tag)?;
        }
        self.bytes.clear();
        T::to_bytes(self.format, self.input.peek(), &mut self.bytes);
        let bytes = std::mem::take(&mut self.bytes);
        if let Err(error) = self.writer()?.write_bytes(&bytes) {
            self.writer = None;
            return Err(error.into());
        }
        self.bytes = bytes;
        self.input.consume(self.input.available());
        if let Err(error) = self.publish() {
            self.writer = None;
            return Err(error.into());
        }
        Ok(Step::Ran)
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.writer()?;
        self.annotate()?;
        self.end()?;
        Ok(Step::Done)
    }
}

impl<T: FileItem> Drop for SigmfSink<T> {
    fn drop(&mut self) {
        if let Err(error) = self.end() {
            tracing::error!("{error}");
        }
    }
}

/// How files and the command line find [`SigmfSink`].
pub const ENTRY: Entry = Entry {
    name: "sigmf_sink",
    category: "sinks",
    summary: "Samples into a SigMF recording, with their tags as captures and annotations.",
    params: &[
        required("path", Kind::Path, "", "X for the files X.sigmf-data and X.sigmf-meta."),
        required("format", Kind::Text, "", "How samples are stored, such as cu8, ci16_le or cf32_le."),
        optional(
            "input",
            FLOAT_OR_RAW,
            "",
            "\"float\"",
            "float: C32 or f32, full scale 1.0; raw: as stored.",
        ),
        optional(
            "rate_hz",
            Kind::Float(0.0, 1e12),
            "Hz",
            "0",
            "Samples per second; 0: as the tag rx_rate says.",
        ),
        optional(
            "frequency_hz",
            Kind::Float(-1e12, 1e12),
            "Hz",
            "0",
            "The centre frequency at the start; 0: as the tag rx_freq says.",
        )
        .formerly(&["center_hz"]),
        optional("overwrite", Kind::Bool, "", "false", "Whether files that are there already are replaced."),
    ],
    ports: &[
        input("in", "C32, f32 or as stored", "the samples, full scale = 1.0 or as stored"),
        input("annotations", "messages", "maps with sample_index, duration_samples and label or hex"),
    ],
    make: |params| {
        let path = Path::new(params.text("path"));
        let format: SampleFormat = params.text("format").parse()?;
        let (rate_hz, center_hz) = (known(params.float("rate_hz")), known(params.float("frequency_hz")));
        let as_stored = params.text("input") == "raw";
        let overwrites = params.flag("overwrite");
        Ok(block_of_format!(path, format, as_stored, T => match overwrites {
            true => SigmfSink::<T>::create_or_replace(path, format, rate_hz, center_hz)?,
            false => SigmfSink::<T>::create(path, format, rate_hz, center_hz)?,
        }))
    },
};
