//! One peer of a socket, and what is known of it.

use std::io::{ErrorKind, Read};
use std::net::IpAddr;
use std::time::{Duration, Instant};

use rustix::event::PollFlags;

use super::super::Role;
use super::super::address::Stream;
use super::super::session::Session;
use crate::standing::Standing;

/// How long a handshake may take.
pub(super) const HANDSHAKE: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub(super) struct Peer {
    pub id: u64,
    pub stream: Stream,
    pub address: IpAddr,
    pub session: Session,
    pub since: Instant,
    /// How it stands since it is open: a message that it has finished, of its own or of ours, makes it active.
    pub standing: Standing,
    /// Whether it takes nothing any more.
    pub is_deaf: bool,
    /// Whether nothing comes any more.
    pub has_ended: bool,
    /// Whether there may be a whole message in what has come of it.
    pub has_backlog: bool,
    /// Of REP: whether a request of it waits for its answer. Of REQ: whether it owes the answer to one.
    pub is_asking: bool,
}

impl Peer {
    /// Reads what it has sent, once.
    pub fn read(&mut self, buffer: &mut [u8]) {
        match self.stream.read(buffer) {
            Ok(0) => self.has_ended = true,
            Ok(n) => self.session.feed(buffer.get(..n).unwrap_or_default()),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            Err(_) => self.has_ended = true,
        }
    }

    /// Whether to read from it. It is not read without room, or while some of its messages are not taken yet.
    pub fn is_read(&self, reads: bool) -> bool {
        !self.has_ended && (!self.session.is_open() || (reads && !self.has_backlog))
    }

    pub fn wanted(&self, reads: bool) -> PollFlags {
        let mut wanted = PollFlags::empty();
        wanted.set(PollFlags::IN, self.is_read(reads));
        wanted.set(PollFlags::OUT, self.session.has_output() && !self.is_deaf);
        wanted
    }

    /// Whether a message of it may be taken. REP takes one request of each peer. A second request waits until the peer has
    /// taken the answer to the first.
    pub fn is_taken_of(&self, role: Role) -> bool {
        let is_answered = self.is_deaf || (!self.is_asking && self.session.waiting().0 == 0);
        self.has_backlog && (role != Role::Rep || is_answered)
    }
}
