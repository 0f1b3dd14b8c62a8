//! Samples out of any stream of bytes: a file, a pipe, part of a recording.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use crate::C32;
use crate::decode::{Decoder, Progress};
use crate::error::Error;
use crate::format::SampleFormat;

/// How many bytes are asked of the stream at once.
const BUFFER_BYTES: usize = 64 * 1024;

/// Reads samples of one format, block by block, without loading the file.
///
/// A read returns what is there, at least one sample and at most the room, like [`Read::read`]; 0 is the end
/// (or no room). A stream that ends in mid-sample first gives every whole sample, then
/// [`Error::CutSample`]; a file that became shorter since it was opened, [`Error::Shrank`].
///
/// # Example
///
/// ```
/// use superhet_io::{SampleFormat, SampleReader};
///
/// let path = std::env::temp_dir().join(format!("superhet-doc-raw-{}.s16", std::process::id()));
/// std::fs::write(&path, [0x00, 0x40, 0x00, 0xc0]).unwrap();
/// let mut reader = SampleReader::open(&path, SampleFormat::S16)?;
/// let mut samples = [0.0; 8];
/// assert_eq!(reader.read_f32(&mut samples)?, 2);
/// assert_eq!(samples[..2], [0.5, -0.5]);
/// assert_eq!(reader.read_f32(&mut samples)?, 0);
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), superhet_io::Error>(())
/// ```
#[derive(Debug)]
pub struct SampleReader<R> {
    input: R,
    decoder: Decoder,
    buffer: Box<[u8]>,
    /// Bytes of `buffer` that are read and not yet decoded.
    filled: std::ops::Range<usize>,
    /// How many samples there were when the file was opened; 0 where nobody knows.
    promised: u64,
}

impl SampleReader<File> {
    /// Opens a raw file, pipe or device.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if it cannot be opened or is a directory, [`Error::Empty`] if it is a file without a
    /// byte.
    pub fn open(path: impl Into<PathBuf>, format: SampleFormat) -> Result<Self, Error> {
        let path = path.into();
        let (file, meta) = open(&path)?;
        if meta.is_file() && meta.len() == 0 {
            return Err(Error::Empty { path });
        }
        let samples = if meta.is_file() { meta.len() / format.bytes() as u64 } else { 0 };
        Ok(Self::new(file, path, format).promising(samples))
    }
}

impl<R: Read> SampleReader<R> {
    /// Reads from any stream; `path` is only for error messages.
    pub fn new(input: R, path: impl Into<PathBuf>, format: SampleFormat) -> Self {
        Self {
            input,
            decoder: Decoder::new(format, path),
            buffer: vec![0; BUFFER_BYTES].into_boxed_slice(),
            filled: 0..0,
            promised: 0,
        }
    }

    /// Takes an end before so many samples for a file that became shorter.
    pub(crate) fn promising(self, samples: u64) -> Self {
        SampleReader { promised: samples, ..self }
    }

    /// Returns the format that is read.
    pub fn format(&self) -> SampleFormat {
        self.decoder.format()
    }

    /// Returns the path that errors name.
    pub fn path(&self) -> &Path {
        self.decoder.path()
    }

    /// Returns how many samples have been read so far.
    pub fn position_samples(&self) -> u64 {
        self.decoder.samples()
    }

    /// Reads real samples, full scale = 1.0, and returns how many; 0 is the end.
    ///
    /// # Errors
    ///
    /// [`Error::WrongShape`] if the format is complex, [`Error::Io`], and at the end [`Error::CutSample`] or
    /// [`Error::Shrank`].
    pub fn read_f32(&mut self, samples: &mut [f32]) -> Result<usize, Error> {
        self.read(samples.len(), |decoder, bytes| decoder.decode_f32(bytes, samples))
    }

    /// Reads complex samples, full scale = 1.0, and returns how many; 0 is the end.
    ///
    /// # Errors
    ///
    /// [`Error::WrongShape`] if the format is real, [`Error::Io`], and at the end [`Error::CutSample`] or
    /// [`Error::Shrank`].
    pub fn read_c32(&mut self, samples: &mut [C32]) -> Result<usize, Error> {
        self.read(samples.len(), |decoder, bytes| decoder.decode_c32(bytes, samples))
    }

    fn read(
        &mut self,
        room: usize,
        mut decode: impl FnMut(&mut Decoder, &[u8]) -> Result<Progress, Error>,
    ) -> Result<usize, Error> {
        loop {
            let progress = decode(&mut self.decoder, &self.buffer[self.filled.clone()])?;
            self.filled.start += progress.bytes;
            if progress.samples > 0 || room == 0 {
                return Ok(progress.samples);
            }
            // Nothing came out though there was room: the buffer is used up.
            let is_early = self.decoder.samples() < self.promised;
            match self.input.read(&mut self.buffer) {
                Ok(0) if is_early => return Err(self.shrank()),
                Ok(0) => return self.decoder.finish().map(|_| 0),
                Ok(n) => self.filled = 0..n,
                Err(e) if e.kind() == ErrorKind::Interrupted => self.filled = 0..0,
                Err(e) if e.kind() == ErrorKind::UnexpectedEof && is_early => return Err(self.shrank()),
                Err(e) => return Err(Error::io(self.decoder.path(), "read", e)),
            }
        }
    }

