//! Writes recordings, and metadata for data that exist already.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use sha2::{Digest, Sha512};

use super::meta::{Annotation, Capture, Meta};
use super::problem::Problem;
use super::reader::{appended, hex, sha512_hex};
use crate::C32;
use crate::encode;
use crate::error::Error;
use crate::format::{SampleFormat, Shape};
use crate::raw;

/// Writes a recording, samples first; see [`sigmf`](crate::sigmf) for an example.
///
/// ```text
/// create ──► write_*, capture, annotate, meta_mut, publish (any number, any order) ──► finish
/// ```
///
/// The samples go to `X.sigmf-data` as they come. `X.sigmf-meta` appears with [`RecordingWriter::publish`], without a
/// checksum, and with [`RecordingWriter::finish`]; one that was there before is removed at the start, so that metadata never
/// stand beside data that they do not describe. Each version of them replaces the one before in one step, and describes no
/// more than what is in the data file: whenever the process is killed, a valid recording is left.
///
/// After a write that failed the data file ends with a whole sample, and the metadata describe what is in it, as far as
/// there is room for them; else those that were published last are left.
#[derive(Debug)]
pub struct RecordingWriter {
    meta: Meta,
    format: SampleFormat,
    meta_path: PathBuf,
    data_path: PathBuf,
    /// None where a write has failed.
    data: Option<BufWriter<File>>,
    hasher: Sha512,
    bytes: u64,
    encoded: Vec<u8>,
}

