//! How a dashboard is served.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use superhet_runtime::catalog::Entry;

/// How a dashboard is served.
///
/// ```
/// use superhet_monitor::{Monitor, Options};
///
/// let monitor = Monitor::serve(Options::default().at("127.0.0.1:0".parse()?))?;
/// assert!(monitor.urls()[0].starts_with("http://127.0.0.1:"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    pub(crate) address: SocketAddr,
    pub(crate) hosts: Vec<String>,
    pub(crate) records: Option<PathBuf>,
    pub(crate) catalog: Vec<Entry>,
}

impl Default for Options {
    /// At port 8123 of this machine alone, or at any other where that one is taken; nothing can be recorded.
    fn default() -> Self {
        let address = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), Options::PORT);
        Options { address, hosts: Vec::new(), records: None, catalog: Vec::new() }
    }
}

impl Options {
    /// The port of the default address.
    pub const PORT: u16 = 8123;

    /// The address that a text says: `HOST:PORT` with numbers, as in `0.0.0.0:8123` or `[::1]:8123`, or `PORT` or `:PORT` of this
    /// machine alone.
    ///
    /// # Errors
    /// A sentence for any other text.
    pub fn parse_address(text: &str) -> Result<SocketAddr, String> {
        let port = text.strip_prefix(':').unwrap_or(text).parse();
        let local = port.map(|port| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
        local.or_else(|_| text.parse()).map_err(|_| {
            "expected a port or an address with a port, such as 8123, 0.0.0.0:8123 or [::1]:8123".to_owned()
        })
    }

    /// Listens at this address. Of one that other machines can reach, two secret tokens are asked for: see
    /// [`Monitor::urls`](crate::Monitor::urls).
    #[must_use]
    pub fn at(self, address: SocketAddr) -> Self {
        Options { address, ..self }
    }

    /// Answers to this name of a host, too. Others than `localhost` and the address are refused, so that a page from elsewhere
    /// cannot reach the dashboard by a name of its own.
    #[must_use]
    pub fn host(mut self, name: impl Into<String>) -> Self {
        self.hosts.push(name.into().to_ascii_lowercase());
        self
    }

    /// Lets viewers who may control record streams into files in this folder, and nowhere else.
    #[must_use]
    pub fn record_into(self, folder: impl Into<PathBuf>) -> Self {
        Options { records: Some(folder.into()), ..self }
    }

    /// Knows these blocks by their names: what their parameters mean, and what another block can be replaced by.
    #[must_use]
    pub fn catalog(mut self, entries: &[Entry]) -> Self {
        self.catalog.extend_from_slice(entries);
        self
    }

    /// Whether only this machine can reach it.
    pub(crate) fn is_local(&self) -> bool {
        self.address.ip().is_loopback()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_port_of_this_machine_or_has_one() {
        let address = |text: &str| Options::parse_address(text).map(|address| address.to_string());
        for port in ["9000", ":9000"] {
            assert_eq!(address(port), Ok("127.0.0.1:9000".to_owned()));
        }
        assert_eq!(address("[::1]:80"), Ok("[::1]:80".to_owned()));
        assert!(address("radio.lan:80").unwrap_err().contains("0.0.0.0:8123"));
    }
}
