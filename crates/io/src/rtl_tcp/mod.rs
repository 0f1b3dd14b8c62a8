//! The protocol of rtl_tcp, both sides: samples of a radio over TCP, and commands to it.
//!
//! The server greets a client with 12 bytes and then sends samples as `cu8`, for as long as the client stays. The client may
//! send commands of 5 bytes at any time: the number of the command, and its argument. All numbers are big endian. Nothing is
//! ever acknowledged, and the stream says neither its rate nor what is missing in it.
//!
//! **Source**: `rtl_tcp.c` of the project rtl-sdr describes the protocol by what it reads and writes; the numbers are a
//! convention that other programs share.

pub(crate) mod arrivals;
pub(crate) mod client;
pub(crate) mod command;
pub(crate) mod fuzzing;
pub(crate) mod server;

use std::fmt;
use std::time::{Duration, Instant};

use crate::error::Error;

pub use command::DirectSampling;

/// Where a server is found, if nothing else is said.
pub const PORT: u16 = 1234;
/// The host and port that `HOST:PORT`, `[HOST]:PORT`, `:PORT`, `PORT` or `HOST` says; what is missing is 127.0.0.1 and
/// [`PORT`]. `None` where it says none.
///
/// ```
/// use superhet_io::rtl_tcp::place;
/// assert_eq!(place("radio"), Some(("radio".to_owned(), 1234)));
/// assert_eq!(place("[::1]:5"), Some(("::1".to_owned(), 5)));
/// assert_eq!(place("radio:x"), None);
/// ```
pub fn place(text: &str) -> Option<(String, u16)> {
    crate::connecting::host_and_port(text, "127.0.0.1", PORT)
}

/// What the server at a place says of its radio, if it does so in that time. Its client goes again at once.
///
/// # Errors
/// [`Error::Radio`].
pub fn probe(host: &str, port: u16, timeout: Duration) -> Result<Greeting, Error> {
    let fail = |problem: String| Error::Radio { address: crate::connecting::address(host, port), problem };
    let start = Instant::now();
    let mut connection = client::Connection::to(host, port).map_err(|broken| fail(broken.to_string()))?;
    loop {
        let left = timeout.saturating_sub(start.elapsed());
        if let Some(greeting) = connection.greeting() {
            return Ok(greeting);
        }
        if left.is_zero() {
            return Err(fail(format!("it has not greeted in {} ms", timeout.as_millis())));
        }
        connection.open(left).map_err(|broken| fail(broken.to_string()))?;
    }
}

/// How a greeting begins.
pub(crate) const MAGIC: [u8; 4] = *b"RTL0";
/// How long a greeting is.
pub(crate) const GREETING: usize = 12;

/// What a server says of its radio.
///
/// | bytes | value |
/// |---|---|
/// | 0 to 3 | `RTL0` |
/// | 4 to 7 | the kind of tuner, 1 to 6; 0 where it is not known |
/// | 8 to 11 | how many gains the tuner has |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Greeting {
    /// The kind of tuner.
    pub tuner: u32,
    /// How many gains it has.
    pub gains: u32,
}

impl Greeting {
    /// Of an R820T with its 29 gains, the most common tuner, which programs know best.
    pub(crate) const R820T: Greeting = Greeting { tuner: 5, gains: 29 };

    /// The name of the kind of tuner.
    pub fn tuner_name(self) -> &'static str {
        match self.tuner {
            1 => "E4000",
            2 => "FC0012",
            3 => "FC0013",
            4 => "FC2580",
            5 => "R820T",
            6 => "R828D",
            _ => "unknown",
        }
    }

    /// What the bytes say; `None` where they are no greeting.
    pub(crate) fn parse(bytes: &[u8; GREETING]) -> Option<Self> {
        let (magic, rest) = bytes.split_first_chunk::<4>()?;
        let (tuner, rest) = rest.split_first_chunk::<4>()?;
        let gains = rest.first_chunk::<4>()?;
        (*magic == MAGIC)
            .then(|| Greeting { tuner: u32::from_be_bytes(*tuner), gains: u32::from_be_bytes(*gains) })
    }

    pub(crate) fn bytes(self) -> [u8; GREETING] {
        let mut bytes = [0; GREETING];
        bytes[..4].copy_from_slice(&MAGIC);
        bytes[4..8].copy_from_slice(&self.tuner.to_be_bytes());
        bytes[8..].copy_from_slice(&self.gains.to_be_bytes());
        bytes
    }
}

impl fmt::Display for Greeting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tuner {}, {} gains", self.tuner_name(), self.gains)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_greeting_says_the_tuner_and_its_gains() {
        let bytes = *b"RTL0\0\0\0\x05\0\0\0\x1d";
        assert_eq!(Greeting::parse(&bytes), Some(Greeting::R820T));
        assert_eq!(Greeting::R820T.bytes(), bytes);
        assert_eq!(Greeting::R820T.to_string(), "tuner R820T, 29 gains");
        assert_eq!(Greeting::parse(b"HTTP/1.1 400"), None);
        let other = Greeting { tuner: u32::MAX, gains: 0 };
        assert_eq!(Greeting::parse(&other.bytes()), Some(other));
        assert_eq!(other.to_string(), "tuner unknown, 0 gains");
    }
}
