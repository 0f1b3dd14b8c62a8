//! PCAP files: packets with their times, in the classic format, which every tool for networks reads.
//!
//! ```text
//! header   magic u32 · version 2.4 (u16, u16) · zone i32 · accuracy u32 · longest packet u32 · link type u32
//! packet   seconds u32 · fraction u32 · bytes here u32 · bytes once u32 · the bytes
//! ```
//!
//! All numbers have the byte order of who wrote the file; the magic number tells which, and whether fractions are micro-
//! or nanoseconds. By hand, for it is these two tables: the one crate for it that is in use has had only release candidates
//! for its present interface.
//!
//! # Source
//! G. Harris, M. Richardson, PCAP Capture File Format, draft-ietf-opsawg-pcap, <https://datatracker.ietf.org/doc/draft-ietf-opsawg-pcap/>

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::raw::fill;

const MICROSECONDS: u32 = 0xa1b2_c3d4;
const NANOSECONDS: u32 = 0xa1b2_3c4d;
/// The longest packet that is read or written, in bytes, as other tools have it.
pub const LONGEST: usize = 262_144;

/// What a file has beside the bytes of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// When the packet came, in nanoseconds since 1970.
    pub time_ns: u64,
    /// How many bytes it had; the file may have fewer.
    pub original_length: u32,
}

/// Reads a PCAP file.
#[derive(Debug)]
pub struct PcapReader<R> {
    path: PathBuf,
    reader: R,
    is_big: bool,
    nanoseconds_per_unit: u64,
    link_type: u16,
    /// Where the next packet stands.
    byte_offset: u64,
}

impl<R: Read> PcapReader<R> {
    /// Reads the header. `path` is for errors.
    ///
    /// # Errors
    /// [`Error::Pcap`] where it is none; [`Error::Io`].
    pub fn new(mut reader: R, path: impl Into<PathBuf>) -> Result<Self, Error> {
        let path = path.into();
        let mut header = [0; 24];
        let wrong = |message: String| Error::Pcap { path: path.clone(), byte_offset: 0, message };
        let got = fill(&mut reader, &mut header).map_err(|e| Error::io(&path, "read", e))?;
        if got < header.len() {
            return Err(wrong(format!("the file has {got} bytes, a header has 24")));
        }
        let magic = number(&header[..4], false);
        let (is_big, nanoseconds_per_unit) = match (magic, magic.swap_bytes()) {
            (MICROSECONDS, _) => (false, 1000),
            (NANOSECONDS, _) => (false, 1),
            (_, MICROSECONDS) => (true, 1000),
            (_, NANOSECONDS) => (true, 1),
            _ => return Err(wrong(format!("the magic number {magic:#010x} is not that of a PCAP file"))),
        };
        let version = number(&header[4..6], is_big);
        if version != 2 {
            return Err(wrong(format!("version {version}, expected 2")));
        }
        // The upper half says other things about the link.
        let link_type = number(&header[20..], is_big) as u16;
        Ok(PcapReader { path, reader, is_big, nanoseconds_per_unit, link_type, byte_offset: 24 })
    }

    /// What the packets are: a number of the list at <https://www.tcpdump.org/linktypes.html>.
    pub fn link_type(&self) -> u16 {
        self.link_type
    }

    /// Where the next packet stands, or will.
    pub(crate) fn byte_offset(&self) -> u64 {
        self.byte_offset
    }

    /// Reads the next packet into `bytes`, in place of what that holds; `None` at the end.
    ///
    /// # Errors
    /// [`Error::Pcap`] where a packet is cut short or impossibly long; [`Error::Io`].
    pub fn next(&mut self, bytes: &mut Vec<u8>) -> Result<Option<Record>, Error> {
        let mut header = [0; 16];
        let got = self.fill(&mut header)?;
        if got == 0 {
            return Ok(None);
        }
        if got < header.len() {
            return Err(self.wrong(format!("the file ends after {got} of the 16 bytes before a packet")));
        }
        let [seconds, fraction, length, original_length] =
            [0, 4, 8, 12].map(|at| number(&header[at..at + 4], self.is_big));
        if length as usize > LONGEST {
            return Err(self.wrong(format!("a packet of {length} bytes, expected at most {LONGEST}")));
        }
        bytes.resize(length as usize, 0);
        let got = self.fill(bytes)?;
        if got < bytes.len() {
            return Err(self.wrong(format!("the file ends after {got} of the {length} bytes of a packet")));
        }
        self.byte_offset = self.byte_offset.saturating_add(16 + u64::from(length));
        let time_ns = u64::from(seconds) * 1_000_000_000 + u64::from(fraction) * self.nanoseconds_per_unit;
        Ok(Some(Record { time_ns, original_length }))
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<usize, Error> {
        fill(&mut self.reader, bytes).map_err(|e| Error::io(&self.path, "read", e))
    }

    fn wrong(&self, message: String) -> Error {
        Error::Pcap { path: self.path.clone(), byte_offset: self.byte_offset, message }
    }
}

fn number(bytes: &[u8], is_big: bool) -> u32 {
    let add = |number, byte: &u8| number << 8 | u32::from(*byte);
    if is_big { bytes.iter().fold(0, add) } else { bytes.iter().rev().fold(0, add) }
}

/// The header of a file whose packets are of this link type, with nanoseconds, little endian.
fn header(link_type: u16) -> [u8; 24] {
    let mut header = [0; 24];
    header[..4].copy_from_slice(&NANOSECONDS.to_le_bytes());
    header[4..8].copy_from_slice(&[2, 0, 4, 0]);
    header[16..20].copy_from_slice(&(LONGEST as u32).to_le_bytes());
    header[20..22].copy_from_slice(&link_type.to_le_bytes());
    header
}

/// Writes a PCAP file.
#[derive(Debug)]
pub struct PcapWriter<W> {
    writer: W,
}

impl<W: Write> PcapWriter<W> {
    /// Writes the header.
    ///
    /// # Errors
    /// What the system says.
    pub fn new(mut writer: W, link_type: u16) -> io::Result<Self> {
        writer.write_all(&header(link_type))?;
        Ok(PcapWriter { writer })
    }