    fn shrank(&self) -> Error {
        let (path, got) = (self.path().to_owned(), self.decoder.samples());
        Error::Shrank { path, got, expected: self.promised, unit: "samples" }
    }
}

/// Reads until `bytes` are full or the input ends; how many there are.
pub(crate) fn fill(input: &mut impl Read, bytes: &mut [u8]) -> std::io::Result<usize> {
    let mut got = 0;
    while got < bytes.len() {
        match input.read(&mut bytes[got..]) {
            Ok(0) => break,
            Ok(n) => got += n,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(got)
}

/// Opens what is not a directory.
pub(crate) fn open(path: &Path) -> Result<(File, std::fs::Metadata), Error> {
    let file = File::open(path).map_err(|e| Error::io(path, "open", e))?;
    let meta = file.metadata().map_err(|e| Error::io(path, "open", e))?;
    if meta.is_dir() {
        return Err(Error::io(path, "open", ErrorKind::IsADirectory.into()));
    }
    Ok((file, meta))
}

/// Opens a regular file; never waits, as opening a pipe would.
pub(crate) fn open_file(path: &Path) -> Result<(File, std::fs::Metadata), Error> {
    let meta = std::fs::metadata(path).map_err(|e| Error::io(path, "open", e))?;
    if !meta.is_file() && !meta.is_dir() {
        return Err(Error::NotAFile { path: path.to_owned() });
    }
    open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte a call and is interrupted before each.
    struct Trickle<'a>(&'a [u8], bool);

    impl Read for Trickle<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            self.1 = !self.1;
            if self.1 {
                return Err(ErrorKind::Interrupted.into());
            }
            self.0.read(&mut buffer[..1])
        }
    }

    #[test]
    fn bytes_that_trickle_in_give_the_same_samples() {
        let mut reader = SampleReader::new(Trickle(&[0, 0x40, 0, 0xc0], false), "x", SampleFormat::S16);
        let mut samples = [0.0; 8];
        assert_eq!(reader.read_f32(&mut samples).unwrap(), 1);
        assert_eq!(reader.read_f32(&mut samples[1..]).unwrap(), 1);
        assert_eq!(reader.read_f32(&mut samples).unwrap(), 0);
        assert_eq!(samples[..2], [0.5, -0.5]);
    }

    #[test]
    fn a_cut_file_gives_its_whole_samples_first() {
        let mut reader = SampleReader::new(&[0u8, 0x40, 7][..], "cut.s16", SampleFormat::S16);
        assert_eq!(reader.read_f32(&mut [0.0; 8]).unwrap(), 1);
        assert!(matches!(
            reader.read_f32(&mut [0.0; 8]),
            Err(Error::CutSample { byte_offset: 2, got_bytes: 1, sample_bytes: 2, .. })
        ));
    }

    #[test]
    fn a_file_that_becomes_shorter_gives_what_is_left_and_says_how_much_that_is() {
        let path = std::env::temp_dir().join(format!("superhet-shrinks-{}.cu8", std::process::id()));
        std::fs::write(&path, vec![127; 400_000]).unwrap();
        let mut reader = SampleReader::open(&path, SampleFormat::CU8).unwrap();
        File::options().write(true).open(&path).unwrap().set_len(100_001).unwrap();
        let (mut samples, mut got) = (vec![C32::default(); 1000], 0);
        let error = loop {
            match reader.read_c32(&mut samples) {
                Ok(0) => panic!("it ends as if all was well after {got} samples"),
                Ok(n) => got += n,
                Err(error) => break error.to_string(),
            }
        };
        assert_eq!(got, 50_000);
        assert!(error.ends_with("became shorter while it was read: 50000 of 200000 samples came"), "{error}");
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn missing_files_directories_and_empty_files_are_told_apart() {
        let error = SampleReader::open("/no/such/file.cu8", SampleFormat::CU8).unwrap_err();
        assert!(error.to_string().starts_with("/no/such/file.cu8: cannot open: "), "{error}");
        let error = SampleReader::open(std::env::temp_dir(), SampleFormat::CU8).unwrap_err();
        assert!(error.to_string().contains("directory"), "{error}");
        let path = std::env::temp_dir().join(format!("superhet-empty-{}.cu8", std::process::id()));
        std::fs::write(&path, []).unwrap();
        assert!(matches!(SampleReader::open(&path, SampleFormat::CU8), Err(Error::Empty { .. })));
        std::fs::remove_file(path).unwrap();
    }
}
