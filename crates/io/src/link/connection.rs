//! The reader's side of a connection: connect, say who it is, take frames, acknowledge. Nothing here waits for long.

use std::io::{self, ErrorKind, Read, Write};
use std::ops::Range;
use std::time::{Duration, Instant};

use rustix::event::PollFlags;

use super::frame::{Breach, FrameKind, Frames, Header, MOST_WORDS};
use super::handshake::{Hello, Welcome};
use super::line::{Line, Local};
use super::place::{Place, socket_of};
use super::server::keep_alive;
use super::shared::{Notice, Shared, Stamp};
use super::token::{NONCE, Token};
use crate::blocks::clients::not_yet;
use crate::connecting::{Connecting, wait_for};
use crate::tls::{Authority, Wire};

/// How long a sink has to let a reader in.
const HANDSHAKE: Duration = Duration::from_secs(5);
/// How long a reader that leaves waits for the sink to hear it.
const LAST_WORD: Duration = Duration::from_millis(100);
/// Bytes that are read at once.
const AT_ONCE: usize = 1 << 18;

/// What ends a connection, or keeps one from beginning.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Broken {
    #[error("cannot connect: {0}")]
    Unreachable(io::Error),
    #[error("the sink has not let this reader in within {} s", HANDSHAKE.as_secs())]
    NoWelcome,
    #[error("the sink does not let this reader in: {0}")]
    Refused(String),
    #[error("the sink is another one: {0}")]
    Wrong(String),
    #[error("the connection was closed")]
    Closed,
    #[error("the connection failed: {0}")]
    Failed(io::Error),
    #[error("what has come is wrong: {0}")]
    Garbled(String),
}

impl Broken {
    /// Whether another attempt would end the same.
    pub fn is_final(&self) -> bool {
        matches!(self, Broken::Refused(_) | Broken::Wrong(_))
    }
}

impl From<Breach> for Broken {
    fn from(breach: Breach) -> Self {
        Broken::Garbled(breach.to_string())
    }
}

/// A connection, or an attempt at one.
#[derive(Debug)]
pub(crate) struct Connection {
    state: State,
    hello: Hello,
    secrets: Secrets,
    frames: Frames,
    /// The sink's memory, where it has handed it over.
    shared: Option<Shared>,
    /// What is still to be sent.
    unsent: Vec<u8>,
    /// When the attempt, or the handshake, began.
    since: Instant,
}

#[derive(Debug)]
enum State {
    /// With the name of the host.
    Connecting(Connecting, String),
    /// With the challenge, once it has come.
    Connected(Line, Option<[u8; NONCE]>),
    Open(Line, Welcome),
    /// Between two of them.
    Lost,
}

/// Where what a frame has behind its header lies, until something is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Body {
    /// Among what has come.
    Here(Range<usize>),
    /// In the sink's memory, so many bytes.
    There { at: u64, bytes: usize, stamp: Stamp },
}

impl Body {
    pub fn len(&self) -> usize {
        match self {
            Body::Here(place) => place.len(),
            Body::There { bytes, .. } => *bytes,
        }
    }
}

/// What a reader knows, and whom it believes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Secrets {
    pub token: Token,
    /// Whose certificates are believed, where connections are encrypted.
    pub authority: Option<Authority>,
}

impl Connection {
    /// Begins to connect.
    pub fn to(place: &Place, hello: Hello, secrets: Secrets) -> Result<Self, Broken> {
        let state = match place {
            Place::Net { host, port } => {
                let connecting = Connecting::to(host, *port).map_err(Broken::Unreachable)?;
                State::Connecting(connecting, host.clone())
            }
            Place::Memory(name) => {
                let local = socket_of(name).and_then(|path| Local::connect(&path));
                State::Connected(Line::Local(local.map_err(Broken::Unreachable)?), None)
            }
        };
        Ok(Connection {
            state,
            hello,
            secrets,
            frames: Frames::new(AT_ONCE),
            shared: None,
            unsent: Vec::new(),
            since: Instant::now(),
        })
    }

