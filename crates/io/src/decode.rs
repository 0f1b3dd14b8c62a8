//! Bytes to samples: any [`SampleFormat`] to `f32` or [`C32`] with full scale = 1.0.
//!
//! | number | value |
//! |---|---|
//! | `u8` | `(x − 127.5) / 127.5` |
//! | `i8` | `x / 128` |
//! | `u16` | `(x − 32767.5) / 32767.5` |
//! | `i16` | `x / 32768` |
//! | `u32` | `(x − 2147483647.5) / 2147483647.5` |
//! | `i32` | `x / 2³¹` |
//! | `f32`, `f64` | `x`, not limited to ±1, NaN and infinities kept |
//!
//! So ±1.0 is full scale. Signed integers reach −1.0 but not +1.0. Unsigned ones reach both and have no zero. 32-bit
//! integers and `f64` are rounded once, to the nearest `f32`.

use std::path::{Path, PathBuf};

use crate::C32;
use crate::error::Error;
use crate::format::{Endian, Number, SampleFormat, Shape};

/// Decodes whole numbers: `values[n]` from the n-th number in `bytes`.
///
/// | argument | item | unit | length |
/// |---|---|---|---|
/// | `bytes` | `number` in byte order `endian` | code | `values.len() · number.bytes()` |
/// | `values` | `f32` | full scale = 1.0 | any |
///
/// Complex samples are numbers in pairs; [`Decoder`] takes care of that and of bytes cut anywhere.
///
/// # Panics
///
/// If `bytes.len() != values.len() · number.bytes()`.
///
/// # Example
///
/// ```
/// use superhet_io::{Endian, Number, decode::decode_numbers};
///
/// let mut values = [0.0; 2];
/// decode_numbers(Number::I16, Endian::Big, &[0x80, 0x00, 0x40, 0x00], &mut values);
/// assert_eq!(values, [-1.0, 0.5]);
/// ```
pub fn decode_numbers(number: Number, endian: Endian, bytes: &[u8], values: &mut [f32]) {
    superhet_numbers::decode(number, endian, bytes, values);
}

/// How far one call of a [`Decoder`] came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Bytes taken from the input.
    pub bytes: usize,
    /// Samples written to the output.
    pub samples: usize,
}

/// Decodes a stream of bytes that may be cut anywhere, also in mid-sample.
///
/// A call takes bytes until the output is full or the input is used up; the begun sample at the end of the
/// input is kept for the next call. [`Decoder::finish`] says whether the stream ended between two samples.
/// The samples do not depend on where the bytes were cut.
///
/// # Example
///
/// ```
/// use superhet_io::{C32, Decoder, SampleFormat};
///
/// let mut decoder = Decoder::new(SampleFormat::CS8, "take.cs8");
/// let mut iq = [C32::default(); 4];
/// let first = decoder.decode_c32(&[64, 0, 32], &mut iq)?;
/// assert_eq!((first.bytes, first.samples), (3, 1));
/// assert!(decoder.finish().is_err());
/// let second = decoder.decode_c32(&[64], &mut iq[1..])?;
/// assert_eq!((second.bytes, second.samples), (1, 1));
/// assert_eq!(iq[..2], [C32::new(0.5, 0.0), C32::new(0.25, 0.5)]);
/// assert_eq!(decoder.finish()?, 2);
/// # Ok::<(), superhet_io::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Decoder {
    format: SampleFormat,
    path: PathBuf,
    /// The begun sample, `begun_len` bytes of it.
    begun: [u8; 16],
    begun_len: usize,
    /// Bytes taken so far, with those of the begun sample.
    bytes: u64,
}

impl Decoder {
    /// Starts a decoder; `path` is only for error messages.
    pub fn new(format: SampleFormat, path: impl Into<PathBuf>) -> Self {
        Self { format, path: path.into(), begun: [0; 16], begun_len: 0, bytes: 0 }
    }

    /// Returns the format that is decoded.
    pub fn format(&self) -> SampleFormat {
        self.format
    }

    /// Returns the path that errors name.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns how many whole samples have come out so far.
    pub fn samples(&self) -> u64 {
        (self.bytes - self.begun_len as u64) / self.format.bytes() as u64
    }

    /// Decodes real samples.
    ///
    /// | argument | item | unit |
    /// |---|---|---|
    /// | `bytes` | byte, cut anywhere | |
    /// | `samples` | `f32` | full scale = 1.0 |
    ///
    /// # Errors
    ///
    /// [`Error::WrongShape`] if the format is complex.
    pub fn decode_f32(&mut self, bytes: &[u8], samples: &mut [f32]) -> Result<Progress, Error> {
        self.expect(Shape::Real)?;
        Ok(self.decode(bytes, samples))
    }

    /// Decodes complex samples; see [`Decoder::decode_f32`].
    ///
    /// # Errors
    ///
    /// [`Error::WrongShape`] if the format is real.
    pub fn decode_c32(&mut self, bytes: &[u8], samples: &mut [C32]) -> Result<Progress, Error> {
        self.expect(Shape::Complex)?;
        Ok(self.decode(bytes, bytemuck::cast_slice_mut(samples)))
    }

