//! The client's side of a connection. Nothing here waits for long.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use rustix::event::PollFlags;

use super::message::{Device, Message, Setting, hello, parse};
use crate::connecting::{Connecting, wait_for};

/// How long a server may say nothing, also at first.
const SILENCE: Duration = Duration::from_secs(5);
/// Bytes that are read at once.
const READ: usize = 1 << 16;

/// What ends a connection, or keeps one from beginning.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Broken {
    #[error("cannot connect: {0}")]
    Unreachable(io::Error),
    #[error("no SpyServer: {0}")]
    Other(String),
    #[error("{0}")]
    Unfit(String),
    #[error("the connection was closed")]
    Closed,
    #[error("nothing has come for {} s", SILENCE.as_secs())]
    Silent,
    #[error("the connection failed: {0}")]
    Failed(io::Error),
}

/// A connection, or an attempt at one.
#[derive(Debug)]
pub(crate) struct Connection {
    state: State,
    unsent: Vec<u8>,
    received: Vec<u8>,
    /// How many of the received bytes have been looked at.
    taken: usize,
    heard: Instant,
}

#[derive(Debug)]
enum State {
    Connecting(Connecting),
    /// What the radio is, once that has been said.
    Open(TcpStream, Option<Device>),
}

impl Connection {
    /// Begins to connect.
    pub fn to(host: &str, port: u16) -> Result<Self, Broken> {
        let connecting = Connecting::to(host, port).map_err(Broken::Unreachable)?;
        let state = State::Connecting(connecting);
        Ok(Connection { state, unsent: hello(), received: Vec::new(), taken: 0, heard: Instant::now() })
    }

    /// What the radio is, once the server has said it.
    pub fn device(&self) -> Option<Device> {
        match self.state {
            State::Open(_, device) => device,
            State::Connecting(_) => None,
        }
    }

    /// Will set something.
    pub fn set(&mut self, setting: Setting, value: u32) {
        self.unsent.extend(setting.command(value));
    }

    /// Gets on with the connection, waiting no longer than `timeout` for the server.
    pub fn turn(&mut self, timeout: Duration) -> Result<(), Broken> {
        let stream = match &mut self.state {
            State::Open(stream, _) => stream,
            State::Connecting(connecting) => {
                if let Some(stream) = connecting.poll(timeout).map_err(Broken::Unreachable)? {
                    self.state = State::Open(stream, None);
                    self.heard = Instant::now();
                }
                return Ok(());
            }
        };
        while !self.unsent.is_empty() {
            match stream.write(&self.unsent) {
                Ok(n) => drop(self.unsent.drain(..n)),
                Err(error) if is_not_now(&error) => break,
                Err(error) => return Err(Broken::Failed(error)),
            }
        }
        if wait_for(stream, PollFlags::IN, timeout).map_err(Broken::Failed)? {
            self.received.drain(..std::mem::take(&mut self.taken));
            let before = self.received.len();
            self.received.resize(before.saturating_add(READ), 0);
            let read = stream.read(self.received.get_mut(before..).unwrap_or_default());
            self.received.truncate(before.saturating_add(*read.as_ref().unwrap_or(&0)));
            match read {
                Ok(0) => return Err(Broken::Closed),
                Ok(_) => self.heard = Instant::now(),
                Err(error) if is_not_now(&error) => {}
                Err(error) => return Err(Broken::Failed(error)),
            }
        } else if self.heard.elapsed() > SILENCE {
            return Err(Broken::Silent);
        }
        Ok(())
    }

    /// The next message that is whole.
    pub fn next(&mut self) -> Result<Option<Message<'_>>, Broken> {
        let bytes = self.received.get(self.taken..).unwrap_or_default();
        let Some((message, length)) = parse(bytes).map_err(Broken::Other)? else { return Ok(None) };
        self.taken = self.taken.saturating_add(length);
        if let (Message::Device(said), State::Open(_, device)) = (&message, &mut self.state) {
            *device = Some(*said);
        }
        Ok(Some(message))
    }
}

fn is_not_now(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}