impl RecordingWriter {
    /// Creates `X.sigmf-data` for the path `X` (or `X.sigmf-meta`, `X.sigmf-data`), or empties it; one that is a hard
    /// link is replaced, so that the other names keep their samples.
    ///
    /// The metadata begin with format, rate and one capture at sample 0 and are filled in with
    /// [`RecordingWriter::meta_mut`].
    ///
    /// # Errors
    ///
    /// [`Error::Sigmf`] if the rate is not from 1 Hz to 10¹² Hz; [`Error::Io`].
    pub fn create(
        path: impl AsRef<Path>,
        format: SampleFormat,
        sample_rate_hz: Option<f64>,
    ) -> Result<Self, Error> {
        let [meta_path, data_path] = Self::paths(path.as_ref());
        let meta = Meta::new(format, sample_rate_hz);
        // A NaN would otherwise show only after the last sample.
        meta.to_json(&meta_path)?;
        match fs::remove_file(&meta_path) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::io(&meta_path, "replace", e));
            }
            _ => {}
        }
        // What other names the file has, as a recording has that was annotated elsewhere, keep its samples.
        if fs::metadata(&data_path).is_ok_and(|meta| meta.is_file() && meta.nlink() > 1) {
            fs::remove_file(&data_path).map_err(|e| Error::io(&data_path, "replace", e))?;
        }
        let data = File::create(&data_path).map_err(|e| Error::io(&data_path, "create", e))?;
        let (data, hasher) = (Some(BufWriter::new(data)), Sha512::new());
        let (bytes, encoded) = (0, Vec::new());
        Ok(Self { meta, format, meta_path, data_path, data, hasher, bytes, encoded })
    }

    /// Returns the paths of metadata and data for the path `X`, either of the two, or `X.sigmf`.
    pub(crate) fn paths(path: &Path) -> [PathBuf; 2] {
        let base = match path.extension().and_then(|e| e.to_str()) {
            Some("sigmf-meta" | "sigmf-data" | "sigmf") => path.with_extension(""),
            _ => path.to_owned(),
        };
        [appended(&base, ".sigmf-meta"), appended(&base, ".sigmf-data")]
    }

    /// Returns the metadata, to fill in centre frequency, author, licence and the like.
    ///
    /// `core:datatype` and `core:sha512` are set again by [`RecordingWriter::finish`].
    pub fn meta_mut(&mut self) -> &mut Meta {
        &mut self.meta
    }

    /// Returns how many samples have been written, all channels of one instant counted once.
    pub fn samples(&self) -> u64 {
        self.bytes / self.sample_bytes()
    }

    /// Appends real samples, full scale = 1.0, several channels interleaved.
    ///
    /// # Errors
    ///
    /// [`Error::WrongShape`] if the recording is complex; [`Error::Io`].
    pub fn write_f32(&mut self, samples: &[f32]) -> Result<(), Error> {
        self.write_numbers(Shape::Real, samples)
    }

    /// Appends complex samples, full scale = 1.0, several channels interleaved.
    ///
    /// # Errors
    ///
    /// [`Error::WrongShape`] if the recording is real; [`Error::Io`].
    pub fn write_c32(&mut self, samples: &[C32]) -> Result<(), Error> {
        self.write_numbers(Shape::Complex, bytemuck::cast_slice(samples))
    }

    /// Appends bytes that are in the recording's format already, cut anywhere.
    ///
    /// # Errors
    ///
    /// [`Error::Io`].
    pub fn write_bytes(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let data = self.data.as_mut().ok_or_else(|| has_failed(&self.data_path))?;
        if let Err(error) = data.write_all(bytes) {
            self.salvage();
            return Err(Error::io(&self.data_path, "write", error));
        }
        self.hasher.update(bytes);
        self.bytes += bytes.len() as u64;
        Ok(())
    }

    /// Begins a capture: from `capture.sample_start` on, its settings hold.
    ///
    /// One that begins where the last one began takes its place, so the first capture can be set this way.
    ///
    /// # Errors
    ///
    /// [`Error::Sigmf`] if it begins before the last one.
    pub fn capture(&mut self, capture: Capture) -> Result<(), Error> {
        let last = self.meta.captures.last().map_or(0, |last| last.sample_start);
        if capture.sample_start < last {
            let at = format!("captures/{}/core:sample_start", self.meta.captures.len());
            let expected = format!("at least {last}, that of the capture before it");
            let problems = vec![Problem::new(at, capture.sample_start.to_string(), expected)];
            return Err(Error::Sigmf { path: self.meta_path.clone(), problems });
        }
        self.meta.captures.pop_if(|last| last.sample_start == capture.sample_start);
        self.meta.captures.push(capture);
        Ok(())
    }

    /// Adds an annotation; in any order, also of samples to come.
    pub fn annotate(&mut self, annotation: Annotation) {
        self.meta.annotations.push(annotation);
    }

    /// Writes what is known so far, without a checksum: samples, then metadata that describe them. Annotations are cut where the
    /// samples end.
    ///
    /// # Errors
    ///
    /// As for [`RecordingWriter::finish`].
    pub fn publish(&mut self) -> Result<(), Error> {
        self.flush()?;
        self.describe(self.bytes)
    }

    /// Hands all samples to the operating system.
    ///
    /// # Errors
    ///
    /// [`Error::Io`].
    pub fn flush(&mut self) -> Result<(), Error> {
        let data = self.data.as_mut().ok_or_else(|| has_failed(&self.data_path))?;
        data.flush().map_err(|error| {
            self.salvage();
            Error::io(&self.data_path, "write", error)
        })
    }

    /// Writes metadata, without a checksum, of so many bytes, which are in the data file.
    fn describe(&self, bytes: u64) -> Result<(), Error> {
        let mut meta = self.meta.clone();
        meta.global.datatype = self.format.to_string();
        meta.global.sha512 = None;
        let samples = bytes / self.sample_bytes();
        meta.captures.retain(|capture| capture.sample_start <= samples);
        cut_annotations(&mut meta, samples);
        checked_write(&self.meta_path, &mut meta, bytes, Durability::Process)
    }

    /// After a write that failed: ends the data file with a whole sample and describes it.
    fn salvage(&mut self) {
        // What is in the buffer is not tried again: it would lie behind what is cut away here.
        let Some((file, _)) = self.data.take().map(BufWriter::into_parts) else { return };
        let Ok(found) = file.metadata() else { return };
        if !found.is_file() {
            return;
        }
        let whole = found.len() - found.len() % self.sample_bytes();
        // Best effort: the error of the write is the one to report.
        if file.set_len(whole).is_ok() {
            let _ = self.describe(whole);
        }
    }

    /// Bytes of a sample of all channels.
    fn sample_bytes(&self) -> u64 {
        self.meta.channels().saturating_mul(self.format.bytes() as u64).max(1)
    }

    /// Ends the recording and returns the path of its metadata.
    ///
    /// Annotations are sorted by their start; those with the same start stay in the order they were added.
    ///
    /// # Errors
    ///
    /// [`Error::Sigmf`] if the metadata do not fit the data, for example an annotation that ends behind them;
    /// [`Error::Io`], also where a write has failed before. The samples are kept in either case.
    pub fn finish(mut self) -> Result<PathBuf, Error> {
        let data = self.data.as_mut().ok_or_else(|| has_failed(&self.data_path))?;
        if let Err(error) = data.flush().and_then(|()| data.get_ref().sync_all()) {
            self.salvage();
            return Err(Error::io(&self.data_path, "write", error));
        }
        self.meta.global.datatype = self.format.to_string();
        self.meta.global.sha512 = Some(hex(&self.hasher.finalize()));
        checked_write(&self.meta_path, &mut self.meta, self.bytes, Durability::Disk)?;
        Ok(self.meta_path)
    }

    fn write_numbers(&mut self, wanted: Shape, values: &[f32]) -> Result<(), Error> {
        let got = self.format.shape();
        if got != wanted {
            return Err(Error::WrongShape { path: self.data_path.clone(), wanted, got });
        }
        let mut encoded = std::mem::take(&mut self.encoded);
        // In parts, so that the bytes of a long slice need no memory of its size.
        let written = values.chunks(16 * 1024).try_for_each(|part| {
            encoded.clear();
            encode::encode_numbers(self.format.number(), self.format.endian(), part, &mut encoded);
            self.write_bytes(&encoded)
        });
        self.encoded = encoded;
        written
    }
}

