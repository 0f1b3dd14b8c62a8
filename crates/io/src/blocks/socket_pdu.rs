//! Packets to and from UDP and TCP sockets.

use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs, UdpSocket};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use superhet_runtime::catalog::{Entry, Kind, input, optional, output, required};
use superhet_runtime::{
    AnyBlock, Block, BlockError, Context, MsgIn, MsgOut, Packet, Step, Work, message::MessageType,
};

use super::behind::Behind;
use super::clients::{Client, Clients, Words, not_yet};
use crate::error::Error;
use crate::notices::Notices;

/// Packets to and from a socket.
///
/// | kind | packets that come in are | packets go out to |
/// |---|---|---|
/// | UDP server | the datagrams to its address | whoever sent the last datagram |
/// | UDP client | the datagrams that the server answers with | the server |
/// | TCP server | what one read gives, of any client | every client |
/// | TCP client | what one read gives | the server |
///
/// TCP has no packets: one packet may arrive as several, or several as one. The metadata's entry `peer` names the sender of
/// a packet. A packet without a receiver (no client yet, no datagram yet) is dropped, the first one with a warning.
///
/// A packet that the peer does not take waits, and so do the packets after it. A TCP peer that takes nothing for
/// [`PEER_TIMEOUT`] is given up: for a client that is an error, a server goes on without that peer. A server with several
/// clients sends at the pace of the fastest. A client that is 256 KiB behind it for 100 ms is given up. A server has at
/// most 64 clients. One more takes the place of another: at the address with the most clients, the one that was silent for
/// longest. So a client that only listens keeps its connection while there is no crowd at its own address, or at 64 others.
/// A datagram that cannot be sent is dropped and counted, for example one to a sender that claims port 0. A TCP client ends
/// when the server closes the connection. A block whose `out` is unconnected ends when its senders have; others go on
/// receiving until they are stopped.
///
/// | port | item | unit |
/// |---|---|---|
/// | in `in` | packets of `u8` | as to be sent |
/// | out `out` | packets of `u8` | as received |
///
/// # Errors
/// At run time: [`Error::Socket`]; a message that is no packet of bytes.
///
/// ```
/// use superhet_io::blocks::{SocketKind, SocketPdu};
/// use superhet_runtime::{Graph, Options, Single};
///
/// let mut graph = Graph::new();
/// let socket = SocketPdu::open(SocketKind::UdpServer, "127.0.0.1", 0)?;
/// assert!(socket.local_addr().is_some_and(|address| address.port() != 0));
/// graph.add("socket", socket);
/// let running = graph.check()?.start(&Single, &Options::default())?;
/// running.stop_within(std::time::Duration::from_secs(1))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Block)]
pub struct SocketPdu {
    #[port("in")]
    input: MsgIn,
    #[port("out")]
    output: MsgOut,
    kind: SocketKind,
    host: String,
    port: u16,
    socket: Socket,
    /// The most bytes of a packet made of what TCP has.
    most: usize,
    buffer: Vec<u8>,
    /// A packet that UDP has had no room for yet.
    waiting: Option<Packet<u8>>,
    /// Whether a packet for nobody has been dropped.
    has_dropped: bool,
    behind: Behind,
    notices: Notices,
    peer_key: Arc<str>,
    /// When the graph was asked to stop.
    stopping: Option<Instant>,
}

/// Which kind of socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SocketKind {
    /// Waits for datagrams.
    UdpServer,
    /// Sends datagrams to a server.
    UdpClient,
    /// Waits for connections.
    TcpServer,
    /// Connects to a server.
    TcpClient,
}

