//! Writes WAV files.

use std::fs::File;
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::{WavEncoding, WavReader};
use crate::C32;
use crate::error::Error;
use crate::format::Shape;

/// The most bytes of samples, with room left in the 32-bit lengths for the header.
const LIMIT_BYTES: u64 = u32::MAX as u64 - 128;

/// Writes mono (real) or two channels (IQ), integers or 32-bit floats.
///
/// Integers are rounded to the nearest code, ties to even, and saturate; NaN becomes 0. The lengths in the
/// header become true with [`WavWriter::finish`], or as well as can be when the writer is dropped. Where a write fails, they
/// become those of the frames that are in the file, and nothing more can be written.
/// See [`WavReader`](super::WavReader) for an example.
pub struct WavWriter {
    path: PathBuf,
    shape: Shape,
    encoding: WavEncoding,
    frames: u64,
    /// `None` once a write has failed.
    writer: Option<hound::WavWriter<BufWriter<File>>>,
}

impl std::fmt::Debug for WavWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WavWriter").field("path", &self.path).field("frames", &self.frames).finish()
    }
}

impl WavWriter {
    /// Creates the file, or empties it.
    ///
    /// # Errors
    ///
    /// [`Error::WavUnsupported`] for a rate of 0 or one that the header cannot hold; [`Error::Io`].
    pub fn create(
        path: impl Into<PathBuf>,
        sample_rate_hz: u32,
        shape: Shape,
        encoding: WavEncoding,
    ) -> Result<Self, Error> {
        let path = path.into();
        let spec = Self::check(&path, sample_rate_hz, shape, encoding)?;
        let writer = hound::WavWriter::create(&path, spec).map_err(|e| failed(&path, "create", e))?;
        Ok(Self { path, shape, encoding, frames: 0, writer: Some(writer) })
    }

    /// Goes on at the end of a file that was written with the same settings; creates one that is not there.
    ///
    /// # Errors
    ///
    /// As [`create`](Self::create); [`Error::WavUnsupported`] where the file has other settings; [`Error::Io`] where it is no
    /// WAV file.
    pub fn append(
        path: impl Into<PathBuf>,
        sample_rate_hz: u32,
        shape: Shape,
        encoding: WavEncoding,
    ) -> Result<Self, Error> {
        let path = path.into();
        if !path.exists() {
            return Self::create(path, sample_rate_hz, shape, encoding);
        }
        let wanted = Self::check(&path, sample_rate_hz, shape, encoding)?;
        let writer = hound::WavWriter::append(&path).map_err(|e| failed(&path, "append to", e))?;
        if writer.spec() != wanted {
            let (field, got) = ("the file to append to", format!("{:?}", writer.spec()));
            return Err(Error::WavUnsupported {
                path,
                field,
                got,
                supported: "the settings of what is appended",
            });
        }
        let frames = u64::from(writer.duration());
        Ok(Self { path, shape, encoding, frames, writer: Some(writer) })
    }

    /// Checks settings and returns them as the library has them; touches no file.
    pub(crate) fn check(
        path: &Path,
        sample_rate_hz: u32,
        shape: Shape,
        encoding: WavEncoding,
    ) -> Result<hound::WavSpec, Error> {
        let channels = if shape == Shape::Complex { 2 } else { 1 };
        let sample_format = match encoding {
            WavEncoding::F32 => hound::SampleFormat::Float,
            _ => hound::SampleFormat::Int,
        };
        let frame_bytes = u32::from(channels) * encoding.bytes() as u32;
        if sample_rate_hz == 0 || sample_rate_hz.checked_mul(frame_bytes).is_none() {
            let (field, got) = ("the sample rate", format!("{sample_rate_hz} Hz"));
            let supported = "rates from 1 Hz to 2³² bytes per second";
            return Err(Error::WavUnsupported { path: path.to_owned(), field, got, supported });
        }
        let bits_per_sample = 8 * encoding.bytes() as u16;
        Ok(hound::WavSpec { channels, sample_rate: sample_rate_hz, bits_per_sample, sample_format })
    }

