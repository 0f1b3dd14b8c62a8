//! What stands for TLS in a build that has none: nothing can be read, so that nothing of it exists.

use std::convert::Infallible;
use std::io::{self, IoSlice};
use std::net::TcpStream;
use std::path::Path;

use super::setting;
use crate::error::Error;

fn none(path: &Path) -> Error {
    setting(path, "TLS", "not in this build", "one with the feature tls")
}

#[derive(Clone, Debug)]
pub(super) struct Server(Infallible);

impl Server {
    pub fn from_files(certificates: &Path, _: &Path) -> Result<Self, Error> {
        Err(none(certificates))
    }
}

#[derive(Clone, Debug)]
pub(super) struct Client(Infallible);

impl Client {
    pub fn from_file(path: &Path) -> Result<Self, Error> {
        Err(none(path))
    }
}

#[derive(Debug)]
pub(super) struct Session(Infallible);

impl Session {
    pub fn accept(server: &Server, _: TcpStream) -> io::Result<Self> {
        match server.0 {}
    }

    pub fn connect(client: &Client, _: &str, _: TcpStream) -> io::Result<Self> {
        match client.0 {}
    }

    pub fn socket(&self) -> &TcpStream {
        match self.0 {}
    }

    pub fn wants_write(&self) -> bool {
        match self.0 {}
    }

    pub fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        match self.0 {}
    }

    pub fn write_vectored(&mut self, _: &[IoSlice<'_>]) -> io::Result<usize> {
        match self.0 {}
    }

    pub fn flush(&mut self) -> io::Result<()> {
        match self.0 {}
    }

    pub fn close(&mut self) {
        match self.0 {}
    }
}