/// How long a TCP peer may take nothing, and how long a connection may take to be made.
pub const PEER_TIMEOUT: Duration = Duration::from_secs(10);
/// How long the block waits for its sockets between looks at its messages.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// How long it waits for the blocks behind it, where they have enough to do.
const SHORT: Duration = Duration::from_millis(2);
/// How long one attempt to connect takes at most: a stop waits for it.
const ATTEMPT: Duration = Duration::from_millis(500);
/// How long a stop waits for what is to be sent.
const LAST_WORDS: Duration = Duration::from_millis(300);
/// Bytes of packets that may wait to be used by other blocks.
const MOST_BEHIND: usize = 1 << 22;
/// Packets that are moved at once in each direction.
const AT_ONCE: usize = 64;
/// Bytes from which on no more packets are sent at once.
const BYTES_AT_ONCE: usize = 1 << 16;
/// The longest datagram is shorter.
const DATAGRAM: usize = 1 << 16;

#[derive(Debug)]
enum Socket {
    /// To be opened when the graph runs.
    Closed,
    Udp {
        socket: UdpSocket,
        peer: Option<SocketAddr>,
        is_server: bool,
    },
    Server(Clients<Packet<u8>>),
    /// To be connected when the graph runs.
    Unconnected {
        addresses: VecDeque<SocketAddr>,
        since: Option<Instant>,
    },
    Client(Client<Packet<u8>>),
}

impl SocketPdu {
    /// A socket at `host` and `port`, where a server will listen and a client connect to when the graph runs.
    pub fn new(kind: SocketKind, host: &str, port: u16) -> Self {
        SocketPdu {
            input: MsgIn::new().takes(MessageType::packets_of::<u8>()),
            output: MsgOut::new().sends(MessageType::packets_of::<u8>()),
            kind,
            host: host.to_owned(),
            port,
            socket: Socket::Closed,
            most: 10_000,
            buffer: vec![0; DATAGRAM],
            waiting: None,
            has_dropped: false,
            behind: Behind::default(),
            notices: Notices::default(),
            peer_key: "peer".into(),
            stopping: None,
        }
    }

    /// As [`SocketPdu::new`], and a server listens from now on (port 0: one that is free).
    ///
    /// # Errors
    /// [`Error::Socket`] where there is no such host, or a server cannot listen there.
    pub fn open(kind: SocketKind, host: &str, port: u16) -> Result<Self, Error> {
        let mut socket = SocketPdu::new(kind, host, port);
        socket.socket = socket.open_socket()?;
        Ok(socket)
    }

    fn open_socket(&self) -> Result<Socket, Error> {
        let (host, port) = (&*self.host, self.port);
        let fail = |action| move |source| Error::Socket { address: format!("{host}:{port}"), action, source };
        let addresses: VecDeque<SocketAddr> =
            (host, port).to_socket_addrs().map_err(fail("look up"))?.collect();
        let Some(first) = addresses.front().copied() else {
            return Err(fail("look up")(ErrorKind::AddrNotAvailable.into()));
        };
        let all: Vec<SocketAddr> = addresses.iter().copied().collect();
        let udp = |bind: &[SocketAddr], peer, is_server| -> io::Result<Socket> {
            let socket = UdpSocket::bind(bind)?;
            socket.set_nonblocking(true)?;
            Ok(Socket::Udp { socket, peer, is_server })
        };
        Ok(match self.kind {
            SocketKind::UdpServer => udp(&all, None, true).map_err(fail("listen at"))?,
            SocketKind::UdpClient => {
                let any: SocketAddr =
                    if first.is_ipv4() { ([0; 4], 0).into() } else { ([0u16; 8], 0).into() };
                udp(&[any], Some(first), false).map_err(fail("send to"))?
            }
            SocketKind::TcpServer => {
                Socket::Server(Clients::listen(&all, PEER_TIMEOUT).map_err(fail("listen at"))?)
            }
            SocketKind::TcpClient => Socket::Unconnected { addresses, since: None },
        })
    }

    /// Sets how many bytes a packet has at most that is made of what TCP has; 1 to 65 536.
    #[must_use]
    pub fn mtu(mut self, bytes: usize) -> Self {
        self.most = bytes.clamp(1, DATAGRAM);
        self
    }

