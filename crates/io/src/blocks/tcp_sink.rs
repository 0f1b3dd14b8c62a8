//! Samples to a TCP connection.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use superhet_runtime::catalog::{Entry, Kind, input, optional, required};
use superhet_runtime::{Block, BlockError, Context, In, Step, Work};

use super::item::{self, FLOAT_OR_RAW, FileItem, block_of_format};
use super::udp_source::FORMAT;
use crate::error::Error;
use crate::format::SampleFormat;

/// Samples to a TCP connection, as GNU Radio's `network.tcp_sink` sends them: their bytes and nothing else.
///
/// A client connects to a server, and ends with an error where that is not there or goes. A server sends to one client at a
/// time, and what comes while it has none is dropped, the first time with a warning; the next gets whole samples, from where
/// the stream is then. Others wait until that one goes.
///
/// What is left at the end has as long as the other side goes on taking it, and 10 s more; when the graph is asked to stop,
/// 300 ms.
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
/// use std::{io::Read, net::TcpListener};
/// use superhet_io::{SampleFormat, blocks::{TcpMode, TcpSink}};
/// use superhet_runtime::{Graph, harness::VecSource};
///
/// let server = TcpListener::bind("127.0.0.1:0")?;
/// let port = server.local_addr()?.port();
/// let mut graph = Graph::new();
/// let source = graph.add("source", VecSource::new(vec![5i16, -1]));
/// let sink = TcpSink::<i16>::new(TcpMode::Client, "127.0.0.1", port, SampleFormat::S16)?;
/// let sink = graph.add("sink", sink);
/// graph.connect(source.output, sink.input);
/// graph.run()?;
/// let mut bytes = Vec::new();
/// server.accept()?.0.read_to_end(&mut bytes)?;
/// assert_eq!(bytes, [5, 0, 255, 255]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct TcpSink<T: FileItem> {
    #[port("in")]
    input: In<T>,
    mode: TcpMode,
    host: String,
    port: u16,
    format: SampleFormat,
    listener: Option<TcpListener>,
    /// Where a client has not tried yet.
    addresses: Option<VecDeque<SocketAddr>>,
    stream: Option<TcpStream>,
    /// Bytes that are being sent, and how many of them have been.
    part: Vec<u8>,
    sent: usize,
    has_dropped: bool,
    stopping: Option<Instant>,
    /// When the other side has last taken something.
    took: Instant,
}

/// Which side of the connection it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TcpMode {
    /// Connects to a server.
    Client,
    /// Waits for a client.
    Server,
}

/// How long a call waits for the other side.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// How long one attempt to connect takes at most: a stop waits for it.
const ATTEMPT: Duration = Duration::from_millis(500);
/// How long the end waits for somebody who takes nothing.
const LINGER: Duration = Duration::from_secs(10);
/// How long a stop waits for what is to be sent.
const LAST_WORDS: Duration = Duration::from_millis(300);
/// Items that are sent at once.
const AT_ONCE: usize = 1 << 16;
/// The name of the block in errors about its settings.
const NAME: &str = "tcp_sink";

impl<T: FileItem> TcpSink<T> {
    /// Will connect to `host` and `port`, or listen there, when the graph runs.
    ///
    /// # Errors
    /// [`Error::WrongItem`] where the format cannot be made of `T`.
    pub fn new(mode: TcpMode, host: &str, port: u16, format: SampleFormat) -> Result<Self, Error> {
        item::expect::<T>(Path::new(NAME), format)?;
        Ok(TcpSink {
            // Without any item, too: a server lets its client in, a client connects.
            input: In::new().min(0),
            mode,
            host: host.to_owned(),
            port,
            format,
            listener: None,
            addresses: None,
            stream: None,
            part: Vec::new(),
            sent: 0,
            has_dropped: false,
            stopping: None,
            took: Instant::now(),
        })
    }

    /// A server listens from now on; port 0 is one that is free.
    ///
    /// # Errors
    /// [`Error::Socket`].
    pub fn open(mut self) -> Result<Self, Error> {
        if self.mode == TcpMode::Server {
            self.listen()?;
        }
        Ok(self)
    }

    /// Where a server listens, once it does.
    pub fn local_addr(&self) -> Option<SocketAddr> {
        self.listener.as_ref()?.local_addr().ok()
    }

    fn error(&self, action: &'static str, source: io::Error) -> Error {
        Error::Socket { address: format!("{}:{}", self.host, self.port), action, source }
    }

    fn listen(&mut self) -> Result<(), Error> {
        if self.listener.is_none() {
            let open = || -> io::Result<TcpListener> {
                let listener = TcpListener::bind((&*self.host, self.port))?;
                listener.set_nonblocking(true)?;
                Ok(listener)
            };
            self.listener = Some(open().map_err(|source| self.error("listen at", source))?);
        }
        Ok(())
    }

    /// Connects, or takes a client that has come; whether there is somebody to send to.
    fn meet(&mut self) -> Result<bool, Error> {
        if self.stream.is_some() {
            return Ok(true);
        }
        self.stream = match self.mode {
            TcpMode::Client => self.connect()?,
            TcpMode::Server => {
                self.listen()?;
                let accepted = self.listener.as_ref().map(TcpListener::accept);
                match accepted.transpose() {
                    Ok(accepted) => accepted.map(|(stream, _)| stream),
                    Err(error) if is_for_now(&error) || error.kind() == ErrorKind::ConnectionAborted => None,
                    Err(source) => return Err(self.error("accept connections at", source)),
                }
            }
        };
        if let Some(stream) = &self.stream {
            let set = stream.set_nonblocking(true).and_then(|()| stream.set_nodelay(true));
            set.map_err(|source| self.error("send to", source))?;
        }
        Ok(self.stream.is_some())
    }

