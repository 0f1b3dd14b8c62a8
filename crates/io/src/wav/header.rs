//! The header of a WAV file, checked against the file it stands in.

use std::fmt;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use crate::error::Error;
use crate::format::Shape;

/// The outer format of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WavContainer {
    /// 32-bit lengths, up to 4 GiB.
    Riff,
    /// 64-bit lengths in a `ds64` chunk (also BW64).
    Rf64,
}

/// How a number is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WavEncoding {
    /// 8-bit unsigned, silence is 128.
    U8,
    /// 16-bit signed.
    S16,
    /// 24-bit signed, in 3 bytes.
    S24,
    /// 32-bit signed.
    S32,
    /// 32-bit float.
    F32,
}

impl WavEncoding {
    /// Returns the size of a number in bytes: 1 to 4.
    pub const fn bytes(self) -> usize {
        match self {
            WavEncoding::U8 => 1,
            WavEncoding::S16 => 2,
            WavEncoding::S24 => 3,
            WavEncoding::S32 | WavEncoding::F32 => 4,
        }
    }
}

impl fmt::Display for WavEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            WavEncoding::U8 => "u8",
            WavEncoding::S16 => "s16",
            WavEncoding::S24 => "s24",
            WavEncoding::S32 => "s32",
            WavEncoding::F32 => "f32",
        })
    }
}

/// What the header of a WAV file says, after it was found true.
#[derive(Debug, Clone, PartialEq)]
pub struct WavHeader {
    /// The outer format.
    pub container: WavContainer,
    /// 1 (real) or 2 (IQ).
    pub channels: u16,
    /// Frames per second.
    pub sample_rate_hz: u32,
    /// How a number is stored.
    pub encoding: WavEncoding,
    /// Where the samples begin, in bytes from the start of the file.
    pub data_offset: u64,
    /// How many frames there are; a frame is one number per channel.
    pub frames: u64,
    /// The centre frequency in Hz, from the `auxi` chunk if there is one.
    pub center_hz: Option<f64>,
}

impl WavHeader {
    /// Returns whether the samples are real or complex.
    pub fn shape(&self) -> Shape {
        if self.channels == 1 { Shape::Real } else { Shape::Complex }
    }

    /// Returns the size of a frame in bytes.
    pub fn frame_bytes(&self) -> usize {
        self.encoding.bytes() * usize::from(self.channels)
    }
}

/// A file of chunks has a handful; more than this is an attack or an accident.
const MAX_CHUNKS: usize = 1024;
/// The part of an `auxi` chunk that is looked at: 100 times what is ever written.
const MAX_AUXI_BYTES: u64 = 256 * 1024;

/// Reads and checks the header of a file of `file_bytes` bytes.
///
/// Where a lie leaves it possible to go on, it is pushed to `problems` if there are such, and else returned.
pub(super) fn read(
    input: &mut (impl Read + Seek),
    file_bytes: u64,
    path: &Path,
    problems: Option<&mut Vec<Error>>,
) -> Result<WavHeader, Error> {
    Walk { input, file_bytes, path, problems }.header()
}

/// The `fmt ` chunk.
struct Format {
    channels: u16,
    sample_rate_hz: u32,
    encoding: WavEncoding,
}

struct Walk<'a, R> {
    input: &'a mut R,
    file_bytes: u64,
    path: &'a Path,
    problems: Option<&'a mut Vec<Error>>,
}

