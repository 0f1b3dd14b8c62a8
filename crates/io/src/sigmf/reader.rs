//! Opens recordings: two files, one archive, or a data file of another program.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha512};

use super::layout::{self, Segment};
use super::meta::Meta;
use super::problem::Problem;
use super::tar::{self, Entry};
use crate::error::Error;
use crate::format::SampleFormat;
use crate::raw::{self, SampleReader};

/// The most bytes of metadata that are read: those of a million annotations. Parsed, they take many times as much memory.
const MAX_META_BYTES: u64 = 256 << 20;

/// A recording that was opened and checked; see [`sigmf`](crate::sigmf) for an example.
#[derive(Debug, Clone)]
pub struct Recording {
    meta: Meta,
    meta_path: PathBuf,
    format: SampleFormat,
    data: Option<Data>,
    segments: Vec<Segment>,
    samples: u64,
    problems: Vec<Problem>,
}

/// The bytes of the data file, which may be a part of an archive.
#[derive(Debug, Clone)]
struct Data {
    path: PathBuf,
    byte_start: u64,
    bytes: u64,
}

impl Recording {
    /// Opens `X.sigmf-meta`, `X.sigmf-data`, an archive `X.sigmf`, or `X`, whichever of them there is.
    ///
    /// An archive must hold exactly one recording. The samples are not read, so this is quick; whether they
    /// are those that were recorded says [`Recording::verify_sha512`].
    ///
    /// # Errors
    ///
    /// [`Error::Sigmf`] with every mistake in the metadata, and between them and the data. [`Error::NotARecording`], also
    /// for more than 256 MiB of metadata. [`Error::Json`], [`Error::Archive`], [`Error::Io`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let recording = Self::open_lenient(path)?;
        if recording.problems.is_empty() {
            Ok(recording)
        } else {
            Err(Error::Sigmf { path: recording.meta_path, problems: recording.problems })
        }
    }

    /// Opens a recording even if its parts do not fit each other; [`Recording::problems`] lists the mistakes.
    ///
    /// Of data that are cut in mid-sample the whole samples are read.
    ///
    /// # Errors
    ///
    /// Those of [`Recording::open`]; [`Error::Sigmf`] only if a field cannot be understood.
    pub fn open_lenient(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        match path.extension().and_then(|e| e.to_str()) {
            Some("sigmf-meta") => Self::open_files(path),
            Some("sigmf-data") => Self::open_files(&path.with_extension("sigmf-meta")),
            Some("sigmf") => Self::open_archive(path),
            Some("sigmf-collection") => Err(Error::NotARecording {
                path: path.to_owned(),
                message: "it is a collection; open its recordings one by one".to_owned(),
            }),
            _ => {
                let (meta, archive) = (appended(path, ".sigmf-meta"), appended(path, ".sigmf"));
                if meta.exists() {
                    Self::open_files(&meta)
                } else if archive.exists() {
                    Self::open_archive(&archive)
                } else {
                    let message = format!("neither {} nor {} exists", meta.display(), archive.display());
                    Err(Error::NotARecording { path: path.to_owned(), message })
                }
            }
        }
    }

    fn open_files(meta_path: &Path) -> Result<Self, Error> {
        let (mut file, length) = raw::open_file(meta_path)?;
        let json = read_meta(&mut file, length.len(), meta_path)?;
        let meta = Meta::from_json(&json, meta_path)?;
        let path = match &meta.global.dataset {
            Some(name) => meta_path.with_file_name(name),
            None => meta_path.with_extension("sigmf-data"),
        };
        let data = match raw::open_file(&path) {
            Ok((_, file)) => Some(Data { path, byte_start: 0, bytes: file.len() }),
            Err(Error::Io { source, .. })
                if source.kind() == ErrorKind::NotFound && meta.global.metadata_only == Some(true) =>
            {
                None
            }
            Err(error) => return Err(error),
        };
        Self::new(meta, meta_path.to_owned(), data)
    }

    fn open_archive(path: &Path) -> Result<Self, Error> {
        let (mut file, archive) = raw::open_file(path)?;
        let entries = tar::entries(&mut file, archive.len(), path)?;
        let fail = |message: String| Error::NotARecording { path: path.to_owned(), message };
        let metas: Vec<&Entry> = entries.iter().filter(|e| e.name.ends_with(".sigmf-meta")).collect();
        let [entry] = metas[..] else {
            let names: Vec<&str> = metas.iter().take(5).map(|e| e.name.as_str()).collect();
            return Err(fail(match metas.len() {
                0 => "the archive holds no .sigmf-meta file".to_owned(),
                n => format!("the archive holds {n} recordings ({}), not one", names.join(", ")),
            }));
        };
        let inner = path.join(&entry.name);
        file.seek(SeekFrom::Start(entry.byte_start)).map_err(|e| Error::io(path, "read", e))?;
        let json = read_meta(&mut file, entry.bytes, &inner)?;
        let meta = Meta::from_json(&json, &inner)?;

        let member = Path::new(&entry.name);
        let member = match &meta.global.dataset {
            Some(name) => member.with_file_name(name),
            None => member.with_extension("sigmf-data"),
        };
        let found = entries.iter().find(|e| Path::new(&e.name) == member);
        if found.is_none() && meta.global.metadata_only != Some(true) {
            return Err(fail(format!("the archive holds no {}", member.display())));
        }
        let data = found.map(|e| Data { path: path.to_owned(), byte_start: e.byte_start, bytes: e.bytes });
        Self::new(meta, inner, data)
    }

    fn new(meta: Meta, meta_path: PathBuf, data: Option<Data>) -> Result<Self, Error> {
        let format = meta.format()?;
        let data_bytes = data.as_ref().map(|data| data.bytes);
        let problems = meta.check(data_bytes);
        let layout = data_bytes.map(|bytes| layout::of(&meta, bytes)).unwrap_or_default();
        let (segments, samples) = (layout.segments, layout.samples);
        Ok(Recording { meta, meta_path, format, data, segments, samples, problems })
    }

    /// Returns the metadata.
    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    /// Returns the path of the metadata; in an archive, the archive's path and the member's name.
    pub fn meta_path(&self) -> &Path {
        &self.meta_path
    }

    /// Returns the path of the data file or archive; `None` if the recording is metadata only.
    pub fn data_path(&self) -> Option<&Path> {
        self.data.as_ref().map(|data| data.path.as_path())
    }

    /// Returns the sample format.
    pub fn format(&self) -> SampleFormat {
        self.format
    }

    /// Returns how many channels are interleaved, ≥ 1.
    pub fn channels(&self) -> u64 {
        self.meta.channels()
    }

    /// Returns samples per second.
    pub fn sample_rate_hz(&self) -> Option<f64> {
        self.meta.global.sample_rate_hz
    }

    /// Returns the centre frequency in Hz of the first capture.
    pub fn center_hz(&self) -> Option<f64> {
        self.meta.captures.first().and_then(|capture| capture.frequency_hz)
    }

    /// Returns how many samples there are, all channels of one instant counted once.
    pub fn samples(&self) -> u64 {
        self.samples
    }

    /// Returns where the samples lie, in order.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Returns how the parts of a recording that was opened leniently do not fit each other.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Compares the SHA-512 of the data file with the one in the metadata; `false` if there is none.
    ///
    /// Reads the whole data file, in blocks.
    ///
    /// # Errors
    ///
    /// [`Error::HashMismatch`], [`Error::NoData`], [`Error::Io`].
    pub fn verify_sha512(&self) -> Result<bool, Error> {
        let data = self.data()?;
        let Some(expected) = &self.meta.global.sha512 else { return Ok(false) };
        let mut bytes = SegmentBytes::open(data, vec![(data.byte_start, data.bytes)])?;
        let (got, _) = sha512_hex(&mut bytes).map_err(|e| Error::io(&data.path, "read", e))?;
        if got.eq_ignore_ascii_case(expected) {
            return Ok(true);
        }
        Err(Error::HashMismatch { path: data.path.clone(), expected: expected.clone(), got })
    }

    /// Reads the samples from the first on, headers and trailing bytes left out.
    ///
    /// The samples of several channels come interleaved, as they are stored: with C channels the reader's
    /// n-th item is channel `n % C` at instant `n / C`.
    ///
    /// # Errors
    ///
    /// [`Error::NoData`], [`Error::Io`].
    pub fn reader(&self) -> Result<SampleReader<SegmentBytes>, Error> {
        let reader = SampleReader::new(self.sample_bytes()?, &self.data()?.path, self.format);
        Ok(reader.promising(self.samples.saturating_mul(self.channels())))
    }

    /// Reads the samples as they are stored; see [`Recording::reader`].
    ///
    /// # Errors
    ///
    /// [`Error::NoData`], [`Error::Io`].
    pub fn sample_bytes(&self) -> Result<SegmentBytes, Error> {
        let data = self.data()?;
        let sample_bytes = self.channels().saturating_mul(self.format.bytes() as u64);
        let range = |s: &Segment| {
            (data.byte_start.saturating_add(s.byte_start), s.samples.saturating_mul(sample_bytes))
        };
        let ranges = self.segments.iter().map(range);
        SegmentBytes::open(data, ranges.collect())
    }

    fn data(&self) -> Result<&Data, Error> {
        self.data.as_ref().ok_or_else(|| Error::NoData { path: self.meta_path.clone() })
    }
}

