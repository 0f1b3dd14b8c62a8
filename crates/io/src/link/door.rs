//! Where readers of a link connect to.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, ToSocketAddrs};
use std::os::fd::{AsFd, BorrowedFd};

use super::line::{Line, Local};
use super::place::{Place, socket_of};
use super::server::keep_alive;
use crate::listening::{LocalListener, listen};
use crate::tls::{Certificate, Wire};

/// What a sink listens at.
#[derive(Debug)]
pub(crate) enum Door {
    Net(TcpListener, Option<Certificate>),
    Local(LocalListener),
}

/// The address that all on this machine share.
const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// One who has connected.
pub(crate) struct Newcomer {
    pub line: Line,
    pub name: String,
    pub origin: IpAddr,
}

impl Door {
    /// Listens there; connections over the network are encrypted where there is a certificate.
    pub fn at(place: &Place, certificate: Option<Certificate>) -> io::Result<Self> {
        match place {
            Place::Net { host, port } => {
                let addresses: Vec<SocketAddr> = (&**host, *port).to_socket_addrs()?.collect();
                Ok(Door::Net(listen(&addresses)?, certificate))
            }
            Place::Memory(name) => Ok(Door::Local(LocalListener::at(&socket_of(name)?)?)),
        }
    }

    /// The address, where it is one of the network.
    pub fn local_addr(&self) -> Option<SocketAddr> {
        match self {
            Door::Net(listener, _) => listener.local_addr().ok(),
            Door::Local(_) => None,
        }
    }

    /// Whether frames go through memory.
    pub fn is_local(&self) -> bool {
        matches!(self, Door::Local(_))
    }

    /// Takes one who has connected; the inner error is that of one who is not to be had any more.
    pub fn accept(&self) -> io::Result<io::Result<Newcomer>> {
        match self {
            Door::Net(listener, certificate) => {
                let (stream, address) = listener.accept()?;
                let prepare = || {
                    stream.set_nonblocking(true)?;
                    stream.set_nodelay(true)?;
                    keep_alive(&stream)
                };
                let line = prepare().and_then(|()| Wire::accept(stream, certificate.as_ref()));
                Ok(line.map(|wire| Newcomer {
                    line: Line::Net(wire),
                    name: address.to_string(),
                    origin: address.ip(),
                }))
            }
            Door::Local(listener) => {
                let line = Line::Local(Local::accepted(listener.accept()?));
                Ok(Ok(Newcomer { line, name: "a process of this machine".to_owned(), origin: HERE }))
            }
        }
    }
}

impl AsFd for Door {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Door::Net(listener, _) => listener.as_fd(),
            Door::Local(listener) => listener.as_fd(),
        }
    }
}
