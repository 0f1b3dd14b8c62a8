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
/// create ──► write_*, capture, annotate, meta_mut (any number, any order) ──► finish
/// ```
///
/// The samples go to `X.sigmf-data` as they come. `X.sigmf-meta` appears whole with
/// [`RecordingWriter::finish`]; one that was there before is removed at the start, so that metadata never
/// stand beside data that they do not describe. Dropped without `finish`, or after a write that failed, the samples
/// are left without metadata, which [`write_meta`] can still write.
#[derive(Debug)]
pub struct RecordingWriter {
    meta: Meta,
    format: SampleFormat,
    meta_path: PathBuf,
    data_path: PathBuf,
    data: BufWriter<File>,
    hasher: Sha512,
    bytes: u64,
    encoded: Vec<u8>,
    /// A write has failed: nobody knows how much of it is in the file.
    is_broken: bool,
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
        let (data, hasher) = (BufWriter::new(data), Sha512::new());
        let (bytes, encoded, is_broken) = (0, Vec::new(), false);
        Ok(Self { meta, format, meta_path, data_path, data, hasher, bytes, encoded, is_broken })
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
        self.bytes / self.meta.channels().saturating_mul(self.format.bytes() as u64)
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
        self.expect_whole()?;
        if let Err(error) = self.data.write_all(bytes) {
            self.is_broken = true;
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

    /// Ends the recording and returns the path of its metadata.
    ///
    /// Annotations are sorted by their start; those with the same start stay in the order they were added.
    ///
    /// # Errors
    ///
    /// [`Error::Sigmf`] if the metadata do not fit the data, for example an annotation that ends behind them;
    /// [`Error::Io`], also where a write has failed before. The samples are kept in either case.
    pub fn finish(mut self) -> Result<PathBuf, Error> {
        self.expect_whole()?;
        let failed = |e| Error::io(&self.data_path, "write", e);
        self.data.flush().map_err(failed)?;
        self.data.get_ref().sync_all().map_err(failed)?;
        self.meta.global.datatype = self.format.to_string();
        self.meta.global.sha512 = Some(hex(&self.hasher.finalize()));
        checked_write(&self.meta_path, &mut self.meta, self.bytes)?;
        Ok(self.meta_path)
    }

    /// Refuses what would count on all samples being there.
    fn expect_whole(&self) -> Result<(), Error> {
        if self.is_broken {
            let reason = std::io::Error::other("a write has failed before");
            return Err(Error::io(&self.data_path, "write", reason));
        }
        Ok(())
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
    checked_write(meta_path, &mut meta, bytes)
}

/// Sorts the annotations, checks, and writes.
fn checked_write(path: &Path, meta: &mut Meta, data_bytes: u64) -> Result<(), Error> {
    meta.annotations.sort_by_key(|annotation| annotation.sample_start);
    let json = meta.to_json(path)?;
    let problems = meta.check(Some(data_bytes));
    if !problems.is_empty() {
        return Err(Error::Sigmf { path: path.to_owned(), problems });
    }
    write_atomically(path, json.as_bytes())
}

/// Writes a file beside `path` and renames it, so that `path` is always whole.
fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    // Only a name that no other writer has is wanted, so no order with other memory is needed.
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let temporary = appended(path, &format!(".{}-{count}.tmp", std::process::id()));
    let write = || {
        let mut file = File::create(&temporary)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    };
    write().map_err(|e| {
        // Best effort: the first error is the one to report.
        let _ = fs::remove_file(&temporary);
        Error::io(path, "write", e)
    })
}