    /// Appends real samples, full scale = 1.0.
    ///
    /// # Errors
    ///
    /// [`Error::WrongShape`] if the file is complex; [`Error::WavFull`], before anything of the slice is
    /// written; [`Error::Io`].
    pub fn write_f32(&mut self, samples: &[f32]) -> Result<(), Error> {
        self.write(Shape::Real, samples.len(), samples)
    }

    /// Appends complex samples, full scale = 1.0, I left and Q right.
    ///
    /// # Errors
    ///
    /// As [`WavWriter::write_f32`].
    pub fn write_c32(&mut self, samples: &[C32]) -> Result<(), Error> {
        self.write(Shape::Complex, samples.len(), bytemuck::cast_slice(samples))
    }

    /// Appends frames, whose numbers lie one after the other.
    ///
    /// # Errors
    ///
    /// As [`WavWriter::write_f32`].
    ///
    /// # Panics
    ///
    /// If there is a part of a frame.
    pub fn write_frames(&mut self, values: &[f32]) -> Result<(), Error> {
        let channels = if self.shape == Shape::Complex { 2 } else { 1 };
        assert!(values.len().is_multiple_of(channels), "a part of a frame");
        self.write(self.shape, values.len() / channels, values)
    }

    /// Ends the file and returns how many frames it has.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], also where a write has failed before.
    pub fn finish(mut self) -> Result<u64, Error> {
        let writer = self.writer.take().ok_or_else(|| broken(&self.path))?;
        writer.finalize().map_err(|error| self.breaks(error))?;
        Ok(self.frames)
    }

    /// Ends the file after the samples that are in it, and returns the error of those that are not.
    fn breaks(&mut self, error: hound::Error) -> Error {
        // What the library still has to write fails again.
        self.writer = None;
        // Best effort: the first error is the one to report.
        let _ = end_at_what_is_there(&self.path);
        failed(&self.path, "write", error)
    }

    fn write(&mut self, wanted: Shape, frames: usize, values: &[f32]) -> Result<(), Error> {
        if wanted != self.shape {
            return Err(Error::WrongShape { path: self.path.clone(), wanted, got: self.shape });
        }
        let after = self.frames + frames as u64;
        let numbers = if self.shape == Shape::Complex { 2 } else { 1 };
        if after * numbers * self.encoding.bytes() as u64 > LIMIT_BYTES {
            let (path, frames, limit_bytes) = (self.path.clone(), self.frames, LIMIT_BYTES);
            return Err(Error::WavFull { path, frames, limit_bytes });
        }
        let bits = 8 * self.encoding.bytes() as i32;
        let (full_scale, most) = (2f32.powi(bits - 1), i32::MAX >> (32 - bits));
        let Some(writer) = &mut self.writer else { return Err(broken(&self.path)) };
        let written = values.iter().try_for_each(|&value| {
            if self.encoding == WavEncoding::F32 {
                writer.write_sample(value)
            } else {
                let code = (value * full_scale).round_ties_even() as i32;
                writer.write_sample(code.clamp(-most - 1, most))
            }
        });
        written.map_err(|error| self.breaks(error))?;
        self.frames = after;
        Ok(())
    }
}

/// Makes the lengths in the header those of the whole frames in the file, which ends with them.
fn end_at_what_is_there(path: &Path) -> Result<(), Error> {
    let header = WavReader::open_lenient(path)?.header().clone();
    let cut = || -> std::io::Result<()> {
        let mut file = File::options().write(true).open(path)?;
        let there = file.metadata()?.len().saturating_sub(header.data_offset);
        let data_bytes = there - there % header.frame_bytes() as u64;
        file.set_len(header.data_offset + data_bytes)?;
        // As long as the writer lets a file become, the lengths fit.
        for (at, length) in [(4, header.data_offset + data_bytes - 8), (header.data_offset - 4, data_bytes)] {
            file.seek(SeekFrom::Start(at))?;
            file.write_all(&u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes())?;
        }
        Ok(())
    };
    cut().map_err(|e| Error::io(path, "write", e))
}

fn broken(path: &Path) -> Error {
    Error::io(path, "write", std::io::Error::other("a write has failed before"))
}