    /// Whether the sink has let the reader in.
    pub fn is_open(&self) -> bool {
        matches!(self.state, State::Open(..))
    }

    /// Gets on with the connection, waiting no longer than `timeout` for the sink; what it says when it lets the reader in.
    pub fn open(&mut self, timeout: Duration) -> Result<Option<Welcome>, Broken> {
        match &mut self.state {
            State::Open(_, welcome) => return Ok(Some(*welcome)),
            State::Connecting(connecting, host) => {
                if let Some(stream) = connecting.poll(timeout).map_err(Broken::Unreachable)? {
                    keep_alive(&stream).map_err(Broken::Failed)?;
                    let wire = Wire::connect(stream, host, self.secrets.authority.as_ref());
                    self.state = State::Connected(Line::Net(wire.map_err(Broken::Failed)?), None);
                    self.since = Instant::now();
                }
                return Ok(None);
            }
            State::Connected(..) if self.since.elapsed() > HANDSHAKE => return Err(Broken::NoWelcome),
            State::Connected(..) => {}
            State::Lost => return Err(Broken::Closed),
        }
        let Some((header, body)) = self.next()? else {
            self.read(timeout).map_err(|broken| match broken {
                // Another attempt would meet the same certificate.
                Broken::Failed(error) if error.kind() == ErrorKind::InvalidData => {
                    Broken::Wrong(error.to_string())
                }
                broken => broken,
            })?;
            return Ok(None);
        };
        let body = self.frames.bytes(body);
        let State::Connected(_, challenge) = &mut self.state else { return Ok(None) };
        match (header.kind, &challenge) {
            (FrameKind::Challenge, None) => {
                let nonce = body
                    .first_chunk()
                    .ok_or_else(|| Broken::Garbled("a challenge is too short".to_owned()))?;
                *challenge = Some(*nonce);
                self.unsent.extend(self.hello.frame(nonce, &self.secrets.token));
                self.flush()?;
                Ok(None)
            }
            (FrameKind::Welcome, Some(challenge)) => {
                let welcome = Welcome::parse(&header, body, &self.hello, challenge, &self.secrets.token);
                let welcome = welcome.map_err(Broken::Wrong)?;
                if let State::Connected(mut line, _) = std::mem::replace(&mut self.state, State::Lost) {
                    self.shared = line.take_file().map(Shared::new).transpose().map_err(Broken::Failed)?;
                    self.state = State::Open(line, welcome);
                }
                Ok(Some(welcome))
            }
            (FrameKind::Refusal, Some(_)) => {
                let why = String::from_utf8_lossy(body.get(..body.len().min(MOST_WORDS)).unwrap_or_default());
                Err(Broken::Refused(why.escape_debug().to_string()))
            }
            (kind, _) => Err(Broken::Garbled(format!("{kind:?} in a handshake"))),
        }
    }

    /// The next frame of the stream, if it is whole, and where its body lies until something is read.
    pub fn next_frame(&mut self) -> Result<Option<(Header, Body)>, Broken> {
        let Some((header, place)) = self.next()? else { return Ok(None) };
        if header.kind != FrameKind::Notice {
            return Ok(Some((header, Body::Here(place))));
        }
        let notice = Notice::parse(self.frames.bytes(place)).filter(|_| self.shared.is_some());
        let notice = notice.ok_or_else(|| Broken::Garbled("a notice of nothing".to_owned()))?;
        let kind = if header.item == 0 { FrameKind::Messages } else { FrameKind::Items };
        let stamp = Stamp { stream: header.stream, sequence: header.sequence };
        let body = Body::There { at: notice.at, bytes: notice.body as usize, stamp };
        Ok(Some((Header { kind, body: notice.body, tags: notice.tags, ..header }, body)))
    }