    /// Tries the next address that the host has.
    fn connect(&mut self) -> Result<Option<TcpStream>, Error> {
        let addresses = match self.addresses.take() {
            Some(addresses) => addresses,
            None => {
                let found = (&*self.host, self.port).to_socket_addrs();
                found.map_err(|source| self.error("look up", source))?.collect()
            }
        };
        let addresses = self.addresses.insert(addresses);
        let missing = || ErrorKind::AddrNotAvailable.into();
        let tried = addresses
            .pop_front()
            .ok_or_else(missing)
            .and_then(|address| TcpStream::connect_timeout(&address, ATTEMPT));
        match tried {
            Ok(stream) => Ok(Some(stream)),
            Err(_) if !addresses.is_empty() => Ok(None),
            Err(source) => Err(self.error("connect to", source)),
        }
    }

    /// Sends what the other side takes of the part, waiting a little for it; whether all of it is gone.
    fn send(&mut self) -> Result<bool, Error> {
        while self.sent < self.part.len() {
            let Some(stream) = &mut self.stream else { return Ok(false) };
            match stream.write(&self.part[self.sent..]) {
                Ok(n) if n > 0 => (self.sent, self.took) = (self.sent + n, Instant::now()),
                Err(error) if is_for_now(&error) => {
                    let mut look = [PollFd::new(stream, PollFlags::OUT)];
                    let patience = Timespec { tv_sec: 0, tv_nsec: LOOK_EVERY.subsec_nanos().into() };
                    match poll(&mut look, Some(&patience)) {
                        Ok(0) | Err(rustix::io::Errno::INTR) => return Ok(false),
                        Ok(_) => {}
                        Err(error) => return Err(self.error("send to", error.into())),
                    }
                }
                other => {
                    let source = other.err().unwrap_or_else(|| ErrorKind::WriteZero.into());
                    if self.mode == TcpMode::Client {
                        return Err(self.error("send to", source));
                    }
                    // The rest of the sample that it has a piece of is nothing to the next one.
                    tracing::info!("a client has gone: {source}");
                    self.stream = None;
                    self.part.clear();
                    self.sent = 0;
                }
            }
        }
        self.part.clear();
        self.sent = 0;
        Ok(true)
    }

    /// Whether the graph was asked to stop so long ago that nobody is waited for any more.
    fn is_late(&mut self, context: &Context<'_>) -> bool {
        context.is_stopping() && self.stopping.get_or_insert_with(Instant::now).elapsed() > LAST_WORDS
    }
}

fn is_for_now(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

impl<T: FileItem> Work for TcpSink<T> {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        let is_late = self.is_late(context);
        let has_peer = self.meet()?;
        if !self.part.is_empty() && !self.send()? {
            if is_late {
                tracing::warn!("samples that nobody has taken in time were not sent: the graph was stopped");
                return Ok(Step::Done);
            }
            return Ok(Step::Ran);
        }
        let n = self.input.available().min(AT_ONCE);
        if n == 0 {
            // A client that has more addresses to try does.
            return Ok(if has_peer || self.mode == TcpMode::Server { Step::NeedInput } else { Step::Ran });
        }
        if has_peer {
            T::to_bytes(self.format, &self.input.peek()[..n], &mut self.part);
            self.took = Instant::now();
        } else if self.mode == TcpMode::Client {
            return Ok(Step::Ran);
        } else if !std::mem::replace(&mut self.has_dropped, true) {
            tracing::warn!("samples are dropped: there is nobody to send them to");
        }
        self.input.consume(n);
        if has_peer {
            self.send()?;
        }
        Ok(Step::Ran)
    }

    fn finish(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        let is_late = self.is_late(context) || self.took.elapsed() > LINGER;
        let has_sent = self.send()? || self.stream.is_none();
        if !has_sent && is_late {
            tracing::warn!("samples that nobody has taken in time were not sent");
        }
        if !has_sent && !is_late {
            return Ok(Step::Ran);
        }
        self.stream = None;
        Ok(Step::Done)
    }

    fn blocking(&self) -> bool {
        true
    }
}

/// How files and the command line find [`TcpSink`].
pub const ENTRY: Entry = Entry {
    name: NAME,
    category: "sinks",
    summary: "Samples to a TCP connection.",
    params: &[
        required("port", Kind::Integer(0, 65535), "", "The port; 0 lets a server have one that is free."),
        optional("host", Kind::Text, "", "\"127.0.0.1\"", "The name or address to connect to or listen at."),
        optional(
            "mode",
            Kind::Choice(&["client", "server"]),
            "",
            "\"client\"",
            "Connects to a server, or waits for a client.",
        ),
        FORMAT,
        optional(
            "input",
            FLOAT_OR_RAW,
            "",
            "\"float\"",
            "float: C32 or f32, full scale 1.0; raw: as to be sent.",
        ),
    ],
    ports: &[input("in", "C32, f32 or as sent", "the samples, full scale = 1.0 or as to be sent")],
    make: |params| {
        let (host, port) = (params.text("host"), params.count("port") as u16);
        let mode = if params.text("mode") == "server" { TcpMode::Server } else { TcpMode::Client };
        let format: SampleFormat = params.text("format").parse()?;
        let as_stored = params.text("input") == "raw";
        let path = Path::new(NAME);
        Ok(block_of_format!(path, format, as_stored, T => TcpSink::<T>::new(mode, host, port, format)?))
    },
};