    /// Where a server listens, once it does.
    pub fn local_addr(&self) -> Option<SocketAddr> {
        match &self.socket {
            Socket::Udp { socket, is_server: true, .. } => socket.local_addr().ok(),
            Socket::Server(clients) => clients.local_addr().ok(),
            _ => None,
        }
    }

    /// Opens the socket and connects, where that has not been done; whether there is a socket to use.
    fn connect(&mut self) -> Result<bool, Error> {
        if let Socket::Closed = self.socket {
            self.socket = self.open_socket()?;
        }
        let Socket::Unconnected { addresses, since } = &mut self.socket else { return Ok(true) };
        let since = *since.get_or_insert_with(Instant::now);
        let Some(&address) = addresses.front() else { return Ok(false) };
        match TcpStream::connect_timeout(&address, ATTEMPT).and_then(|stream| Client::new(stream, address)) {
            Ok(peer) => {
                self.socket = Socket::Client(peer);
                Ok(true)
            }
            // The next address, if there is one; one that keeps silent again, for a while.
            Err(error) if error.kind() == ErrorKind::TimedOut && since.elapsed() < PEER_TIMEOUT => {
                addresses.rotate_left(1);
                Ok(false)
            }
            Err(_) if addresses.len() > 1 => {
                addresses.pop_front();
                Ok(false)
            }
            Err(source) => Err(Error::Socket { address: address.to_string(), action: "connect to", source }),
        }
    }

    /// Sends what waits and what has come as messages; whether anything moved.
    fn send(&mut self) -> Result<bool, BlockError> {
        // A server sends all of its clients in one write what is there: with one for each packet, a crowd has no other turn.
        let (rounds, packets) = match self.socket {
            Socket::Server(_) => (1, AT_ONCE),
            _ => (AT_ONCE, 1),
        };
        let mut moved = self.send_waiting()?;
        for _ in 0..rounds {
            if !self.is_ready() || !self.begin_some(packets)? {
                break;
            }
            moved = true;
            self.send_waiting()?;
        }
        Ok(moved)
    }

    /// Begins to send so many packets at most. Returns whether there were any.
    fn begin_some(&mut self, most: usize) -> Result<bool, BlockError> {
        let (mut packets, mut bytes) = (0usize, 0usize);
        while packets < most && bytes < BYTES_AT_ONCE {
            let Some(message) = self.input.recv() else { break };
            let packet = Packet::try_from(message)?;
            (packets, bytes) = (packets.saturating_add(1), bytes.saturating_add(packet.len()));
            self.begin(packet);
        }
        Ok(packets > 0)
    }

    /// Begins to send a packet, where nothing but others of the same time is being sent.
    fn begin(&mut self, packet: Packet<u8>) {
        let has_receiver = match &mut self.socket {
            Socket::Udp { peer, .. } => {
                let has_peer = peer.is_some();
                self.waiting = has_peer.then_some(packet);
                has_peer
            }
            Socket::Server(clients) => {
                clients.begin(&packet);
                !clients.is_empty()
            }
            Socket::Client(peer) => {
                peer.begin(packet);
                true
            }
            Socket::Closed | Socket::Unconnected { .. } => false,
        };
        if !has_receiver && !std::mem::replace(&mut self.has_dropped, true) {
            tracing::warn!(
                "a packet was dropped, the first of its socket: there is nobody yet to send it to"
            );
        }
    }

    fn has_unsent(&self) -> bool {
        match &self.socket {
            Socket::Udp { .. } => self.waiting.is_some(),
            Socket::Server(clients) => clients.has_unsent(),
            Socket::Client(peer) => peer.has_unsent(),
            Socket::Closed | Socket::Unconnected { .. } => false,
        }
    }

    /// Whether the next packet can begin.
    fn is_ready(&self) -> bool {
        match &self.socket {
            Socket::Server(clients) => clients.is_ready(),
            _ => !self.has_unsent(),
        }
    }

