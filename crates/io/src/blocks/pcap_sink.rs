//! Packets into a PCAP file.

use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use superhet_runtime::catalog::{Entry, Kind, input, optional, required};
use superhet_runtime::{
    AnyBlock, Block, BlockError, Context, MsgIn, Packet, Step, Value, Work, message::MessageType,
};

use super::in_use::Claim;
use super::wav_sink::expect_new_file;
use crate::error::Error;
use crate::pcap::{PcapWriter, end_after_last_packet};

/// Writes packets of bytes into a PCAP file, which Wireshark and its like show.
///
/// A packet's time is the entry `time_ns` of its metadata, in nanoseconds since 1970, or else the moment that it comes.
/// The file is created when the graph runs. Where a write fails, it ends with the last packet that is whole.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | packets of `u8` | as the link type has it |
///
/// # Errors
/// At run time: a message that is no packet of bytes; [`Error::Io`].
///
/// ```
/// use superhet_io::{blocks::{PcapSink, PcapSource}, pcap::PcapWriter};
/// use superhet_runtime::Graph;
///
/// # let folder = std::env::temp_dir().join(format!("superhet-doc-pcap-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// let (old, new) = (folder.join("old.pcap"), folder.join("new.pcap"));
/// PcapWriter::new(std::fs::File::create(&old)?, 147)?.write(5, b"abc")?;
/// let mut graph = Graph::new();
/// let source = graph.add("source", PcapSource::open(&old)?);
/// let sink = graph.add("sink", PcapSink::create(&new, 147)?);
/// graph.connect(source.output, sink.input);
/// graph.run()?;
/// assert_eq!(std::fs::read(&old)?, std::fs::read(&new)?);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct PcapSink {
    #[port("in")]
    input: MsgIn,
    path: PathBuf,
    link_type: u16,
    writer: Option<PcapWriter<BufWriter<File>>>,
    _claim: Claim,
}

/// Packets that one call writes at most, so that a graph can be stopped in spite of a busy sender.
const AT_ONCE: usize = 256;

impl PcapSink {
    /// Writes the file at `path`, whose packets are of this link type: a number of
    /// <https://www.tcpdump.org/linktypes.html>.
    ///
    /// # Errors
    /// [`Error::Io`] where no file can be made there; [`Error::InUse`] where another block uses it.
    pub fn create(path: impl Into<PathBuf>, link_type: u16) -> Result<Self, Error> {
        let path = path.into();
        expect_new_file(&path)?;
        let claim = Claim::writing(&path)?;
        let input = MsgIn::new().takes(MessageType::packets_of::<u8>());
        Ok(PcapSink { input, path, link_type, writer: None, _claim: claim })
    }

    fn writer(&mut self) -> Result<&mut PcapWriter<BufWriter<File>>, Error> {
        let writer = match self.writer.take() {
            Some(writer) => writer,
            None => File::create(&self.path)
                .and_then(|file| PcapWriter::new(BufWriter::new(file), self.link_type))
                .map_err(|e| Error::io(&self.path, "create", e))?,
        };
        Ok(self.writer.insert(writer))
    }

    fn flush(&mut self) -> Result<(), Error> {
        let flushed = self.writer()?.flush();
        flushed.map_err(|error| self.breaks(error))
    }

    /// Ends the file behind the last packet that is whole, and gives the error for the others.
    fn breaks(&mut self, error: std::io::Error) -> Error {
        self.writer = None;
        // Best effort: the first error is the one to report.
        let _ = end_after_last_packet(&self.path);
        Error::io(&self.path, "write", error)
    }
}

impl Work for PcapSink {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        let mut written = 0;
        while let Some(message) = (written < AT_ONCE).then(|| self.input.recv()).flatten() {
            let packet = Packet::<u8>::try_from(message)?;
            let now =
                || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
            let time_ns = packet.get("time_ns").and_then(Value::as_u64).unwrap_or_else(now);
            let result = self.writer()?.write(time_ns, packet.items());
            result.map_err(|error| self.breaks(error))?;
            written += 1;
        }
        if written < AT_ONCE {
            // Who looks at the file while the graph runs sees whole packets.
            self.flush()?;
        }
        Ok(if written > 0 { Step::Ran } else { Step::NeedInput })
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        self.flush()?;
        Ok(Step::Done)
    }
}

/// How files and the command line find [`PcapSink`].
pub const ENTRY: Entry = Entry {
    name: "pcap_sink",
    category: "sinks",
    summary: "Writes packets of bytes into a PCAP file.",
    params: &[
        required("path", Kind::Path, "", "The file to write."),
        optional(
            "link_type",
            Kind::Integer(0, 65535),
            "",
            "147",
            "What the packets are, a number of tcpdump.org/linktypes.html; 147 is for private use, 1 is Ethernet.",
        ),
    ],
    ports: &[input("in", "messages", "packets of u8; time_ns in their metadata is when they came")],
    make: |params| {
        Ok(AnyBlock::new(PcapSink::create(params.text("path"), params.count("link_type") as u16)?))
    },
};
