//! Reads the samples of a WAV file, block by block.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, Take};
use std::path::{Path, PathBuf};

use super::header::{self, WavEncoding, WavHeader};
use crate::C32;
use crate::decode::decode_numbers;
use crate::error::Error;
use crate::format::{Endian, Number, Shape};
use crate::raw;

/// Reads a WAV file without loading it whole; see [`wav`](crate::wav) for what is understood.
///
/// # Example
///
/// ```
/// use superhet_io::{C32, Shape, wav::{WavEncoding, WavReader, WavWriter}};
///
/// let path = std::env::temp_dir().join(format!("superhet-doc-wav-{}.wav", std::process::id()));
/// let iq = [C32::new(0.5, -0.25), C32::new(0.0, 1.0)];
/// let mut writer = WavWriter::create(&path, 48_000, Shape::Complex, WavEncoding::F32)?;
/// writer.write_c32(&iq)?;
/// writer.finish()?;
///
/// let reader = WavReader::open(&path)?;
/// assert_eq!((reader.header().sample_rate_hz, reader.header().frames), (48_000, 2));
/// let blocks: Vec<Vec<C32>> = reader.blocks_c32(1)?.collect::<Result<_, _>>()?;
/// assert_eq!(blocks, [[iq[0]], [iq[1]]]);
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), superhet_io::Error>(())
/// ```
#[derive(Debug)]
pub struct WavReader {
    path: PathBuf,
    header: WavHeader,
    problems: Vec<Error>,
    frames_read: u64,
    /// The samples, all of them and nothing else.
    input: BufReader<Take<File>>,
}

impl WavReader {
    /// Opens a file whose header is true in everything it says.
    ///
    /// # Errors
    ///
    /// [`Error::WavHeader`] with the first mistake, [`Error::WavUnsupported`], [`Error::Empty`],
    /// [`Error::Io`].
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, Error> {
        Self::open_checked(path.into(), false)
    }

    /// Opens a file even if its header lies, as long as it says how the samples are stored and where.
    ///
    /// Lengths are cut to what is there, or extended to it where the recorder left them at zero;
    /// [`WavReader::problems`] lists the mistakes.
    ///
    /// # Errors
    ///
    /// Those of [`WavReader::open`], where nothing sensible can be read.
    pub fn open_lenient(path: impl Into<PathBuf>) -> Result<Self, Error> {
        Self::open_checked(path.into(), true)
    }

    fn open_checked(path: PathBuf, lenient: bool) -> Result<Self, Error> {
        let (mut file, meta) = raw::open_file(&path)?;
        let mut problems = Vec::new();
        let header = header::read(&mut file, meta.len(), &path, lenient.then_some(&mut problems))?;
        let seek = file.seek(SeekFrom::Start(header.data_offset));
        seek.map_err(|e| Error::io(&path, "read", e))?;
        let data_bytes = header.frames * header.frame_bytes() as u64;
        let input = BufReader::new(file.take(data_bytes));
        Ok(Self { path, header, problems, frames_read: 0, input })
    }

    /// Returns the header.
    pub fn header(&self) -> &WavHeader {
        &self.header
    }

    /// Returns the path that errors name.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns what was wrong with a file that was opened leniently.
    pub fn problems(&self) -> &[Error] {
        &self.problems
    }

    /// Returns how many frames are still to be read.
    pub fn frames_left(&self) -> u64 {
        self.header.frames - self.frames_read
    }

    /// Reads the next samples of a mono file and returns how many; fewer than the room only at the end.
    ///
    /// # Errors
    ///
    /// [`Error::WrongShape`] if the file has two channels; [`Error::Shrank`] behind the last sample of a file that became
    /// shorter; [`Error::Io`].
    pub fn read_f32(&mut self, samples: &mut [f32]) -> Result<usize, Error> {
        self.expect(Shape::Real)?;
        let n = self.next_block(samples.len());
        self.fill(&mut samples[..n])
    }

    /// Reads the next samples of a two-channel file and returns how many; fewer than the room only at the
    /// end.
    ///
    /// # Errors
    ///
    /// [`Error::WrongShape`] if the file is mono; [`Error::Shrank`] behind the last sample of a file that became shorter;
    /// [`Error::Io`].
    pub fn read_c32(&mut self, samples: &mut [C32]) -> Result<usize, Error> {
        self.expect(Shape::Complex)?;
        let n = self.next_block(samples.len());
        self.fill(bytemuck::cast_slice_mut(&mut samples[..n]))
    }

    /// Reads the next frames, whose numbers lie one after the other, and returns how many; fewer than there is room for only
    /// at the end. Of `values`, a part of a frame is left as it is.
    ///
    /// # Errors
    ///
    /// [`Error::Shrank`] behind the last frame of a file that became shorter; [`Error::Io`].
    pub fn read_frames(&mut self, values: &mut [f32]) -> Result<usize, Error> {
        let channels = usize::from(self.header.channels);
        let n = self.next_block(values.len() / channels);
        self.fill(&mut values[..n * channels])
    }

