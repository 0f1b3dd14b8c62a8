//! The other end of a connection to a sink, a stranger's or a reader's.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::net::sockopt;

use super::super::door::Newcomer;
use super::super::frame::{FrameKind, Frames, Header};
use super::super::handshake::Hello;
use super::super::line::Line;
use super::super::ring::Ring;
use super::super::token::{NONCE, Token};
use crate::blocks::clients::not_yet;
use crate::standing::Standing;

/// Bytes that are read at once.
const READ: usize = 1 << 12;
/// How often a peer is read in one turn.
const READS: usize = 16;
/// How long a machine that has gone may be silent: then it is asked, so often, so long after each other.
const SILENCE: Duration = Duration::from_secs(5);
const ASK_EVERY: Duration = Duration::from_secs(2);
const ASKS: u32 = 3;

/// The other end of a connection.
#[derive(Debug)]
pub(super) struct Peer {
    line: Line,
    pub name: String,
    frames: Frames,
    /// What is said before the frames of the stream.
    words: Vec<u8>,
    pub standing: Standing,
}

/// Lets the system find out that the other machine has gone without a word.
pub(in crate::link) fn keep_alive(stream: &TcpStream) -> std::io::Result<()> {
    sockopt::set_socket_keepalive(stream, true)?;
    sockopt::set_tcp_keepidle(stream, SILENCE)?;
    sockopt::set_tcp_keepintvl(stream, ASK_EVERY)?;
    sockopt::set_tcp_keepcnt(stream, ASKS)?;
    Ok(())
}

impl Peer {
    /// One who has connected now; `trial` as [`Standing`] has it.
    pub fn new(newcomer: Newcomer, now: Instant, trial: Duration) -> Self {
        let Newcomer { line, name, origin } = newcomer;
        let standing = Standing::new(origin, now, trial);
        Peer { line, name, frames: Frames::of_words(READ), words: Vec::new(), standing }
    }

    /// Will hand this over, with what it says next.
    pub fn hand_over(&mut self, file: OwnedFd) {
        self.line.hand_over(file);
    }

    /// Will say this before anything else.
    pub fn say(&mut self, frame: &[u8]) {
        self.words.extend_from_slice(frame);
    }

    /// What it says of itself, once it has; the inner error is why it is not let in.
    pub fn hello(
        &mut self,
        challenge: &[u8; NONCE],
        token: &Token,
    ) -> Result<Option<Result<Hello, String>>, String> {
        self.send(&mut Ring::default())?;
        let mut hello = None;
        let heard = self.hear_some(|header, body| {
            if header.kind != FrameKind::Hello {
                return Err(format!("it begins with {:?}, expected Hello", header.kind));
            }
            hello = Some(Hello::parse(header, body, challenge, token));
            // What follows is that of a reader.
            Ok(false)
        });
        if hello.is_none() {
            heard?;
        }
        Ok(hello)
    }

    /// Hears what a reader has said.
    pub fn hear(&mut self, mut take: impl FnMut(&Header) -> Result<(), String>) -> Result<(), String> {
        self.hear_some(|header, _| take(header).map(|()| true))
    }

    /// Shows frames, until `take` wants no more.
    fn hear_some(
        &mut self,
        mut take: impl FnMut(&Header, &[u8]) -> Result<bool, String>,
    ) -> Result<(), String> {
        for _ in 0..READS {
            while let Some((header, body)) = self.frames.next().map_err(|breach| breach.to_string())? {
                if !take(&header, self.frames.bytes(body))? {
                    return Ok(());
                }
            }
            match not_yet(self.line.read(self.frames.room())) {
                Ok(None) => return Ok(()),
                Ok(Some(0)) => return Err("it has closed the connection".to_owned()),
                Ok(Some(n)) => {
                    self.frames.filled(n);
                    self.standing.has_sent(n, Instant::now());
                }
                Err(error) => return Err(error.to_string()),
            }
        }
        Ok(())
    }

    /// Sends what it takes.
    pub fn send(&mut self, ring: &mut Ring) -> Result<(), String> {
        while !self.words.is_empty() {
            match not_yet(self.line.write(&self.words)) {
                Ok(None) => return Ok(()),
                Ok(Some(n)) => drop(self.words.drain(..n)),
                Err(error) => return Err(error.to_string()),
            }
        }
        while ring.has_unsent() {
            match not_yet(self.line.write_vectored(&ring.unsent())) {
                Ok(None) => return Ok(()),
                Ok(Some(0)) => return Err(ErrorKind::WriteZero.to_string()),
                Ok(Some(n)) => ring.was_sent(n),
                Err(error) => return Err(error.to_string()),
            }
        }
        not_yet(self.line.flush()).map(|_| ()).map_err(|error| error.to_string())
    }

    /// What to wait for: that it says something, or takes something where there is something for it.
    pub fn look(&self, has_more: bool) -> PollFd<'_> {
        let mut wanted = PollFlags::IN;
        wanted.set(PollFlags::OUT, has_more || !self.words.is_empty() || self.line.wants_write());
        PollFd::new(&self.line, wanted)
    }
}
