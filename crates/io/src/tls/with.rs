//! TLS by rustls.

use std::fmt;
use std::io::{self, ErrorKind, IoSlice, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;

use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, Connection, RootCertStore, ServerConfig, ServerConnection};

use super::setting;
use crate::error::Error;

/// Bytes that wait to be encrypted or sent, at most: as much as a chunk of a stream.
const MOST_WAITING: usize = 1 << 18;

/// One provider for all: programs that use rustls for something else keep theirs.
fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

fn unreadable(path: &Path, parameter: &'static str, error: pem::Error, expected: &str) -> Error {
    match error {
        pem::Error::Io(source) => Error::io(path, "read", source),
        error => setting(path, parameter, error, expected),
    }
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, Error> {
    let wrong = |error| unreadable(path, "certificate", error, "certificates as PEM");
    let all: Result<Vec<_>, _> = CertificateDer::pem_file_iter(path).map_err(wrong)?.collect();
    let all = all.map_err(wrong)?;
    match all.is_empty() {
        true => Err(setting(path, "certificate", "missing", "one or more as PEM")),
        false => Ok(all),
    }
}

/// What a side that listens shows.
#[derive(Clone, Debug)]
pub(super) struct Server(Arc<ServerConfig>);

impl Server {
    pub fn from_files(chain: &Path, key: &Path) -> Result<Self, Error> {
        let wrong = |error| unreadable(key, "private key", error, "one as PEM");
        let private = PrivateKeyDer::from_pem_file(key).map_err(wrong)?;
        let chain = certificates(chain)?;
        let config = ServerConfig::builder_with_provider(provider())
            .with_safe_default_protocol_versions()
            .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, private));
        let config = config.map_err(|error| setting(key, "private key", error, "that of the certificate"))?;
        Ok(Server(Arc::new(config)))
    }
}

/// Whom a side that connects believes.
#[derive(Clone, Debug)]
pub(super) struct Client(Arc<ClientConfig>);

impl Client {
    pub fn from_file(path: &Path) -> Result<Self, Error> {
        let mut roots = RootCertStore::empty();
        for certificate in certificates(path)? {
            let added = roots.add(certificate);
            added.map_err(|error| setting(path, "certificate", error, "that of an authority"))?;
        }
        let config = ClientConfig::builder_with_provider(provider()).with_safe_default_protocol_versions();
        let config = config.map_err(|error| setting(path, "TLS", error, "a version that both sides have"))?;
        Ok(Client(Arc::new(config.with_root_certificates(roots).with_no_client_auth())))
    }
}

/// An encrypted connection over a socket that does not wait, or waits up to its timeout.
pub(super) struct Session {
    connection: Connection,
    socket: TcpStream,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Session").field(&self.socket).finish()
    }
}

impl Session {
    pub fn accept(server: &Server, socket: TcpStream) -> io::Result<Self> {
        let connection = ServerConnection::new(server.0.clone()).map_err(io::Error::other)?;
        Ok(Session::new(connection.into(), socket))
    }

    pub fn connect(client: &Client, host: &str, socket: TcpStream) -> io::Result<Self> {
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        let connection = ClientConnection::new(client.0.clone(), name).map_err(io::Error::other)?;
        Ok(Session::new(connection.into(), socket))
    }

    fn new(mut connection: Connection, socket: TcpStream) -> Self {
        connection.set_buffer_limit(Some(MOST_WAITING));
        Session { connection, socket }
    }

    pub fn socket(&self) -> &TcpStream {
        &self.socket
    }

    /// Whether something waits for the socket to take it.
    pub fn wants_write(&self) -> bool {
        self.connection.wants_write()
    }

    pub fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.connection.reader().read(bytes) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                // The other side may go without a word: frames have their own end.
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(0),
                read => return read,
            }
            self.push()?;
            self.connection.read_tls(&mut self.socket)?;
            if let Err(error) = self.connection.process_new_packets() {
                // It is told why, if it still listens.
                let _ = self.push();
                return Err(io::Error::new(ErrorKind::InvalidData, format!("TLS: {error}")));
            }
        }
    }

    pub fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        self.push()?;
        match self.connection.writer().write_vectored(slices)? {
            0 if slices.iter().any(|slice| !slice.is_empty()) => Err(ErrorKind::WouldBlock.into()),
            n => self.push().map(|()| n),
        }
    }

    /// Sends what waits; an error where the socket does not take all of it.
    pub fn flush(&mut self) -> io::Result<()> {
        while self.connection.wants_write() {
            self.connection.write_tls(&mut self.socket)?;
        }
        Ok(())
    }

    /// The same, as far as the socket takes it now.
    fn push(&mut self) -> io::Result<()> {
        match self.flush() {
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(()),
            pushed => pushed,
        }
    }

    /// Tells the other side that nothing more comes, as far as the socket takes it now.
    pub fn close(&mut self) {
        self.connection.send_close_notify();
        // It may have gone already.
        let _ = self.push();
    }
}
