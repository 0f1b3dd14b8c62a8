//! Samples to a TCP connection.

use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use superhet_runtime::catalog::{Entry, Kind, input, optional, required};
use superhet_runtime::{Block, BlockError, Context, In, Step, Work};

use super::clients::{Client, Clients};
use super::item::{self, FLOAT_OR_RAW, FileItem, block_of_format};
use super::udp_source::FORMAT;
use crate::error::Error;
use crate::format::SampleFormat;
use crate::notices::Notices;

/// Samples to a TCP connection, as GNU Radio's `network.tcp_sink` sends them: their bytes and nothing else.
///
/// A client connects to a server. It ends with an error if the server is missing or closes the connection. A server sends
/// to all of its clients. Each gets whole samples, from the stream's position when it connects. Samples without any client
/// are dropped, the first time with a warning. The stream waits for the fastest client. Another one that is 256 KiB behind
/// it for 100 ms is given up, so that it does not delay the rest. A single client is waited for. There may be 64 clients.
/// One more takes the place of another: at the address with the most clients, the one that has taken nothing for longest.
/// Data from clients is ignored.
///
/// At the end the rest is sent as long as the other side takes it, and for 10 s more. When the graph is asked to stop, it
/// has 300 ms.
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
    link: Link,
    /// The last bytes that were sent, whose memory is used again.
    last: Option<Arc<Vec<u8>>>,
    has_dropped: bool,
    stopping: Option<Instant>,
    /// When the other side has last taken something, or something was given to it.
    took: Instant,
    notices: Notices,
}