/// The next `bytes` bytes, which are to be metadata. What a sparse file claims to hold is never allocated for.
fn read_meta(file: &mut File, bytes: u64, path: &Path) -> Result<Vec<u8>, Error> {
    if bytes > MAX_META_BYTES {
        let message = format!("{bytes} bytes of metadata, at most {MAX_META_BYTES} are read");
        return Err(Error::NotARecording { path: path.to_owned(), message });
    }
    let mut json = Vec::new();
    // Where memory is short this is an error, no abort.
    file.take(bytes).read_to_end(&mut json).map_err(|e| Error::io(path, "read", e))?;
    let (got, unit) = (json.len() as u64, "bytes");
    if got < bytes {
        return Err(Error::Shrank { path: path.to_owned(), got, expected: bytes, unit });
    }
    Ok(json)
}

/// The bytes of a recording's samples, one run after the other; made by [`Recording::reader`] and
/// [`Recording::sample_bytes`].
#[derive(Debug)]
pub struct SegmentBytes {
    file: File,
    /// Start and length of each run, first one last.
    ranges: Vec<(u64, u64)>,
    /// How many bytes of the present run are left.
    left: u64,
}

impl SegmentBytes {
    fn open(data: &Data, mut ranges: Vec<(u64, u64)>) -> Result<Self, Error> {
        let (file, _) = raw::open_file(&data.path)?;
        ranges.reverse();
        Ok(SegmentBytes { file, ranges, left: 0 })
    }
}

impl Read for SegmentBytes {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        while self.left == 0 {
            let Some((start, bytes)) = self.ranges.pop() else { return Ok(0) };
            self.file.seek(SeekFrom::Start(start))?;
            self.left = bytes;
        }
        let most = self.left.min(buffer.len() as u64) as usize;
        let n = self.file.read(&mut buffer[..most])?;
        if n == 0 && most > 0 {
            // The file was as long as it should when it was opened.
            return Err(ErrorKind::UnexpectedEof.into());
        }
        self.left -= n as u64;
        Ok(n)
    }
}

/// The SHA-512 of everything there is to read, in lower-case hex, and how many bytes that is.
pub(super) fn sha512_hex(input: &mut impl Read) -> std::io::Result<(String, u64)> {
    let (mut hasher, mut bytes) = (Sha512::new(), 0);
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match input.read(&mut buffer) {
            Ok(0) => return Ok((hex(&hasher.finalize()), bytes)),
            Ok(n) => {
                hasher.update(&buffer[..n]);
                bytes += n as u64;
            }
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// `X` and `.sigmf-meta` to `X.sigmf-meta`, also where X has dots.
pub(super) fn appended(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
