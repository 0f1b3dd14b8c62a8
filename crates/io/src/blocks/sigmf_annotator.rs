//! SigMF metadata for a file that exists, made of messages or tags.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use superhet_runtime::catalog::{Entry, Kind, input, optional, required};
use superhet_runtime::{AnyBlock, Block, BlockError, Context, In, MsgIn, Step, Value, Work};

use super::annotation::of_message;
use super::in_use::Claim;
use super::item::{FORMAT, format_of, known};
use super::wav_sink::expect_new_file;
use crate::error::Error;
use crate::format::SampleFormat;
use crate::name::NameHints;
use crate::sigmf::{Annotation, Meta, RecordingWriter, write_meta_at};

/// SigMF metadata for a raw recording that exists: one annotation for each message or tag about it.
///
/// A message is a map, or a packet with such metadata; a tag has a map as its value, and others say nothing here. Of the
/// stream only the tags are looked at: their items are the recording's.
///
/// | entry | becomes |
/// |---|---|
/// | `sample_index`, whole number; must be there in a message, is the tag's own in a tag | the annotation's first sample |
/// | `duration_samples`, whole number | how many samples; cut at the end of the file |
/// | `label`, else `hex`, text | the label |
/// | `comment`, text, else all other entries that are text or numbers | the comment |
///
/// The samples are not touched. Metadata beside the recording name it in `core:dataset`; elsewhere the recording gets
/// a second name next to them, `X.sigmf-data`: a hard link, or a copy where that cannot be. Another recording
/// of that name is an error, never replaced. The metadata appear when all senders of messages have ended.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | messages | maps or packets; may stay unconnected |
/// | in `tagged` | `f32` | not looked at; may stay unconnected |
///
/// # Errors
/// At run time: a message that is no map or has no sample in the file; [`Error::Sigmf`], [`Error::Io`].
///
/// # Example
///
/// ```
/// use superhet_io::{SampleFormat, blocks::SigmfAnnotator, sigmf::Recording};
/// use superhet_runtime::{Graph, Options, Single, Value};
///
/// # let dir = std::env::temp_dir().join(format!("superhet-doc-annotator-{}", std::process::id()));
/// # std::fs::create_dir_all(&dir)?;
/// let recording = dir.join("modes_2Msps.cu8");
/// std::fs::write(&recording, [127; 2000])?;
/// let annotator = SigmfAnnotator::new(&recording, SampleFormat::CU8, dir.join("modes.sigmf-meta"))?;
///
/// let mut graph = Graph::new();
/// graph.add("annotator", annotator.with_center_hz(1090e6));
/// let running = graph.check()?.start(&Single, &Options::default())?;
/// running.message("annotator.in", Value::map([("sample_index", 700.into()), ("hex", Value::from("5d4d20"))]))?;
/// running.stop();
/// running.wait()?;
///
/// let meta = Recording::open(dir.join("modes"))?.meta().clone();
/// assert_eq!(meta.annotations[0].label.as_deref(), Some("5d4d20"));
/// assert_eq!(meta.global.sample_rate_hz, Some(2e6));
/// # std::fs::remove_dir_all(&dir)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct SigmfAnnotator {
    #[port("in")]
    input: MsgIn,
    #[port]
    tagged: In<f32>,
    recording: PathBuf,
    meta_path: PathBuf,
    /// How many whole samples the recording has.
    samples: u64,
    meta: Meta,
    _claims: [Claim; 2],
}

impl SigmfAnnotator {
    /// Describes `recording`, a file of `format` samples, in the metadata file `output` (`X` or `X.sigmf-meta`).
    ///
    /// Rate, centre frequency and time are those in the file's name, if there are any ([`NameHints`]).
    ///
    /// # Errors
    /// [`Error::Io`] where there is no such recording, or metadata cannot be made there; [`Error::Empty`];
    /// [`Error::InUse`] where the metadata would take the place of the recording.
    pub fn new(
        recording: impl Into<PathBuf>,
        format: SampleFormat,
        output: impl AsRef<Path>,
    ) -> Result<Self, Error> {
        let recording = recording.into();
        let bytes = crate::raw::open_file(&recording)?.1.len();
        if bytes == 0 {
            return Err(Error::Empty { path: recording });
        }
        let [meta_path, _] = RecordingWriter::paths(output.as_ref());
        expect_new_file(&meta_path)?;
        let claims = [Claim::reading(&recording)?, Claim::writing(&meta_path)?];
        let hints = NameHints::from_path(&recording);
        let mut meta = Meta::new(format, hints.sample_rate_hz);
        meta.captures[0].frequency_hz = hints.center_hz;
        meta.captures[0].datetime = hints.datetime;
        let sample_bytes = format.bytes() as u64;
        // What a cut recording has behind its last sample is no sample.
        meta.global.trailing_bytes = Some(bytes % sample_bytes).filter(|bytes| *bytes > 0);
        Ok(SigmfAnnotator {
            input: MsgIn::new(),
            tagged: In::new().min(0).optional(),
            recording,
            meta_path,
            samples: bytes / sample_bytes,
            meta,
            _claims: claims,
        })
    }

    /// Sets samples per second.
    ///
    /// # Errors
    /// [`Error::Sigmf`] unless it is from 1 Hz to 10¹² Hz.
    pub fn with_rate_hz(mut self, rate_hz: f64) -> Result<Self, Error> {
        self.meta.global.sample_rate_hz = Some(rate_hz);
        self.meta.to_json(&self.meta_path)?;
        Ok(self)
    }

