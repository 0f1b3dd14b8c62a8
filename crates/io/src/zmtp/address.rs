//! Where sockets are: `tcp://host:port` and `ipc://path`, to listen at and to connect to.

use std::fmt;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

use crate::listening::{LocalListener, listen};

/// An address of a ZeroMQ socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Address {
    /// A host, where `*` is every one of IPv4, and a port, where `*` and 0 are one that is free.
    Tcp(String, u16),
    /// A Unix socket.
    Ipc(PathBuf),
}

/// What an address may look like.
pub(crate) const EXPECTED: &str = "tcp://host:port (* for every host, or a free port) or ipc://path";
/// The address that peers at a Unix socket share.
const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
/// How long one attempt to connect takes at most.
const ATTEMPT: Duration = Duration::from_millis(500);

impl Address {
    /// The address that text says; `None` where it says none.
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(path) = text.strip_prefix("ipc://") {
            let is_path = !path.is_empty() && path != "*" && !path.starts_with('@') && !path.contains('\0');
            return is_path.then(|| Address::Ipc(path.into()));
        }
        let (host, port) = text.strip_prefix("tcp://")?.rsplit_once(':')?;
        let port = if port == "*" { 0 } else { port.parse().ok()? };
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        let is_host = !bare.is_empty() && !bare.contains([';', '/', '[', ']']);
        (is_host && (bare != host || !bare.contains(':'))).then(|| Address::Tcp(bare.to_owned(), port))
    }

    fn look_up(&self, any: &str) -> io::Result<Vec<SocketAddr>> {
        let Address::Tcp(host, port) = self else { return Ok(Vec::new()) };
        let host = if host == "*" { any } else { host };
        let found: Vec<SocketAddr> = (host, *port).to_socket_addrs()?.collect();
        if found.is_empty() { Err(ErrorKind::AddrNotAvailable.into()) } else { Ok(found) }
    }

    /// Listens there. A Unix socket that nobody listens at any more is replaced.
    pub(super) fn listen(&self) -> io::Result<Listener> {
        match self {
            Address::Tcp(..) => Ok(Listener::Tcp(listen(&self.look_up("0.0.0.0")?)?)),
            Address::Ipc(path) => Ok(Listener::Ipc(LocalListener::at(path)?)),
        }
    }

    /// Tries once to connect.
    pub(super) fn connect(&self) -> io::Result<Stream> {
        match self {
            Address::Tcp(..) => {
                let mut last = ErrorKind::AddrNotAvailable.into();
                for address in self.look_up("127.0.0.1")? {
                    match TcpStream::connect_timeout(&address, ATTEMPT).and_then(Stream::tcp) {
                        // The system may connect a port to itself where nobody listens.
                        Ok(stream) if stream.is_own_echo() => {}
                        Ok(stream) => return Ok(stream),
                        Err(error) => last = error,
                    }
                }
                Err(last)
            }
            Address::Ipc(path) => {
                let stream = UnixStream::connect(path)?;
                stream.set_nonblocking(true)?;
                Ok(Stream::Ipc(stream))
            }
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Tcp(host, port) if host.contains(':') => write!(f, "tcp://[{host}]:{port}"),
            Address::Tcp(host, port) => write!(f, "tcp://{host}:{port}"),
            Address::Ipc(path) => write!(f, "ipc://{}", path.display()),
        }
    }
}

/// Waits for peers.
#[derive(Debug)]
pub(super) enum Listener {
    Tcp(TcpListener),
    Ipc(LocalListener),
}

impl Listener {
    /// A peer that has connected and its address, if any.
    pub fn accept(&self) -> io::Result<Option<(Stream, IpAddr)>> {
        let accepted = match self {
            Listener::Tcp(listener) => {
                listener.accept().and_then(|(stream, address)| Ok((Stream::tcp(stream)?, address.ip())))
            }
            Listener::Ipc(listener) => listener.accept().map(|stream| (Stream::Ipc(stream), HERE)),
        };
        match accepted {
            Ok(accepted) => Ok(Some(accepted)),
            Err(error) => match error.kind() {
                ErrorKind::WouldBlock | ErrorKind::Interrupted | ErrorKind::ConnectionAborted => Ok(None),
                _ => Err(error),
            },
        }
    }

    /// Where it listens, as peers write it.
    pub fn endpoint(&self) -> io::Result<String> {
        Ok(match self {
            Listener::Tcp(listener) => format!("tcp://{}", listener.local_addr()?),
            Listener::Ipc(listener) => Address::Ipc(listener.path().to_owned()).to_string(),
        })
    }
}

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Listener::Tcp(listener) => listener.as_fd(),
            Listener::Ipc(listener) => listener.as_fd(),
        }
    }
}

/// A connection; never waits.
#[derive(Debug)]
pub(super) enum Stream {
    Tcp(TcpStream),
    Ipc(UnixStream),
}

impl Stream {
    fn tcp(stream: TcpStream) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        stream.set_nodelay(true)?;
        Ok(Stream::Tcp(stream))
    }

    fn is_own_echo(&self) -> bool {
        match self {
            Stream::Tcp(stream) => stream.local_addr().ok() == stream.peer_addr().ok(),
            Stream::Ipc(_) => false,
        }
    }
}

impl AsFd for Stream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Stream::Tcp(stream) => stream.as_fd(),
            Stream::Ipc(stream) => stream.as_fd(),
        }
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Tcp(stream) => stream.read(buffer),
            Stream::Ipc(stream) => stream.read(buffer),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Stream::Tcp(stream) => stream.write(bytes),
            Stream::Ipc(stream) => stream.write(bytes),
        }
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_written() {
        let tcp = |host: &str, port| Some(Address::Tcp(host.to_owned(), port));
        assert_eq!(Address::parse("tcp://127.0.0.1:5555"), tcp("127.0.0.1", 5555));
        assert_eq!(Address::parse("tcp://*:*"), tcp("*", 0));
        assert_eq!(Address::parse("tcp://[::1]:0"), tcp("::1", 0));
        assert_eq!(Address::parse("tcp://[::1]:0").unwrap().to_string(), "tcp://[::1]:0");
        assert_eq!(Address::parse("ipc:///tmp/x"), Some(Address::Ipc("/tmp/x".into())));
        assert_eq!(Address::parse("ipc://a b").unwrap().to_string(), "ipc://a b");
        let wrong = [
            "",
            "tcp://",
            "tcp://host",
            "tcp://host:",
            "tcp://:5",
            "tcp://host:65536",
            "tcp://::1:5",
            "tcp://a;b:5",
            "ipc://",
            "ipc://*",
            "ipc://@name",
            "udp://host:5",
            "inproc://x",
            "host:5",
        ];
        for text in wrong {
            assert_eq!(Address::parse(text), None, "{text}");
        }
    }
}