/// Writes metadata for a data file that exists already, and returns their path.
///
/// For `X.sigmf-data` this is `X.sigmf-meta`. Any other file, `X.cu8` say, becomes a non-conforming dataset:
/// `X.sigmf-meta` names it in `core:dataset`. Metadata that are there are replaced in one step: a reader sees
/// the old or the new, never a part. `core:sha512` is computed, annotations are sorted by their start.
///
/// # Errors
///
/// [`Error::Sigmf`] if `meta` does not fit the data; [`Error::Io`].
///
/// # Example
///
/// ```
/// use superhet_io::SampleFormat;
/// use superhet_io::sigmf::{Annotation, Meta, Recording, write_meta};
///
/// # let dir = std::env::temp_dir().join(format!("superhet-doc-meta-{}", std::process::id()));
/// # std::fs::create_dir_all(&dir).unwrap();
/// let data = dir.join("modes_2Msps.cu8");
/// std::fs::write(&data, [127; 2000]).unwrap();
///
/// let mut meta = Meta::new(SampleFormat::CU8, Some(2e6));
/// meta.captures[0].frequency_hz = Some(1090e6);
/// meta.annotations.push(Annotation::new(700, 240).with_label("DF17"));
/// let path = write_meta(&data, meta)?;
///
/// assert_eq!(path, dir.join("modes_2Msps.sigmf-meta"));
/// assert_eq!(Recording::open(path)?.samples(), 1000);
/// # std::fs::remove_dir_all(&dir).unwrap();
/// # Ok::<(), superhet_io::Error>(())
/// ```
pub fn write_meta(data_path: impl AsRef<Path>, meta: Meta) -> Result<PathBuf, Error> {
    let data_path = data_path.as_ref();
    let meta_path = data_path.with_extension("sigmf-meta");
    write_meta_at(&meta_path, data_path, meta)?;
    Ok(meta_path)
}

/// As [`write_meta`], to a path of its own, which must be in the directory of the data.
pub(crate) fn write_meta_at(meta_path: &Path, data_path: &Path, mut meta: Meta) -> Result<(), Error> {
    let (mut data, _) = raw::open_file(data_path)?;
    if data_path == meta_path.with_extension("sigmf-data") {
        meta.global.dataset = None;
    } else {
        let name = data_path.file_name().unwrap_or_default().to_string_lossy();
        meta.global.dataset = Some(name.into_owned());
    }
    // The metadata describe exactly the bytes that were hashed, even while the file grows or shrinks.
    let (hash, bytes) = sha512_hex(&mut data).map_err(|e| Error::io(data_path, "read", e))?;
    meta.global.sha512 = Some(hash);
    checked_write(meta_path, &mut meta, bytes, Durability::Disk)
}

/// The error of whatever counts on all samples being there.
fn has_failed(path: &Path) -> Error {
    Error::io(path, "write", std::io::Error::other("a write has failed before"))
}

/// Ends annotations where the samples do.
pub(crate) fn cut_annotations(meta: &mut Meta, samples: u64) {
    meta.annotations.retain(|annotation| annotation.sample_start <= samples);
    for annotation in &mut meta.annotations {
        let most = samples - annotation.sample_start;
        annotation.sample_count = annotation.sample_count.map(|count| count.min(most));
    }
}

/// What a file that was written outlives.
#[derive(Clone, Copy, PartialEq)]
enum Durability {
    /// The process.
    Process,
    /// The machine's power, as far as its disk does.
    Disk,
}

/// Sorts the annotations, checks, and writes.
fn checked_write(path: &Path, meta: &mut Meta, data_bytes: u64, durability: Durability) -> Result<(), Error> {
    meta.annotations.sort_by_key(|annotation| annotation.sample_start);
    let json = meta.to_json(path)?;
    let problems = meta.check(Some(data_bytes));
    if !problems.is_empty() {
        return Err(Error::Sigmf { path: path.to_owned(), problems });
    }
    write_atomically(path, json.as_bytes(), durability)
}

/// Writes a file beside `path` and renames it, so that `path` is always whole.
fn write_atomically(path: &Path, bytes: &[u8], durability: Durability) -> Result<(), Error> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    // Only a name that no other writer has is wanted, so no order with other memory is needed.
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let temporary = appended(path, &format!(".{}-{count}.tmp", std::process::id()));
    let write = || {
        let mut file = File::create(&temporary)?;
        file.write_all(bytes)?;
        if durability == Durability::Disk {
            file.sync_all()?;
        }
        fs::rename(&temporary, path)
    };
    write().map_err(|e| {
        // Best effort: the first error is the one to report.
        let _ = fs::remove_file(&temporary);
        Error::io(path, "write", e)
    })
}
