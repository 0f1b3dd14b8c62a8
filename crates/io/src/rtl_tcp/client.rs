//! The client's side of a connection: connect, hear the greeting, send commands, read samples. Nothing here waits for long.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use rustix::event::PollFlags;

use super::command::Command;
use super::{GREETING, Greeting, MAGIC};
use crate::connecting::{Connecting, wait_for};

/// How long a server has for its greeting.
const HANDSHAKE: Duration = Duration::from_secs(5);
/// How long it may send nothing.
const SILENCE: Duration = Duration::from_secs(5);

/// What ends a connection, or keeps one from beginning.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Broken {
    #[error("cannot connect: {0}")]
    Unreachable(io::Error),
    #[error("no rtl_tcp server: it begins with {}, expected \"RTL0\"", shown(.0))]
    OtherGreeting([u8; GREETING]),
    #[error("no rtl_tcp server: it has not greeted in {} s", HANDSHAKE.as_secs())]
    NoGreeting,
    #[error("the connection was closed before the greeting")]
    ClosedEarly,
    #[error("the connection was closed")]
    Closed,
    #[error("nothing has come for {} s", SILENCE.as_secs())]
    Silent,
    #[error("the connection failed: {0}")]
    Failed(io::Error),
}

/// The first bytes of something else, as text.
fn shown(bytes: &[u8]) -> String {
    format!("\"{}\"", bytes.escape_ascii())
}

/// A connection, or an attempt at one.
#[derive(Debug)]
pub(crate) struct Connection {
    state: State,
    /// Commands that are still to be sent.
    unsent: Vec<u8>,
    /// When the server was last heard, or the attempt began.
    heard: Instant,
}

#[derive(Debug)]
enum State {
    Connecting(Connecting),
    Greeted { stream: TcpStream, bytes: [u8; GREETING], filled: usize },
    Open(TcpStream, Greeting),
}

impl Connection {
    /// Begins to connect.
    pub fn to(host: &str, port: u16) -> Result<Self, Broken> {
        let connecting = Connecting::to(host, port).map_err(Broken::Unreachable)?;
        Ok(Connection { state: State::Connecting(connecting), unsent: Vec::new(), heard: Instant::now() })
    }

    /// What the server has said of itself, once it has.
    pub fn greeting(&self) -> Option<Greeting> {
        match &self.state {
            State::Open(_, greeting) => Some(*greeting),
            _ => None,
        }
    }

    /// Will send a command.
    pub fn send(&mut self, command: Command) {
        self.unsent.extend(command.bytes());
    }

    /// Gets on with the connection, waiting no longer than `timeout` for the server; whether it is open.
    pub fn open(&mut self, timeout: Duration) -> Result<bool, Broken> {
        match &mut self.state {
            State::Open(..) => return Ok(true),
            State::Connecting(connecting) => {
                if let Some(stream) = connecting.poll(timeout).map_err(Broken::Unreachable)? {
                    self.state = State::Greeted { stream, bytes: [0; GREETING], filled: 0 };
                    self.heard = Instant::now();
                }
            }
            State::Greeted { stream, bytes, filled } => {
                if self.heard.elapsed() > HANDSHAKE {
                    return Err(Broken::NoGreeting);
                }
                let rest = bytes.get_mut(*filled..).unwrap_or_default();
                match read(stream, rest, timeout).map_err(Broken::Failed)? {
                    None => {}
                    Some(0) => return Err(Broken::ClosedEarly),
                    Some(n) => *filled = filled.saturating_add(n),
                }
                // Something else is known by its first bytes, and need not say twelve.
                let begun = (*filled).min(MAGIC.len());
                let greeting = match Greeting::parse(bytes) {
                    _ if bytes[..begun] != MAGIC[..begun] => return Err(Broken::OtherGreeting(*bytes)),
                    Some(greeting) if *filled >= GREETING => greeting,
                    _ => return Ok(false),
                };
                let stream = stream.try_clone().map_err(Broken::Failed)?;
                self.state = State::Open(stream, greeting);
                self.heard = Instant::now();
            }
        }
        Ok(false)
    }

    /// Sends what is to be sent, and reads samples, waiting no longer than `timeout` for them; how many bytes.
    pub fn read(&mut self, buffer: &mut [u8], timeout: Duration) -> Result<usize, Broken> {
        let State::Open(stream, _) = &mut self.state else { return Ok(0) };
        while !self.unsent.is_empty() {
            match stream.write(&self.unsent) {
                Ok(n) => drop(self.unsent.drain(..n)),
                Err(error) if is_not_now(&error) => break,
                Err(error) => return Err(Broken::Failed(error)),
            }
        }
        match read(stream, buffer, timeout).map_err(Broken::Failed)? {
            Some(0) => Err(Broken::Closed),
            Some(n) => {
                self.heard = Instant::now();
                Ok(n)
            }
            None if self.heard.elapsed() > SILENCE => Err(Broken::Silent),
            None => Ok(0),
        }
    }
}

/// Reads what has come, waiting no longer than `timeout` for anything.
fn read(stream: &mut TcpStream, buffer: &mut [u8], timeout: Duration) -> io::Result<Option<usize>> {
    if !wait_for(stream, PollFlags::IN, timeout)? {
        return Ok(None);
    }
    match stream.read(buffer) {
        Ok(n) => Ok(Some(n)),
        Err(error) if is_not_now(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

fn is_not_now(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}