    /// Writes a packet. Of one longer than [`LONGEST`], the first bytes, and how long it was. Times are those until 2106.
    ///
    /// # Errors
    /// What the system says.
    pub fn write(&mut self, time_ns: u64, bytes: &[u8]) -> io::Result<()> {
        let here = &bytes[..bytes.len().min(LONGEST)];
        let seconds = u32::try_from(time_ns / 1_000_000_000).unwrap_or(u32::MAX);
        let original = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        for number in [seconds, (time_ns % 1_000_000_000) as u32, here.len() as u32, original] {
            self.writer.write_all(&number.to_le_bytes())?;
        }
        self.writer.write_all(here)
    }

    /// Flushes what was written.
    ///
    /// # Errors
    /// What the system says.
    pub fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// Opens a file.
pub(crate) fn open(path: &Path) -> Result<PcapReader<io::BufReader<std::fs::File>>, Error> {
    let file = std::fs::File::open(path).map_err(|e| Error::io(path, "open", e))?;
    PcapReader::new(io::BufReader::new(file), path)
}

/// Cuts a file behind its last whole packet.
pub(crate) fn end_after_last_packet(path: &Path) -> Result<(), Error> {
    let (mut reader, mut bytes) = (open(path)?, Vec::new());
    while let Ok(Some(_)) = reader.next(&mut bytes) {}
    let file = std::fs::File::options().write(true).open(path);
    file.and_then(|file| file.set_len(reader.byte_offset())).map_err(|e| Error::io(path, "write", e))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<Vec<(u64, u32, Vec<u8>)>, String> {
        let mut reader = PcapReader::new(bytes, "x.pcap").map_err(|e| e.to_string())?;
        let (mut packets, mut packet) = (Vec::new(), Vec::new());
        while let Some(record) = reader.next(&mut packet).map_err(|e| e.to_string())? {
            packets.push((record.time_ns, record.original_length, packet.clone()));
        }
        Ok(packets)
    }

    #[test]
    fn what_was_written_is_read_and_a_cut_is_named_wherever_it_is() {
        let mut bytes = Vec::new();
        let mut writer = PcapWriter::new(&mut bytes, 147).unwrap();
        writer.write(1_700_000_000_123_456_789, b"abc").unwrap();
        writer.write(0, b"").unwrap();
        let wanted = vec![(1_700_000_000_123_456_789, 3, b"abc".to_vec()), (0, 0, vec![])];
        assert_eq!(read(&bytes).unwrap(), wanted);
        assert_eq!(PcapReader::new(&bytes[..], "").unwrap().link_type(), 147);
        for cut in 0..bytes.len() {
            let whole = [24, 43].contains(&cut);
            assert_eq!(read(&bytes[..cut]).is_ok(), whole, "{cut}");
        }
        let error = read(&bytes[..50]).unwrap_err();
        assert_eq!(error, "x.pcap: PCAP, byte 43: the file ends after 7 of the 16 bytes before a packet");
    }

    #[test]
    fn files_of_other_byte_order_and_with_microseconds_are_read() {
        let big = [
            &MICROSECONDS.to_be_bytes()[..],
            &[0, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 0, 0, 0, 1],
            &[0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 9, 0xaa],
        ]
        .concat();
        assert_eq!(read(&big).unwrap(), [(2_000_003_000, 9, vec![0xaa])]);
    }

    #[test]
    fn a_length_that_lies_costs_an_error_and_no_memory() {
        let bytes = [&header(1)[..], &[0; 8], &[0xff; 8]].concat();
        let error = read(&bytes).unwrap_err();
        assert_eq!(error, "x.pcap: PCAP, byte 24: a packet of 4294967295 bytes, expected at most 262144");
        assert!(
            read(&[0; 24]).unwrap_err().contains("the magic number 0x00000000 is not that of a PCAP file")
        );
    }
}