fn failed(path: &Path, action: &'static str, error: hound::Error) -> Error {
    let source = match error {
        hound::Error::IoError(e) => e,
        other => std::io::Error::other(other),
    };
    Error::io(path, action, source)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wav::WavReader;

    fn path(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("superhet-wavwriter-{}-{name}.wav", std::process::id()))
    }

    #[test]
    fn what_is_written_reads_back() {
        let path = path("back");
        let real = [0.0, 0.5, -1.0, 1.0, f32::NAN, 7.0];
        let mut writer = WavWriter::create(&path, 48_000, Shape::Real, WavEncoding::S16).unwrap();
        writer.write_f32(&real[..2]).unwrap();
        writer.write_f32(&real[2..]).unwrap();
        assert_eq!(writer.finish().unwrap(), 6);
        let mut read = [0.0; 8];
        assert_eq!(WavReader::open(&path).unwrap().read_f32(&mut read).unwrap(), 6);
        let top = 32767.0 / 32768.0;
        assert_eq!(read[..6], [0.0, 0.5, -1.0, top, 0.0, top]);

        let iq = [C32::new(0.1, -0.2), C32::new(3.0, f32::MIN_POSITIVE)];
        let mut writer = WavWriter::create(&path, 2_400_000, Shape::Complex, WavEncoding::F32).unwrap();
        writer.write_c32(&iq).unwrap();
        writer.finish().unwrap();
        let mut read = [C32::default(); 4];
        assert_eq!(WavReader::open(&path).unwrap().read_c32(&mut read).unwrap(), 2);
        assert_eq!(read[..2], iq);
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn every_encoding_rounds_to_its_nearest_code_and_saturates() {
        let path = path("codes");
        for (encoding, bits) in
            [(WavEncoding::U8, 8), (WavEncoding::S16, 16), (WavEncoding::S24, 24), (WavEncoding::S32, 32)]
        {
            let values = [0.0, 0.3, -0.7, -1.0, 1.0, 9.0, -9.0, f32::NAN, f32::INFINITY];
            let mut writer = WavWriter::create(&path, 8000, Shape::Real, encoding).unwrap();
            writer.write_f32(&values).unwrap();
            writer.finish().unwrap();
            let mut read = [0.0; 16];
            assert_eq!(WavReader::open(&path).unwrap().read_f32(&mut read).unwrap(), values.len());
            let step = 2f64.powi(1 - bits);
            for (got, value) in read.into_iter().zip(values) {
                let wanted = if value.is_nan() { 0.0 } else { f64::from(value).clamp(-1.0, 1.0 - step) };
                assert!((f64::from(got) - wanted).abs() <= 0.5 * step + 1e-7, "{encoding} {value}: {got}");
            }
        }
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn what_is_appended_follows_what_was_there() {
        let path = path("append");
        for part in [[0.25, -0.5], [0.75, 0.125]] {
            let mut writer = WavWriter::append(&path, 8000, Shape::Complex, WavEncoding::S24).unwrap();
            writer.write_frames(&part).unwrap();
            writer.finish().unwrap();
        }
        let mut reader = WavReader::open(&path).unwrap();
        let mut read = [0.0; 5];
        for _ in 0..2 {
            assert_eq!(reader.read_frames(&mut read).unwrap(), 2);
            assert_eq!(read[..4], [0.25, -0.5, 0.75, 0.125]);
            reader.rewind().unwrap();
        }
        for (rate, shape) in [(8001, Shape::Complex), (8000, Shape::Real)] {
            let refused = WavWriter::append(&path, rate, shape, WavEncoding::S24);
            assert!(matches!(refused, Err(Error::WavUnsupported { .. })));
        }
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn what_cannot_be_written_is_refused() {
        let path = path("refused");
        for (rate, encoding) in [(0, WavEncoding::S16), (u32::MAX, WavEncoding::S16)] {
            let result = WavWriter::create(&path, rate, Shape::Complex, encoding);
            assert!(matches!(result, Err(Error::WavUnsupported { .. })), "{rate} {encoding}");
        }
        let mut writer = WavWriter::create(&path, 8000, Shape::Complex, WavEncoding::S16).unwrap();
        assert!(matches!(writer.write_f32(&[0.0]), Err(Error::WrongShape { .. })));
        drop(writer);
        assert_eq!(WavReader::open(&path).unwrap().header().frames, 0);
        std::fs::remove_file(path).unwrap();
    }
}