    /// Ends the stream and returns how many samples it had.
    ///
    /// # Errors
    ///
    /// [`Error::CutSample`] if it ended in mid-sample, with the byte where that sample begins.
    pub fn finish(&self) -> Result<u64, Error> {
        match self.begun_len {
            0 => Ok(self.samples()),
            got_bytes => Err(Error::CutSample {
                path: self.path.clone(),
                byte_offset: self.bytes - got_bytes as u64,
                sample_offset: self.samples(),
                got_bytes,
                sample_bytes: self.format.bytes(),
                format: self.format,
            }),
        }
    }

    fn expect(&self, wanted: Shape) -> Result<(), Error> {
        let got = self.format.shape();
        if got == wanted { Ok(()) } else { Err(Error::WrongShape { path: self.path.clone(), wanted, got }) }
    }

    /// `values` holds `numbers()` values a sample.
    fn decode(&mut self, bytes: &[u8], values: &mut [f32]) -> Progress {
        let (size, numbers) = (self.format.bytes(), self.format.numbers());
        let (number, endian) = (self.format.number(), self.format.endian());
        let (mut taken, mut made) = (0, 0);
        let room = values.len() / numbers;

        if self.begun_len > 0 && room > 0 {
            taken = (size - self.begun_len).min(bytes.len());
            self.begun[self.begun_len..][..taken].copy_from_slice(&bytes[..taken]);
            self.begun_len += taken;
            if self.begun_len == size {
                decode_numbers(number, endian, &self.begun[..size], &mut values[..numbers]);
                self.begun_len = 0;
                made = 1;
            }
        }
        if self.begun_len == 0 {
            let whole = ((bytes.len() - taken) / size).min(room - made);
            let (input, output) = (&bytes[taken..][..whole * size], &mut values[made * numbers..]);
            decode_numbers(number, endian, input, &mut output[..whole * numbers]);
            taken += whole * size;
            made += whole;
            let rest = &bytes[taken..];
            if rest.len() < size && made < room {
                self.begun[..rest.len()].copy_from_slice(rest);
                self.begun_len = rest.len();
                taken = bytes.len();
            }
        }
        self.bytes += taken as u64;
        Progress { bytes: taken, samples: made }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, bytes: &[u8], wanted: &[f32]) {
        let format: SampleFormat = name.parse().unwrap();
        let mut values = vec![f32::NAN; wanted.len()];
        decode_numbers(format.number(), format.endian(), bytes, &mut values);
        assert_eq!(values, wanted, "{name}");
    }

    #[test]
    fn every_number_decodes_to_full_scale_one_in_both_byte_orders() {
        check("u8", &[0, 255], &[-1.0, 1.0]);
        check("i8", &[0x80, 0, 64], &[-1.0, 0.0, 0.5]);
        check("ru16_le", &[0, 0, 0xff, 0xff], &[-1.0, 1.0]);
        check("ru16_be", &[0xff, 0xff, 0, 0], &[1.0, -1.0]);
        check("ri16_le", &[0, 0x80, 0, 0x40], &[-1.0, 0.5]);
        check("ri16_be", &[0x80, 0, 0x40, 0], &[-1.0, 0.5]);
        check("ru32_le", &[0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff], &[-1.0, 1.0]);
        check("ru32_be", &[0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff], &[-1.0, 1.0]);
        check("ri32_le", &[0, 0, 0, 0x80, 0, 0, 0, 0x40], &[-1.0, 0.5]);
        check("ri32_be", &[0x80, 0, 0, 0, 0x40, 0, 0, 0], &[-1.0, 0.5]);
        check("rf32_le", &(-2.5f32).to_le_bytes(), &[-2.5]);
        check("rf32_be", &(-2.5f32).to_be_bytes(), &[-2.5]);
        check("rf64_le", &0.1f64.to_le_bytes(), &[0.1]);
        check("rf64_be", &0.1f64.to_be_bytes(), &[0.1]);
    }

    #[test]
    fn the_middle_of_unsigned_bytes_is_127_and_a_half() {
        check("u8", &[127, 128], &[-0.5 / 127.5, 0.5 / 127.5]);
    }

    #[test]
    fn a_recording_cut_in_mid_sample_says_where_and_how_much() {
        let mut decoder = Decoder::new(SampleFormat::CS16, "cut.cs16");
        decoder.decode_c32(&[0; 11], &mut [C32::default(); 8]).unwrap();
        let error = decoder.finish().unwrap_err();
        assert!(matches!(error, Error::CutSample { byte_offset: 8, sample_offset: 2, got_bytes: 3, .. }));
        let text = error.to_string();
        assert!(text.contains("cut.cs16") && text.contains("3 bytes of a 4-byte ci16_le sample"), "{text}");
    }

    #[test]
    fn a_full_output_takes_no_more_bytes() {
        let mut decoder = Decoder::new(SampleFormat::S16, "x");
        let progress = decoder.decode_f32(&[1, 2, 3, 4, 5], &mut [0.0; 2]).unwrap();
        assert_eq!(progress, Progress { bytes: 4, samples: 2 });
        assert_eq!(
            decoder.decode_f32(&[5], &mut []).unwrap(),
            Progress { bytes: 0, samples: 0 },
            "no room, no bytes"
        );
        assert_eq!(decoder.finish().unwrap(), 2);
    }

    #[test]
    fn the_wrong_shape_is_refused() {
        let mut decoder = Decoder::new(SampleFormat::CU8, "x.cu8");
        assert!(matches!(
            decoder.decode_f32(&[0; 4], &mut [0.0; 4]),
            Err(Error::WrongShape { wanted: Shape::Real, got: Shape::Complex, .. })
        ));
    }
}