    /// Sets the centre frequency in hertz.
    #[must_use]
    pub fn with_center_hz(mut self, center_hz: f64) -> Self {
        if let Some(first) = self.meta.captures.first_mut() {
            first.frequency_hz = Some(center_hz);
        }
        self
    }

    /// The metadata, to fill in author, licence and the like.
    pub fn meta_mut(&mut self) -> &mut Meta {
        &mut self.meta
    }

    fn annotation_of_message(&self, message: Value) -> Result<Annotation, String> {
        let entries = message.into_meta();
        let Some(index) = entries.get("sample_index").and_then(Value::as_u64) else {
            return Err(format!("the message {entries} has no sample_index"));
        };
        self.annotation(index, &entries)
    }

    fn annotation(&self, index: u64, message: &Value) -> Result<Annotation, String> {
        if index >= self.samples {
            let (path, samples) = (self.recording.display(), self.samples);
            return Err(format!("{path} has {samples} samples; a message is about sample {index}"));
        }
        let mut annotation = of_message(index, message);
        annotation.sample_count = annotation.sample_count.map(|count| count.min(self.samples - index));
        Ok(annotation)
    }
}

/// Gives `recording` a second name, by a link or else by a copy, unless the same samples are there already.
fn place(recording: &Path, data_path: &Path) -> Result<(), Error> {
    let failed = |error| Error::io(data_path, "create", error);
    if data_path.exists() {
        return match same(recording, data_path).map_err(failed)? {
            true => Ok(()),
            false => Err(Error::Setting {
                path: data_path.to_owned(),
                parameter: "the file that is there",
                got: "another recording".to_owned(),
                expected: format!("the samples of {}", recording.display()),
            }),
        };
    }
    // A link to a link would break when the folders are moved apart.
    let original = recording.canonicalize().map_err(failed)?;
    match fs::hard_link(&original, data_path) {
        Ok(()) => Ok(()),
        Err(_) => fs::copy(&original, data_path).map(|_| ()).map_err(|error| {
            // A part of a recording is none. Best effort: the first error is the one to report.
            let _ = fs::remove_file(data_path);
            failed(error)
        }),
    }
}

/// Whether two files hold the same bytes.
fn same(a: &Path, b: &Path) -> std::io::Result<bool> {
    let (a, b) = (File::open(a)?, File::open(b)?);
    if a.metadata()?.len() != b.metadata()?.len() {
        return Ok(false);
    }
    let (mut a, mut b) = (BufReader::new(a), BufReader::new(b));
    loop {
        let (x, y) = (a.fill_buf()?, b.fill_buf()?);
        let n = x.len().min(y.len());
        if x[..n] != y[..n] {
            return Ok(false);
        }
        if n == 0 {
            return Ok(x.len() == y.len());
        }
        a.consume(n);
        b.consume(n);
    }
}

impl Work for SigmfAnnotator {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        while let Some(message) = self.input.recv() {
            let annotation = self.annotation_of_message(message)?;
            self.meta.annotations.push(annotation);
        }
        let n = self.tagged.available();
        for tag in self.tagged.tags().iter().filter(|tag| matches!(tag.value, Value::Map(_))) {
            let annotation = self.annotation(tag.index, &tag.value)?;
            self.meta.annotations.push(annotation);
        }
        self.tagged.consume(n);
        Ok(if n > 0 { Step::Ran } else { Step::NeedInput })
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let folder = |path: &Path| path.parent().map(|folder| Path::new(".").join(folder).canonicalize());
        let together = match (folder(&self.recording), folder(&self.meta_path)) {
            (Some(Ok(a)), Some(Ok(b))) => a == b,
            _ => false,
        };
        let data_path = if together {
            self.recording.clone()
        } else {
            let data_path = self.meta_path.with_extension("sigmf-data");
            place(&self.recording, &data_path)?;
            data_path
        };
        write_meta_at(&self.meta_path, &data_path, std::mem::take(&mut self.meta))?;
        Ok(Step::Done)
    }
}

/// How files and the command line find [`SigmfAnnotator`].
pub const ENTRY: Entry = Entry {
    name: "sigmf_annotator",
    category: "sinks",
    summary: "SigMF metadata for a raw recording that exists: one annotation for each message or tag about it.",
    params: &[
        required("path", Kind::Path, "", "The recording."),
        required("output", Kind::Path, "", "The metadata to write, X or X.sigmf-meta."),
        FORMAT,
        optional(
            "rate_hz",
            Kind::Float(0.0, 1e12),
            "Hz",
            "0",
            "Samples per second; 0: as the file's name says.",
        ),
        optional(
            "frequency_hz",
            Kind::Float(-1e12, 1e12),
            "Hz",
            "0",
            "The centre frequency; 0: as the file's name says.",
        )
        .formerly(&["center_hz"]),
    ],
    ports: &[
        input("in", "messages", "maps with sample_index, duration_samples and label or hex"),
        input("tagged", "f32", "a stream whose tags are such maps"),
    ],
    make: |params| {
        let path = Path::new(params.text("path"));
        let mut annotator = SigmfAnnotator::new(path, format_of(params, path)?, params.text("output"))?;
        if let Some(rate_hz) = known(params.float("rate_hz")) {
            annotator = annotator.with_rate_hz(rate_hz)?;
        }
        if let Some(center_hz) = known(params.float("frequency_hz")) {
            annotator = annotator.with_center_hz(center_hz);
        }
        Ok(AnyBlock::new(annotator))
    },
};