    /// Goes back to the first frame.
    ///
    /// # Errors
    ///
    /// [`Error::Io`].
    pub fn rewind(&mut self) -> Result<(), Error> {
        let file = self.input.get_ref().get_ref().try_clone();
        let file =
            file.and_then(|mut file| file.seek(SeekFrom::Start(self.header.data_offset)).map(|_| file));
        let file = file.map_err(|e| Error::io(&self.path, "read", e))?;
        self.input = BufReader::new(file.take(self.header.frames * self.header.frame_bytes() as u64));
        self.frames_read = 0;
        Ok(())
    }

    /// Returns an iterator over blocks of `frames` samples of a mono file; the last may be shorter.
    ///
    /// # Errors
    ///
    /// [`Error::WrongShape`] if the file has two channels.
    ///
    /// # Panics
    ///
    /// If `frames == 0`.
    pub fn blocks_f32(self, frames: usize) -> Result<WavBlocks<f32>, Error> {
        self.expect(Shape::Real)?;
        Ok(WavBlocks::new(self, frames, Self::read_f32))
    }

    /// Returns an iterator over blocks of `frames` samples of a two-channel file; the last may be shorter.
    ///
    /// # Errors
    ///
    /// [`Error::WrongShape`] if the file is mono.
    ///
    /// # Panics
    ///
    /// If `frames == 0`.
    pub fn blocks_c32(self, frames: usize) -> Result<WavBlocks<C32>, Error> {
        self.expect(Shape::Complex)?;
        Ok(WavBlocks::new(self, frames, Self::read_c32))
    }

    fn expect(&self, wanted: Shape) -> Result<(), Error> {
        let got = self.header.shape();
        if got == wanted { Ok(()) } else { Err(Error::WrongShape { path: self.path.clone(), wanted, got }) }
    }

    fn next_block(&self, room: usize) -> usize {
        self.frames_left().min(room as u64) as usize
    }

    /// Reads the next `values.len()` numbers, which the header has promised and the file's length confirmed; how many frames
    /// they are. There are fewer where the file became shorter since.
    fn fill(&mut self, values: &mut [f32]) -> Result<usize, Error> {
        let read = fill(&mut self.input, self.header.encoding, values);
        let numbers = read.map_err(|e| Error::io(&self.path, "read", e))?;
        let frames = numbers / usize::from(self.header.channels);
        if frames == 0 && !values.is_empty() {
            let (path, got, expected) = (self.path.clone(), self.frames_read, self.header.frames);
            return Err(Error::Shrank { path, got, expected, unit: "frames" });
        }
        self.frames_read += frames as u64;
        Ok(frames)
    }
}

/// Reads and scales the next `values.len()` numbers, or as many as there are; how many.
fn fill(input: &mut impl Read, encoding: WavEncoding, values: &mut [f32]) -> std::io::Result<usize> {
    // Divisible by every number's size.
    let mut buffer = [0u8; 12 * 1024];
    let size = encoding.bytes();
    let mut read = 0;
    for values in values.chunks_mut(buffer.len() / size) {
        let wanted = values.len();
        let got = raw::fill(input, &mut buffer[..wanted * size])? / size;
        let (bytes, values) = (&buffer[..got * size], &mut values[..got]);
        match encoding {
            WavEncoding::U8 => superhet_numbers::decode_u8_around_128(bytes, values),
            WavEncoding::S24 => superhet_numbers::decode_s24(bytes, values),
            WavEncoding::S16 => decode_numbers(Number::I16, Endian::Little, bytes, values),
            WavEncoding::S32 => decode_numbers(Number::I32, Endian::Little, bytes, values),
            WavEncoding::F32 => decode_numbers(Number::F32, Endian::Little, bytes, values),
        }
        read += got;
        if got < wanted {
            break;
        }
    }
    Ok(read)
}

/// Blocks of a WAV file, made by [`WavReader::blocks_f32`] and [`WavReader::blocks_c32`].
///
/// After an error there are no more blocks.
#[derive(Debug)]
pub struct WavBlocks<T> {
    reader: WavReader,
    frames: usize,
    read: fn(&mut WavReader, &mut [T]) -> Result<usize, Error>,
    done: bool,
}

impl<T> WavBlocks<T> {
    fn new(
        reader: WavReader,
        frames: usize,
        read: fn(&mut WavReader, &mut [T]) -> Result<usize, Error>,
    ) -> Self {
        assert!(frames > 0, "a block needs at least one frame");
        Self { reader, frames, read, done: false }
    }
}

impl<T: Clone + Default> Iterator for WavBlocks<T> {
    type Item = Result<Vec<T>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let frames = self.reader.next_block(self.frames);
        if frames == 0 || self.done {
            return None;
        }
        let mut block = vec![T::default(); frames];
        let read = (self.read)(&mut self.reader, &mut block);
        self.done = read.is_err();
        Some(read.map(|frames| {
            block.truncate(frames);
            block
        }))
    }
}