    fn send_waiting(&mut self) -> Result<bool, Error> {
        match &mut self.socket {
            Socket::Udp { socket, peer: Some(peer), is_server } => {
                let Some(packet) = &self.waiting else { return Ok(false) };
                let sent = match not_yet(socket.send_to(packet.items(), *peer)) {
                    Ok(sent) => sent.is_some(),
                    // An earlier datagram has found nobody: datagrams may get lost.
                    Err(error) if error.kind() == ErrorKind::ConnectionRefused => return Ok(false),
                    // Whose address it is, or claims to be, was not the user's choice; a way may come back.
                    Err(error) if *is_server || is_no_way(&error) => {
                        let bytes = packet.len();
                        self.output.count_dropped_packet();
                        self.notices.warn(|| {
                            format!("a packet of {bytes} bytes was dropped: cannot send to {peer}: {error}")
                        });
                        true
                    }
                    Err(source) => {
                        let address = format!("{peer}, {} bytes", packet.len());
                        return Err(Error::Socket { address, action: "send to", source });
                    }
                };
                if sent {
                    self.waiting = None;
                }
                Ok(sent)
            }
            Socket::Server(clients) => Ok(clients.send(&mut self.notices)),
            Socket::Client(peer) => peer.send(PEER_TIMEOUT).map_err(|source| Error::Socket {
                address: peer.name.to_string(),
                action: "send to",
                source,
            }),
            _ => Ok(false),
        }
    }

    /// Sends on as messages what has come; whether anything has.
    fn receive(&mut self) -> Result<bool, BlockError> {
        // Clients are taken all the same: a flood does not keep others from coming.
        let is_full = self.behind.is_full(&self.output, MOST_BEHIND);
        let mut received: Vec<(Arc<str>, Packet<u8>)> = Vec::new();
        let buffer = &mut self.buffer;
        let most = self.most.min(buffer.len());
        let mut accepted = false;
        match &mut self.socket {
            Socket::Udp { socket, peer, is_server } => {
                while !is_full && received.len() < AT_ONCE {
                    match not_yet(socket.recv_from(buffer)) {
                        Ok(Some((n, from))) => {
                            let bytes = buffer.get(..n).unwrap_or_default();
                            received.push((from.to_string().into(), Packet::from_items(bytes)));
                            // Nobody is there at port 0.
                            if *is_server && from.port() != 0 {
                                *peer = Some(from);
                            }
                        }
                        Ok(None) => break,
                        Err(error) if error.kind() == ErrorKind::ConnectionRefused => break,
                        Err(source) => {
                            let address = "datagrams".to_owned();
                            return Err(Error::Socket { address, action: "receive", source }.into());
                        }
                    }
                }
            }
            Socket::Server(clients) => {
                let buffer = &mut buffer[..most];
                let words = if is_full { Words::Left } else { Words::Shown };
                let mut keep = |name: &Arc<str>, bytes: &[u8]| {
                    received.push((name.clone(), Packet::from_items(bytes)));
                };
                accepted = clients.accept(buffer, words, &mut self.notices, &mut keep);
                if !is_full {
                    clients.receive(buffer, &mut self.notices, keep);
                }
            }
            Socket::Client(peer) => {
                while !is_full && received.len() < AT_ONCE {
                    match peer.receive(&mut buffer[..most]) {
                        Ok(Some(n)) => {
                            let bytes = buffer.get(..n).unwrap_or_default();
                            received.push((peer.name.clone(), Packet::from_items(bytes)));
                        }
                        Ok(None) => break,
                        Err(source) => {
                            let address = peer.name.to_string();
                            return Err(Error::Socket { address, action: "receive from", source }.into());
                        }
                    }
                }
            }
            Socket::Closed | Socket::Unconnected { .. } => {}
        }
        let any = !received.is_empty() || accepted;
        for (name, mut packet) in received {
            packet.set(self.peer_key.clone(), name);
            self.behind.add(packet.len());
            self.output.send(packet)?;
        }
        Ok(any)
    }

