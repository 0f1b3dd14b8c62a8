//! Samples into datagrams.

use std::net::{SocketAddr, ToSocketAddrs, UdpSocket};
use std::path::Path;

use superhet_runtime::catalog::{Entry, Kind, input, optional};
use superhet_runtime::{Block, BlockError, Context, In, Step, Work};

use super::datagrams::UdpHeader;
use super::item::{self, FLOAT_OR_RAW, FileItem, block_of_format};
use super::udp_source::{FORMAT, HEADER, PAYLOAD_SIZE, expect_payload};
use crate::error::Error;
use crate::format::SampleFormat;

/// Samples into datagrams, as GNU Radio's `network.udp_source` or a [`UdpSource`](super::UdpSource) takes them.
///
/// Every datagram is full but the last. One that nobody waits for is lost; UDP does not say.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | any [`FileItem`] | as to be sent, or full scale = 1.0 |
///
/// # Errors
/// At run time: [`Error::Socket`].
///
/// # Example
///
/// ```
/// use std::net::UdpSocket;
/// use superhet_io::{SampleFormat, blocks::{UdpHeader, UdpSink}};
/// use superhet_runtime::{Graph, harness::VecSource};
///
/// let receiver = UdpSocket::bind("127.0.0.1:0")?;
/// let port = receiver.local_addr()?.port();
/// let mut graph = Graph::new();
/// let source = graph.add("source", VecSource::new(vec![5i16, -1]));
/// let sink = UdpSink::<i16>::new("127.0.0.1", port, SampleFormat::S16, UdpHeader::Sequence, 1472)?;
/// let sink = graph.add("sink", sink);
/// graph.connect(source.output, sink.input);
/// graph.run()?;
/// let mut datagram = [0; 100];
/// let n = receiver.recv(&mut datagram)?;
/// assert_eq!(datagram[..n], [1, 0, 0, 0, 0, 0, 0, 0, 5, 0, 255, 255]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct UdpSink<T: FileItem> {
    #[port("in")]
    input: In<T>,
    host: String,
    port: u16,
    format: SampleFormat,
    header: UdpHeader,
    /// Items of a full datagram.
    items: usize,
    send_eof: bool,
    /// Where the samples go, once the graph runs.
    socket: Option<(UdpSocket, SocketAddr)>,
    sequence: u64,
    /// Room for the header, and the samples that wait for the datagram to be full.
    datagram: Vec<u8>,
}

/// How many datagrams without a byte say the end: one may get lost.
const ENDS: usize = 3;
/// The name of the block in errors about its settings.
const NAME: &str = "udp_sink";

impl<T: FileItem> UdpSink<T> {
    /// Will send to `host` and `port`, in datagrams of at most `packet_bytes` bytes with their header.
    ///
    /// # Errors
    /// [`Error::WrongItem`] where the format cannot be made of `T`; [`Error::Setting`] where the payload size has no room
    /// for a sample.
    pub fn new(
        host: &str,
        port: u16,
        format: SampleFormat,
        header: UdpHeader,
        packet_bytes: usize,
    ) -> Result<Self, Error> {
        item::expect::<T>(Path::new(NAME), format)?;
        expect_payload(NAME, header, packet_bytes, format)?;
        Ok(UdpSink {
            input: In::new(),
            host: host.to_owned(),
            port,
            format,
            header,
            items: (packet_bytes - header.bytes()) / format.bytes(),
            send_eof: false,
            socket: None,
            sequence: 0,
            datagram: vec![0; header.bytes()],
        })
    }

    /// Says the end by datagrams without a byte.
    #[must_use]
    pub fn send_eof(mut self) -> Self {
        self.send_eof = true;
        self
    }

    fn send(&mut self) -> Result<(), Error> {
        self.sequence = self.sequence.wrapping_add(1);
        self.header.fill(&mut self.datagram, self.sequence);
        let datagram = std::mem::take(&mut self.datagram);
        self.send_bytes(&datagram)?;
        self.datagram = datagram;
        self.datagram.truncate(self.header.bytes());
        Ok(())
    }

    fn send_bytes(&mut self, datagram: &[u8]) -> Result<(), Error> {
        let fail = |source| Error::Socket {
            address: format!("{}:{}", self.host, self.port),
            action: "send to",
            source,
        };
        let (socket, address) = match &mut self.socket {
            Some(open) => open,
            closed => closed.insert(open(&self.host, self.port).map_err(fail)?),
        };
        socket.send_to(datagram, *address).map(|_| ()).map_err(fail)
    }

    /// Items that wait for the datagram to be full.
    fn waiting(&self) -> usize {
        (self.datagram.len() - self.header.bytes()) / self.format.bytes()
    }
}

/// A socket to send from, and where to.
pub(super) fn open(host: &str, port: u16) -> std::io::Result<(UdpSocket, SocketAddr)> {
    let address = (host, port).to_socket_addrs()?.next().ok_or(std::io::ErrorKind::AddrNotAvailable)?;
    let any: SocketAddr = if address.is_ipv4() { ([0; 4], 0).into() } else { ([0u16; 8], 0).into() };
    Ok((UdpSocket::bind(any)?, address))
}

impl<T: FileItem> Work for UdpSink<T> {
    fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        while self.input.available() > 0 {
            let n = self.input.available().min(self.items - self.waiting());
            T::to_bytes(self.format, &self.input.peek()[..n], &mut self.datagram);
            self.input.consume(n);
            if self.waiting() == self.items {
                self.send()?;
            }
        }
        Ok(Step::Ran)
    }

    fn finish(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
        if self.waiting() > 0 {
            self.send()?;
        }
        if self.send_eof {
            for _ in 0..ENDS {
                self.send_bytes(&[])?;
            }
        }
        Ok(Step::Done)
    }
}

/// How files and the command line find [`UdpSink`].
pub const ENTRY: Entry = Entry {
    name: "udp_sink",
    category: "sinks",
    summary: "Samples into UDP datagrams.",
    params: &[
        optional("host", Kind::Text, "", "\"127.0.0.1\"", "The name or address to send to."),
        optional("port", Kind::Integer(1, 65535), "", "2000", "The port to send to."),
        FORMAT,
        optional(
            "input",
            FLOAT_OR_RAW,
            "",
            "\"float\"",
            "float: C32 or f32, full scale 1.0; raw: as to be sent.",
        ),
        HEADER,
        PAYLOAD_SIZE,
        optional("send_eof", Kind::Bool, "", "false", "Says the end by datagrams without a byte."),
    ],
    ports: &[input("in", "C32, f32 or as sent", "the samples, full scale = 1.0 or as to be sent")],
    make: |params| {
        let (host, port) = (params.text("host"), params.count("port") as u16);
        let format: SampleFormat = params.text("format").parse()?;
        let header = UdpHeader::of_word(params.text("header"));
        let as_stored = params.text("input") == "raw";
        let path = Path::new(NAME);
        Ok(block_of_format!(path, format, as_stored, T => {
            let sink = UdpSink::<T>::new(host, port, format, header, params.count("packet_bytes"))?;
            if params.flag("send_eof") { sink.send_eof() } else { sink }
        }))
    },
};