/// The connections.
#[derive(Debug)]
enum Link {
    /// To be connected, or to listen, when the graph runs.
    Closed,
    /// The addresses that a client has not tried yet.
    Unconnected(VecDeque<SocketAddr>),
    Client(Client<Arc<Vec<u8>>>),
    Server(Clients<Arc<Vec<u8>>>),
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
/// The same, while items may come, too.
const SHORT: Duration = Duration::from_millis(5);
/// How long one attempt to connect takes at most: a stop waits for it.
const ATTEMPT: Duration = Duration::from_millis(500);
/// How long the end waits for somebody who takes nothing.
const LINGER: Duration = Duration::from_secs(10);
/// How long a stop waits for what is to be sent.
const LAST_WORDS: Duration = Duration::from_millis(300);
/// How long it waits for clients: as long as they are there.
const FOR_EVER: Duration = Duration::MAX;
/// Bytes that are sent at once.
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
            link: Link::Closed,
            last: None,
            has_dropped: false,
            stopping: None,
            took: Instant::now(),
            notices: Notices::default(),
        })
    }

    /// A server listens from now on; port 0 is one that is free.
    ///
    /// # Errors
    /// [`Error::Socket`].
    pub fn open(mut self) -> Result<Self, Error> {
        if self.mode == TcpMode::Server {
            self.begin()?;
        }
        Ok(self)
    }

    /// Where a server listens, once it does.
    pub fn local_addr(&self) -> Option<SocketAddr> {
        match &self.link {
            Link::Server(clients) => clients.local_addr().ok(),
            _ => None,
        }
    }

    fn error(&self, action: &'static str, source: io::Error) -> Error {
        Error::Socket { address: format!("{}:{}", self.host, self.port), action, source }
    }

    /// Looks the host up; a server listens there.
    fn begin(&mut self) -> Result<(), Error> {
        if let Link::Closed = self.link {
            let found = (&*self.host, self.port).to_socket_addrs();
            let addresses: VecDeque<SocketAddr> =
                found.map_err(|source| self.error("look up", source))?.collect();
            self.link = match self.mode {
                TcpMode::Client => Link::Unconnected(addresses),
                TcpMode::Server => {
                    let addresses: Vec<SocketAddr> = addresses.into();
                    let clients = Clients::listen(&addresses, FOR_EVER);
                    Link::Server(clients.map_err(|source| self.error("listen at", source))?)
                }
            };
        }
        Ok(())
    }

    /// Connects, or takes clients that have come; whether there is somebody to send to.
    fn meet(&mut self) -> Result<bool, Error> {
        self.begin()?;
        match &mut self.link {
            Link::Client(_) => return Ok(true),
            Link::Server(clients) => {
                clients.accept_and_read_nothing(&mut self.notices);
                return Ok(!clients.is_empty());
            }
            Link::Closed | Link::Unconnected(_) => {}
        }
        self.connect()
    }

    /// Tries the next address that the host has; whether it is connected.
    fn connect(&mut self) -> Result<bool, Error> {
        let Link::Unconnected(addresses) = &mut self.link else { return Ok(false) };
        let tried = addresses.pop_front().ok_or_else(|| ErrorKind::AddrNotAvailable.into());
        let tried = tried.and_then(|address| {
            TcpStream::connect_timeout(&address, ATTEMPT).and_then(|stream| Client::new(stream, address))
        });
        match tried {
            Ok(client) => {
                self.link = Link::Client(client);
                Ok(true)
            }
            Err(_) if !addresses.is_empty() => Ok(false),
            Err(source) => Err(self.error("connect to", source)),
        }
    }

    /// Sends what the other side takes, waiting a little for it; whether the next may be given.
    fn send(&mut self) -> Result<bool, Error> {
        for has_waited in [false, true] {
            let (moved, is_ready) = match &mut self.link {
                Link::Server(clients) => (clients.send(&mut self.notices), clients.is_ready()),
                Link::Client(client) => match client.send(FOR_EVER) {
                    Ok(moved) => (moved, !client.has_unsent()),
                    Err(source) => return Err(self.error("send to", source)),
                },
                Link::Closed | Link::Unconnected(_) => (false, true),
            };
            if moved {
                self.took = Instant::now();
            }
            if is_ready || has_waited {
                return Ok(is_ready);
            }
            self.wait(LOOK_EVERY)?;
        }
        Ok(false)
    }

    /// Waits until the other side takes more, but no longer than so.
    fn wait(&self, timeout: Duration) -> Result<(), Error> {
        let mut looks = match &self.link {
            Link::Server(clients) => clients.looks_out(),
            Link::Client(client) => vec![PollFd::new(&client.stream, PollFlags::OUT)],
            Link::Closed | Link::Unconnected(_) => Vec::new(),
        };
        let timeout = Timespec { tv_sec: 0, tv_nsec: timeout.subsec_nanos().into() };
        match poll(&mut looks, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(self.error("send to", error.into())),
        }
    }

    fn has_unsent(&self) -> bool {
        match &self.link {
            Link::Server(clients) => clients.has_unsent(),
            Link::Client(client) => client.has_unsent(),
            Link::Closed | Link::Unconnected(_) => false,
        }
    }

    /// Gives the other side the first `n` items.
    fn give(&mut self, n: usize) {
        let mut bytes = self.last.take().and_then(Arc::into_inner).unwrap_or_default();
        bytes.clear();
        T::to_bytes(self.format, &self.input.peek()[..n], &mut bytes);
        let bytes = Arc::new(bytes);
        if !self.has_unsent() {
            self.took = Instant::now();
        }
        match &mut self.link {
            Link::Server(clients) => clients.begin(&bytes),
            Link::Client(client) => client.begin(bytes.clone()),
            Link::Closed | Link::Unconnected(_) => {}
        }
        self.last = Some(bytes);
    }

    /// Whether the graph was asked to stop so long ago that nobody is waited for any more.
    fn is_late(&mut self, context: &Context<'_>) -> bool {
        context.is_stopping() && self.stopping.get_or_insert_with(Instant::now).elapsed() > LAST_WORDS
    }
}

impl<T: FileItem> Work for TcpSink<T> {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        let is_late = self.is_late(context);
        let has_peer = self.meet()?;
        if !self.send()? {
            if is_late {
                tracing::warn!("samples that nobody has taken in time were not sent: the graph was stopped");
                return Ok(Step::Done);
            }
            return Ok(Step::Ran);
        }
        let n = self.input.available().min((AT_ONCE / self.format.bytes()).max(1));
        if n == 0 {
            if self.has_unsent() {
                self.wait(SHORT)?;
                return Ok(Step::Ran);
            }
            // A client that has more addresses to try does.
            return Ok(if has_peer || self.mode == TcpMode::Server { Step::NeedInput } else { Step::Ran });
        }
        if has_peer {
            self.give(n);
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
        self.send()?;
        if self.has_unsent() {
            if !is_late {
                return Ok(Step::Ran);
            }
            tracing::warn!("samples that nobody has taken in time were not sent");
        }
        self.link = Link::Closed;
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