    /// Copies what lies `skipped` bytes behind the beginning of a body.
    pub fn copy(&self, body: &Body, skipped: usize, into: &mut [u8]) -> Result<(), Broken> {
        match body {
            Body::Here(place) => {
                let begin = place.start.saturating_add(skipped);
                let bytes = self.frames.bytes(begin..begin.saturating_add(into.len()).min(place.end));
                match bytes.len() == into.len() {
                    true => into.copy_from_slice(bytes),
                    false => return Err(Broken::Garbled("a frame is too short".to_owned())),
                }
            }
            Body::There { at, stamp, .. } => {
                let shared = self.shared.as_ref().ok_or(Broken::Closed)?;
                if !shared.copy(*at, *stamp, skipped, into).map_err(Broken::Failed)? {
                    return Err(Broken::Garbled(
                        "a frame that was announced is not there any more".to_owned(),
                    ));
                }
            }
        }
        Ok(())
    }

    fn next(&mut self) -> Result<Option<(Header, Range<usize>)>, Broken> {
        Ok(self.frames.next()?)
    }

    fn line(&mut self) -> Option<&mut Line> {
        match &mut self.state {
            State::Connecting(..) | State::Lost => None,
            State::Connected(line, _) | State::Open(line, _) => Some(line),
        }
    }

    /// Reads what has come, waiting no longer than `timeout` for it; whether anything has.
    pub fn read(&mut self, timeout: Duration) -> Result<bool, Broken> {
        self.flush()?;
        for has_waited in [false, true] {
            let Connection { state, frames, .. } = self;
            let (State::Connected(line, _) | State::Open(line, _)) = state else { return Ok(false) };
            match not_yet(line.read(frames.room())).map_err(Broken::Failed)? {
                Some(0) => return Err(Broken::Closed),
                Some(n) => {
                    frames.filled(n);
                    return Ok(true);
                }
                None if has_waited
                    || !wait_for(&*line, PollFlags::IN, timeout).map_err(Broken::Failed)? =>
                {
                    break;
                }
                None => {}
            }
        }
        Ok(false)
    }

    /// Says that what lies before an index was used.
    pub fn acknowledge(&mut self, index: u64) -> Result<(), Broken> {
        self.say(FrameKind::Acknowledgement, index)
    }

    /// Says that this reader does not come back, as far as the sink takes it at once.
    pub fn leave(&mut self, index: u64) {
        if self.is_open() {
            // A sink that has gone needs not be told.
            let _ = self.acknowledge(index).and_then(|()| self.say(FrameKind::Farewell, index));
            if let Some(line) = self.line() {
                line.close();
            }
            self.drain();
        }
    }

    /// Reads what still comes until the sink has heard the last word, but not for long: a connection that is closed with something unread
    /// may lose what it has said.
    fn drain(&mut self) {
        let (since, mut unread) = (Instant::now(), [0; 1 << 12]);
        let Some(line) = self.line() else { return };
        while since.elapsed() < LAST_WORD {
            let waited = wait_for(&*line, PollFlags::IN, LAST_WORD);
            match waited.and_then(|_| not_yet(line.read(&mut unread))) {
                Ok(Some(n)) if n > 0 => {}
                Ok(None) => {}
                _ => return,
            }
        }
    }

    fn say(&mut self, kind: FrameKind, index: u64) -> Result<(), Broken> {
        let State::Open(_, welcome) = &self.state else { return Ok(()) };
        let header = Header { stream: welcome.stream, first: index, ..Header::new(kind) };
        // What waits says less: the rest of a frame that was begun stays, as the sink would be lost otherwise.
        let begun = self.unsent.len() % super::frame::HEADER;
        if self.unsent.len() > super::frame::HEADER {
            self.unsent.truncate(begun);
        }
        self.unsent.extend(header.frame(&[]));
        self.flush()
    }

    fn flush(&mut self) -> Result<(), Broken> {
        let Connection { state, unsent, .. } = self;
        let (State::Connected(line, _) | State::Open(line, _)) = state else { return Ok(()) };
        while !unsent.is_empty() {
            match not_yet(line.write(unsent)).map_err(Broken::Failed)? {
                Some(n) => drop(unsent.drain(..n)),
                None => break,
            }
        }
        not_yet(line.flush()).map(|_| ()).map_err(Broken::Failed)
    }
}
