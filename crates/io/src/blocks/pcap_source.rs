//! Packets from a PCAP file.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use superhet_runtime::catalog::{Entry, Kind, output, required};
use superhet_runtime::{
    AnyBlock, Block, BlockError, Context, MsgOut, Packet, Step, Work, message::MessageType,
};

use super::in_use::Claim;
use crate::error::Error;
use crate::pcap::{self, PcapReader};

/// The packets of a PCAP file, as fast as they are taken.
///
/// | entry of a packet's metadata | says |
/// |---|---|
/// | `time_ns` | when it came, in nanoseconds since 1970 |
/// | `link_type` | what it is: a number of <https://www.tcpdump.org/linktypes.html> |
/// | `original_length` | how many bytes it had, where the file has only the first of them |
///
/// | port | item | unit |
/// |---|---|---|
/// | out `out` | packets of `u8` | as captured |
///
/// # Errors
/// At run time: [`Error::Pcap`], [`Error::Shrank`], [`Error::Io`]; the packets before that are given first.
///
/// ```
/// use superhet_io::{blocks::PcapSource, pcap::PcapWriter};
///
/// # let path = std::env::temp_dir().join(format!("superhet-doc-source-{}.pcap", std::process::id()));
/// PcapWriter::new(std::fs::File::create(&path)?, 147)?.write(0, b"abc")?;
/// let source = PcapSource::open(&path)?;
/// # drop(source);
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct PcapSource {
    #[port("out")]
    output: MsgOut,
    reader: PcapReader<BufReader<File>>,
    bytes: Vec<u8>,
    path: PathBuf,
    /// How long the file was when it was opened.
    file_bytes: u64,
    _claim: Claim,
}

/// Packets that one call gives at most: the queue of whoever takes them is looked at in between.
const AT_ONCE: usize = 64;

impl PcapSource {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// [`Error::Pcap`] where it is no PCAP file; [`Error::Io`]; [`Error::NotAFile`]; [`Error::InUse`] where another
    /// block writes it.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let meta = std::fs::metadata(path).map_err(|e| Error::io(path, "open", e))?;
        if !meta.is_file() {
            return Err(Error::NotAFile { path: path.to_owned() });
        }
        let claim = Claim::reading(path)?;
        let output = MsgOut::new().sends(MessageType::packets_of::<u8>());
        Ok(PcapSource {
            output,
            reader: pcap::open(path)?,
            bytes: Vec::new(),
            path: path.to_owned(),
            file_bytes: meta.len(),
            _claim: claim,
        })
    }

    /// Ends after the last packet, which is an error where there were more.
    fn end(&self, context: &mut Context<'_>) -> Step {
        let (got, expected) = (self.reader.byte_offset(), self.file_bytes);
        if got >= expected {
            return Step::Done;
        }
        context.end_with(Error::Shrank { path: self.path.clone(), got, expected, unit: "bytes" })
    }
}

impl Work for PcapSource {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        for _ in 0..AT_ONCE {
            let record = match self.reader.next(&mut self.bytes) {
                Ok(Some(record)) => record,
                Ok(None) => return Ok(self.end(context)),
                // What came before is to be used.
                Err(error) => return Ok(context.end_with(error)),
            };
            let mut packet = Packet::from_items(&self.bytes);
            packet.set("time_ns", record.time_ns);
            packet.set("link_type", u32::from(self.reader.link_type()));
            if record.original_length as usize != self.bytes.len() {
                packet.set("original_length", record.original_length);
            }
            self.output.send(packet)?;
        }
        Ok(Step::Ran)
    }
}

/// How files and the command line find [`PcapSource`].
pub const ENTRY: Entry = Entry {
    name: "pcap_source",
    category: "sources",
    summary: "Packets from a PCAP file, with their times.",
    params: &[required("path", Kind::Path, "", "The file.")],
    ports: &[output("out", "messages", "packets of u8 with time_ns and link_type")],
    make: |params| Ok(AnyBlock::new(PcapSource::open(params.text("path"))?)),
};