    /// Sends and receives; if there was nothing to do, waits a little for the sockets.
    fn exchange(&mut self) -> Result<(), BlockError> {
        if !self.connect()? {
            return Ok(());
        }
        let moved = self.send()? | self.receive()?;
        if moved || (self.input.has_mail() && self.is_ready()) {
            return Ok(());
        }
        if self.behind.is_full(&self.output, MOST_BEHIND) {
            // What has come waits, and would end every look at once.
            std::thread::sleep(SHORT);
            return Ok(());
        }
        let mut looks = match &self.socket {
            Socket::Udp { socket, .. } => {
                let mut wanted = PollFlags::IN;
                wanted.set(PollFlags::OUT, self.waiting.is_some());
                vec![PollFd::new(socket, wanted)]
            }
            Socket::Server(clients) => clients.looks(),
            Socket::Client(peer) => vec![PollFd::new(&peer.stream, peer.wanted())],
            Socket::Closed | Socket::Unconnected { .. } => vec![],
        };
        let timeout = Timespec { tv_sec: 0, tv_nsec: LOOK_EVERY.subsec_nanos().into() };
        match poll(&mut looks, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(io::Error::from(error).into()),
        }
    }

    /// Whether the graph was asked to stop, and all that had come was sent or has had its time.
    fn is_stopped(&mut self, context: &Context<'_>) -> bool {
        if !context.is_stopping() {
            return false;
        }
        let is_late = self.stopping.get_or_insert_with(Instant::now).elapsed() > LAST_WORDS;
        let waits = self.has_unsent() || self.input.has_mail();
        if is_late && waits {
            tracing::warn!("packets that nobody has taken in time were not sent: the graph was stopped");
        }
        is_late || (!waits && !self.input.is_connected())
    }

    /// Whether the other side has closed the only connection that there is, and all was received.
    fn is_over(&self) -> bool {
        matches!(&self.socket, Socket::Client(peer) if peer.has_closed())
    }
}

/// Whether there is no way to an address now.
fn is_no_way(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::NetworkUnreachable | ErrorKind::HostUnreachable | ErrorKind::NetworkDown
    )
}

impl Work for SocketPdu {
    fn work(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        if self.is_stopped(context) {
            return Ok(Step::Done);
        }
        self.exchange()?;
        Ok(if self.is_over() { Step::Done } else { Step::Ran })
    }

    fn finish(&mut self, context: &mut Context<'_>) -> Result<Step, BlockError> {
        let has_sent = !self.has_unsent() && !self.input.has_mail();
        if has_sent && (context.is_stopping() || !self.output.is_connected()) {
            return Ok(Step::Done);
        }
        self.work(context)
    }

    fn blocking(&self) -> bool {
        true
    }
}

/// How files and the command line find [`SocketPdu`].
pub const ENTRY: Entry = Entry {
    name: "socket_pdu",
    category: "packets",
    summary: "Packets to and from a UDP or TCP socket.",
    params: &[
        required(
            "kind",
            Kind::Choice(&["udp_server", "udp_client", "tcp_server", "tcp_client"]),
            "",
            "Which kind of socket.",
        ),
        optional("host", Kind::Text, "", "\"127.0.0.1\"", "The name or address to listen at or connect to."),
        required("port", Kind::Integer(0, 65535), "", "The port; 0 lets a server have one that is free."),
        optional(
            "mtu",
            Kind::Integer(1, DATAGRAM as i64),
            "bytes",
            "10000",
            "The longest packet made of what TCP has.",
        ),
    ],
    ports: &[
        input("in", "messages", "packets of u8 to be sent"),
        output("out", "messages", "packets of u8 that were received; peer in their metadata says from whom"),
    ],
    make: |params| {
        let kind = match params.text("kind") {
            "udp_server" => SocketKind::UdpServer,
            "udp_client" => SocketKind::UdpClient,
            "tcp_server" => SocketKind::TcpServer,
            _ => SocketKind::TcpClient,
        };
        let socket = SocketPdu::new(kind, params.text("host"), params.count("port") as u16);
        Ok(AnyBlock::new(socket.mtu(params.count("mtu"))))
    },
};
