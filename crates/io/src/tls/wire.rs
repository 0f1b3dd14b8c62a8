//! A connection, encrypted or not.

use std::io::{self, IoSlice, Read, Write};
use std::net::TcpStream;

use super::kind::Session;
use super::{Authority, Certificate};

/// A connection, encrypted or not. It waits where its socket does.
///
/// ```
/// use std::io::{Read, Write};
/// use std::net::{TcpListener, TcpStream};
/// use superhet_io::tls::Wire;
///
/// let listener = TcpListener::bind("127.0.0.1:0")?;
/// let mut here = Wire::connect(TcpStream::connect(listener.local_addr()?)?, "127.0.0.1", None)?;
/// let mut there = Wire::accept(listener.accept()?.0, None)?;
/// here.write_all(b"abc")?;
/// let mut bytes = [0; 3];
/// there.read_exact(&mut bytes)?;
/// assert_eq!(&bytes, b"abc");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Wire(Kind);

#[derive(Debug)]
enum Kind {
    Plain(TcpStream),
    Tls(Box<Session>),
}

impl Wire {
    /// The side that was connected to; encrypted where it shows a certificate.
    ///
    /// # Errors
    /// Where there is no memory for it.
    pub fn accept(socket: TcpStream, certificate: Option<&Certificate>) -> io::Result<Self> {
        match certificate {
            None => Ok(Wire(Kind::Plain(socket))),
            Some(certificate) => Ok(Wire(Kind::Tls(Box::new(Session::accept(&certificate.0, socket)?)))),
        }
    }

    /// The side that has connected to `host`; encrypted where it believes somebody.
    ///
    /// # Errors
    /// Where the host's name is none that a certificate can have.
    pub fn connect(socket: TcpStream, host: &str, authority: Option<&Authority>) -> io::Result<Self> {
        match authority {
            None => Ok(Wire(Kind::Plain(socket))),
            Some(authority) => Ok(Wire(Kind::Tls(Box::new(Session::connect(&authority.0, host, socket)?)))),
        }
    }

    /// The socket, to be waited for.
    pub fn socket(&self) -> &TcpStream {
        match &self.0 {
            Kind::Plain(socket) => socket,
            Kind::Tls(session) => session.socket(),
        }
    }

    /// Whether something that was written waits for the socket to take it.
    pub fn wants_write(&self) -> bool {
        match &self.0 {
            Kind::Plain(_) => false,
            Kind::Tls(session) => session.wants_write(),
        }
    }

    /// The socket of a connection that is not encrypted.
    pub(crate) fn into_plain(self) -> Option<TcpStream> {
        match self.0 {
            Kind::Plain(socket) => Some(socket),
            Kind::Tls(_) => None,
        }
    }

    /// Tells the other side that nothing more comes.
    pub fn close(&mut self) {
        if let Kind::Tls(session) = &mut self.0 {
            session.close();
        }
    }
}

impl Read for Wire {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match &mut self.0 {
            Kind::Plain(socket) => socket.read(bytes),
            Kind::Tls(session) => session.read(bytes),
        }
    }
}

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_vectored(&[IoSlice::new(bytes)])
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        match &mut self.0 {
            Kind::Plain(socket) => socket.write_vectored(slices),
            Kind::Tls(session) => session.write_vectored(slices),
        }
    }

    /// Sends what waits; `WouldBlock` where the socket does not take all of it.
    fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            Kind::Plain(_) => Ok(()),
            Kind::Tls(session) => session.flush(),
        }
    }
}