impl<R: Read + Seek> Walk<'_, R> {
    fn header(mut self) -> Result<WavHeader, Error> {
        if self.file_bytes == 0 {
            return Err(Error::Empty { path: self.path.to_owned() });
        }
        let top: [u8; 12] = self.bytes(0, "the RIFF header")?;
        let container = match &top[..4] {
            b"RIFF" => WavContainer::Riff,
            b"RF64" | b"BW64" => WavContainer::Rf64,
            other => return Err(self.wrong(0, "the file's mark", "RIFF or RF64", quoted(other))),
        };
        if &top[8..] != b"WAVE" {
            return Err(self.wrong(8, "the RIFF type", "WAVE", quoted(&top[8..])));
        }
        let (mut riff_bytes, mut riff_at) = (u64::from(le32(&top[4..])), 4);
        let mut data64 = None;

        let mut format = None;
        let mut data: Option<(u64, u64)> = None;
        let mut center_hz = None;
        let mut at = 12;
        for count in 0.. {
            let past_riff = data.is_some() && at >= riff_bytes.saturating_add(8);
            if at >= self.file_bytes || past_riff {
                break;
            }
            if count == MAX_CHUNKS {
                let most = format!("at most {MAX_CHUNKS}");
                return Err(self.wrong(at, "the number of chunks", most, "more"));
            }
            if self.file_bytes - at < 8 {
                let got = format!("{} bytes", self.file_bytes - at);
                let error = self.wrong(at, "the last chunk's header", "8 bytes", got);
                self.complain(error)?;
                break;
            }
            let chunk: [u8; 8] = self.bytes(at, "a chunk's header")?;
            let (id, body) = (&chunk[..4], at + 8);
            let there = self.file_bytes - body;
            let mut length = u64::from(le32(&chunk[4..]));
            if id == b"data" && data.is_none() {
                if let Some(long) = data64.filter(|_| length == u64::from(u32::MAX)) {
                    length = long;
                }
                let unfinished = riff_bytes == 0 || riff_bytes.saturating_add(8) == body;
                length = self.data_length(body, length, unfinished)?;
                data = Some((body, length));
            } else if length > there {
                let most = format!("at most {there} (what the file holds after it)");
                let got = format!("{length} (chunk {})", quoted(id));
                let error = self.wrong(at + 4, "a chunk's length", most, got);
                // Without format or data there is nothing to go on with.
                if format.is_none() || data.is_none() {
                    return Err(error);
                }
                self.complain(error)?;
                break;
            } else if id == b"fmt " && format.is_none() {
                format = Some(self.format(body, length)?);
            } else if id == b"ds64" && container == WavContainer::Rf64 && data64.is_none() {
                if length < 24 {
                    return Err(self.wrong(
                        at + 4,
                        "the ds64 chunk's length",
                        "at least 24",
                        length.to_string(),
                    ));
                }
                let sizes: [u8; 16] = self.bytes(body, "the ds64 chunk")?;
                (riff_bytes, riff_at) = (le64(&sizes), body);
                data64 = Some(le64(&sizes[8..]));
            } else if id == b"auxi" && center_hz.is_none() {
                center_hz = self.center(body, length)?;
            }
            at = body + length + length % 2;
        }

        let Some(Format { channels, sample_rate_hz, encoding }) = format else {
            return Err(self.wrong(at, "the fmt chunk", "one", "missing"));
        };
        let Some((data_offset, data_bytes)) = data else {
            return Err(self.wrong(at, "the data chunk", "one", "missing"));
        };
        if container == WavContainer::Rf64 && data64.is_none() {
            let error = self.wrong(12, "the ds64 chunk of an RF64 file", "one", "missing");
            self.complain(error)?;
        } else if riff_bytes.saturating_add(8).abs_diff(self.file_bytes) > 1 {
            // One byte is the pad byte, which some count and some do not.
            let wanted = format!("{} (the file's length less 8)", self.file_bytes.saturating_sub(8));
            let error = self.wrong(riff_at, "the RIFF size", wanted, riff_bytes.to_string());
            self.complain(error)?;
        }
        let frame_bytes = encoding.bytes() as u64 * u64::from(channels);
        if !data_bytes.is_multiple_of(frame_bytes) {
            let wanted = format!("a multiple of the {frame_bytes}-byte frame");
            let error =
                self.wrong(data_offset - 4, "the data chunk's length", wanted, data_bytes.to_string());
            self.complain(error)?;
        }
        let frames = data_bytes / frame_bytes;
        Ok(WavHeader { container, channels, sample_rate_hz, encoding, data_offset, frames, center_hz })
    }

    /// Returns the length of the data chunk whose bytes begin at `at`, corrected if it lies.
    fn data_length(&mut self, at: u64, claimed: u64, unfinished: bool) -> Result<u64, Error> {
        let there = self.file_bytes - at;
        let expected = if claimed > there {
            format!("at most {there} (what the file holds after it)")
        } else if claimed == 0 && there > 0 && unfinished {
            // A recorder that was killed before it could go back to fill in the lengths.
            there.to_string()
        } else {
            return Ok(claimed);
        };
        let error = self.wrong(at - 4, "the data chunk's length", expected, claimed.to_string());
        self.complain(error)?;
        Ok(there)
    }

    fn format(&mut self, at: u64, length: u64) -> Result<Format, Error> {
        if length < 16 {
            return Err(self.wrong(at - 4, "the fmt chunk's length", "at least 16", length.to_string()));
        }
        let fmt: [u8; 16] = self.bytes(at, "the fmt chunk")?;
        let (channels, sample_rate_hz) = (le16(&fmt[2..]), le32(&fmt[4..]));
        let (byte_rate, block_align, bits) = (le32(&fmt[8..]), le16(&fmt[12..]), le16(&fmt[14..]));
        let mut tag = le16(&fmt);
        if tag == 0xfffe {
            if length < 40 {
                let error = self.wrong(at - 4, "the extensible fmt chunk's length", "40", length.to_string());
                return Err(error);
            }
            let guid: [u8; 2] = self.bytes(at + 24, "the fmt chunk's subformat")?;
            tag = le16(&guid);
        }
        if channels == 0 {
            return Err(self.wrong(at + 2, "the number of channels", "1 or 2", "0"));
        }
        if channels > 2 {
            return Err(self.unsupported(
                "the number of channels",
                channels.to_string(),
                "1 (real) and 2 (IQ)",
            ));
        }
        if sample_rate_hz == 0 {
            return Err(self.wrong(at + 4, "the sample rate", "at least 1 Hz", "0"));
        }
        let encoding = match (tag, bits) {
            (1, 8) => WavEncoding::U8,
            (1, 16) => WavEncoding::S16,
            (1, 24) => WavEncoding::S24,
            (1, 32) => WavEncoding::S32,
            (3, 32) => WavEncoding::F32,
            _ => {
                let got = format!("format tag {tag:#06x} with {bits} bits");
                let supported = "PCM (0x0001) with 8, 16, 24, 32 bits and float (0x0003) with 32";
                return Err(self.unsupported("the encoding", got, supported));
            }
        };
        let frame_bytes = u32::from(channels) * encoding.bytes() as u32;
        if u32::from(block_align) != frame_bytes {
            let wanted = format!("{frame_bytes} ({channels} channels of {bits} bits)");
            let error = self.wrong(at + 12, "the block alignment", wanted, block_align.to_string());
            self.complain(error)?;
        }
        let true_rate = u64::from(sample_rate_hz) * u64::from(frame_bytes);
        if u64::from(byte_rate) != true_rate {
            let wanted = format!("{true_rate} (sample rate × frame)");
            let error = self.wrong(at + 8, "the bytes per second", wanted, byte_rate.to_string());
            self.complain(error)?;
        }
        Ok(Format { channels, sample_rate_hz, encoding })
    }

    /// The centre frequency of an `auxi` chunk: a 32-bit number in Hz after two 16-byte times, or, by SDR
    /// Console, the attribute `RadioCenterFreq` of an XML text in UTF-16. An unreadable one is none.
    fn center(&mut self, at: u64, length: u64) -> Result<Option<f64>, Error> {
        let mut body = vec![0; length.min(MAX_AUXI_BYTES) as usize];
        self.fill(at, &mut body, "the auxi chunk")?;
        if body.starts_with(b"<\0") || body.starts_with(b"\xff\xfe<\0") {
            let units: Vec<u16> = body.chunks_exact(2).map(le16).collect();
            let text = String::from_utf16_lossy(&units);
            let value = text.split("RadioCenterFreq=\"").nth(1).and_then(|rest| rest.split('"').next());
            return Ok(value.and_then(|v| v.parse::<f64>().ok()).filter(|v| v.is_finite() && *v > 0.0));
        }
        Ok((body.len() >= 36).then(|| f64::from(le32(&body[32..]))).filter(|&hz| hz > 0.0))
    }

    fn bytes<const N: usize>(&mut self, at: u64, what: &'static str) -> Result<[u8; N], Error> {
        let mut bytes = [0; N];
        self.fill(at, &mut bytes, what)?;
        Ok(bytes)
    }

    fn fill(&mut self, at: u64, bytes: &mut [u8], what: &'static str) -> Result<(), Error> {
        let there = self.file_bytes.saturating_sub(at);
        if there < bytes.len() as u64 {
            let wanted = format!("{} bytes", bytes.len());
            return Err(self.wrong(at, what, wanted, format!("cut short after {there} bytes")));
        }
        let read = self.input.seek(SeekFrom::Start(at)).and_then(|_| self.input.read_exact(bytes));
        read.map_err(|e| Error::io(self.path, "read", e))
    }

    fn wrong(
        &self,
        byte_offset: u64,
        field: &'static str,
        expected: impl Into<String>,
        got: impl Into<String>,
    ) -> Error {
        let (expected, got) = (expected.into(), got.into());
        Error::WavHeader { path: self.path.to_owned(), byte_offset, field, expected, got }
    }

    fn unsupported(&self, field: &'static str, got: String, supported: &'static str) -> Error {
        Error::WavUnsupported { path: self.path.to_owned(), field, got, supported }
    }

    fn complain(&mut self, error: Error) -> Result<(), Error> {
        match &mut self.problems {
            Some(problems) => problems.push(error),
            None => return Err(error),
        }
        Ok(())
    }
}

fn le16(bytes: &[u8]) -> u16 {
    u16::from_le_bytes([bytes[0], bytes[1]])
}

fn le32(bytes: &[u8]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

fn le64(bytes: &[u8]) -> u64 {
    u64::from(le32(bytes)) | u64::from(le32(&bytes[4..])) << 32
}

fn quoted(id: &[u8]) -> String {
    format!("\"{}\"", id.escape_ascii())
}
