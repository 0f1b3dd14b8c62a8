//! Connecting to a server without ever waiting for long.

use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType};

/// How long one address has to answer.
const ATTEMPT: Duration = Duration::from_secs(5);

/// An attempt to connect to any of the addresses of a host, one after the other.
#[derive(Debug)]
pub(crate) struct Connecting {
    addresses: VecDeque<SocketAddr>,
    /// The attempt that is under way, and since when.
    current: Option<(TcpStream, Instant)>,
    problem: io::Error,
}

impl Connecting {
    /// Looks the host up.
    pub fn to(host: &str, port: u16) -> io::Result<Self> {
        let addresses = (host, port).to_socket_addrs()?.collect();
        Ok(Connecting { addresses, current: None, problem: ErrorKind::AddrNotAvailable.into() })
    }

    /// The connection, once there is one; waits no longer than `timeout` for it. An error where no address is left to try.
    pub fn poll(&mut self, timeout: Duration) -> io::Result<Option<TcpStream>> {
        let Some((stream, since)) = self.current.take() else {
            let Some(address) = self.addresses.pop_front() else {
                return Err(std::mem::replace(&mut self.problem, ErrorKind::AddrNotAvailable.into()));
            };
            match begin(address) {
                Ok(stream) => self.current = Some((stream, Instant::now())),
                Err(error) => self.problem = error,
            }
            return Ok(None);
        };
        if !wait_for(&stream, PollFlags::OUT, timeout)? {
            match since.elapsed() < ATTEMPT {
                true => self.current = Some((stream, since)),
                false => self.problem = ErrorKind::TimedOut.into(),
            }
            return Ok(None);
        }
        match outcome(&stream) {
            Ok(()) => Ok(Some(stream)),
            Err(error) => {
                self.problem = error;
                Ok(None)
            }
        }
    }
}

fn begin(address: SocketAddr) -> io::Result<TcpStream> {
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let socket = rustix::net::socket_with(family, SocketType::STREAM, flags, None)?;
    match rustix::net::connect(&socket, &address) {
        Ok(()) | Err(Errno::INPROGRESS | Errno::INTR) => Ok(socket.into()),
        Err(error) => Err(error.into()),
    }
}

fn outcome(stream: &TcpStream) -> io::Result<()> {
    if let Some(error) = stream.take_error()? {
        return Err(error);
    }
    // The system may connect a port to itself where nobody listens.
    if stream.peer_addr()? == stream.local_addr()? {
        return Err(ErrorKind::ConnectionRefused.into());
    }
    stream.set_nodelay(true)
}

/// Waits until a socket can be used so, but no longer than `timeout`; whether it can.
pub(crate) fn wait_for(socket: &impl AsFd, wanted: PollFlags, timeout: Duration) -> io::Result<bool> {
    let timeout = Timespec {
        tv_sec: i64::try_from(timeout.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: timeout.subsec_nanos().into(),
    };
    match poll(&mut [PollFd::new(socket, wanted)], Some(&timeout)) {
        Ok(n) => Ok(n > 0),
        Err(Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// `HOST:PORT`, `[HOST]:PORT`, `:PORT`, `PORT` or `HOST`, in which a part that is missing is the given one; `None` of anything
/// else.
pub(crate) fn host_and_port(text: &str, host: &str, port: u16) -> Option<(String, u16)> {
    let is_host =
        |host: &str| !host.contains(|c: char| c.is_whitespace() || c.is_control() || "/?#@[]".contains(c));
    if let Ok(port) = text.parse() {
        return Some((host.to_owned(), port));
    }
    let (name, rest) = match text.strip_prefix('[') {
        Some(text) => text.split_once(']')?,
        None => text.split_at(text.find(':').unwrap_or(text.len())),
    };
    let port = match rest.strip_prefix(':') {
        Some(port) => port.parse().ok()?,
        None if rest.is_empty() => port,
        None => return None,
    };
    let name = if name.is_empty() && !text.starts_with('[') { host } else { name };
    (!name.is_empty() && is_host(name)).then(|| (name.to_owned(), port))
}

/// As messages and URIs write it.
pub(crate) fn address(host: &str, port: u16) -> String {
    if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_people_write_them() {
        for (text, host, port) in [
            ("radio:5", "radio", 5),
            ("radio", "radio", 1234),
            (":5", "127.0.0.1", 5),
            ("5", "127.0.0.1", 5),
            ("", "127.0.0.1", 1234),
            ("[::1]:5", "::1", 5),
            ("[::1]", "::1", 1234),
        ] {
            let read = host_and_port(text, "127.0.0.1", 1234);
            assert_eq!(read, Some((host.to_owned(), port)), "{text:?}");
        }
        for wrong in
            ["a:", "a:b", "a:65536", "a:-1", "::1", "[::1", "[]:5", "[::1]5", "a b:5", "a/b:5", "a@b"]
        {
            assert_eq!(host_and_port(wrong, "127.0.0.1", 1234), None, "{wrong:?}");
        }
        assert_eq!((address("::1", 5), address("radio", 5)), ("[::1]:5".to_owned(), "radio:5".to_owned()));
    }

    #[test]
    fn where_nobody_listens_there_is_an_error() {
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut connecting = Connecting::to("127.0.0.1", port).unwrap();
        let error = (0..100).find_map(|_| connecting.poll(Duration::from_millis(50)).err()).unwrap();
        assert_eq!(error.kind(), ErrorKind::ConnectionRefused);
    }
}
