//! Encryption of connections: TLS 1.3 and 1.2 by `rustls`, with certificates out of files.
//!
//! [`Certificate`] is what a side that listens shows, [`Authority`] what one that connects believes. Both read PEM (RFC 7468). The
//! name that is checked is the host in the address; one that is an IP address has to be in the certificate as such.
//!
//! Without the feature `tls` both exist, and reading them is an error that says so.

#[cfg(feature = "tls")]
mod with;
#[cfg(feature = "tls")]
use with as kind;
mod wire;
#[cfg(not(feature = "tls"))]
mod without;
#[cfg(not(feature = "tls"))]
use without as kind;

use std::fmt;
use std::path::Path;

use crate::error::Error;
pub use wire::Wire;

/// A certificate and its private key, which a side that listens shows.
#[derive(Clone)]
pub struct Certificate(kind::Server);

impl fmt::Debug for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a certificate")
    }
}

impl Certificate {
    /// Reads the chain of certificates, the own one first, and the key of the first: PKCS #8, PKCS #1 or SEC 1.
    ///
    /// # Errors
    /// [`Error::Io`] where a file cannot be read; [`Error::Setting`] where it holds no certificate or no key, or they do not belong
    /// together; without the feature `tls`.
    pub fn from_files(certificates: &Path, key: &Path) -> Result<Self, Error> {
        kind::Server::from_files(certificates, key).map(Certificate)
    }
}

/// Whose certificates a side that connects believes.
#[derive(Clone)]
pub struct Authority(kind::Client);

impl fmt::Debug for Authority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("authorities")
    }
}

impl Authority {
    /// Reads the certificates of the authorities; one that has signed itself is its own.
    ///
    /// # Errors
    /// [`Error::Io`] where the file cannot be read; [`Error::Setting`] where it holds no certificate; without the feature `tls`.
    pub fn from_file(path: &Path) -> Result<Self, Error> {
        kind::Client::from_file(path).map(Authority)
    }
}

fn setting(path: &Path, parameter: &'static str, got: impl fmt::Display, expected: &str) -> Error {
    Error::Setting { path: path.to_owned(), parameter, got: got.to_string(), expected: expected.to_owned() }
}
