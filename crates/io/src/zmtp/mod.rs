//! Sockets of ZeroMQ: the protocol ZMTP 3 over TCP and Unix sockets, as much of it as blocks need.
//!
//! ```text
//!  block ──send──> Shared ──┐                       ┌── Session ── Stream ── peer
//!                  (mutex)  ├── thread of a Socket ──┼── Session ── Stream ── peer
//!  block <─receive─ Shared <┘     (`engine`)         └── …
//! ```
//!
//! | file | has |
//! |---|---|
//! | `wire` | greeting, frames and commands as bytes |
//! | `session` | one connection, without its socket |
//! | `address` | where sockets are; listeners and streams of both kinds |
//! | `memory` | how much memory a socket takes for its peers |
//! | `shared` | what a socket and its thread share |
//! | `engine` | the thread that serves the connections of a socket |
//! | `socket` | what blocks hold: sends, receives, asks and answers |
//!
//! | socket | sends to | a peer that takes nothing |
//! |---|---|---|
//! | PUB | every peer that has subscribed to how the message begins | loses what does not fit into its queue, or all wait |
//! | PUSH | one peer after the other | is passed over; without any, the block waits |
//! | REQ | one peer after the other, the next when the answer has come | another is asked, too, after 2 ms |
//! | REP | the peer whose request it is, one of each at a time | loses the answer when it is gone |
//!
//! A side that connects tries again, every 100 ms, until the other is there and when it has gone.
//!
//! # Peers that nobody knows
//!
//! Peers do not prove who they are, so a socket that listens has to bear any of them:
//!
//! - A peer that breaks the protocol, or sends data that the block cannot use, loses its connection. This is counted, and
//!   logged once a second at most. It ends no graph.
//! - Messages of all peers share one budget of memory (`memory`).
//! - A peer that comes is read at once. One that has said all of its handshake while it waited is open, and one that has gone
//!   or broken the protocol takes nobody's place.
//! - 64 peers may be at their handshake, for 30 s at most. One more parts with one that had 100 ms for it (10 ms where it has said
//!   nothing), those first that have not greeted; where there is none, with the last to come. Otherwise a crowd that begins
//!   handshakes again and again would leave nobody the time for one.
//! - 256 may be open. One more parts with one of the address with the most peers, the one that does least, as
//!   [`standing`](crate::standing) says. Peers of ZeroMQ connect again, so that one which was silent for good reason loses
//!   nothing but the messages of that moment.
//! - In each turn a third of the places is for those that come. Where the process has no more file descriptors, one goes for each
//!   that comes: a third of the places is for handshakes. Where there is none to go, the socket looks again after 100 ms.
//!
//! **Source**: RFC 23 (ZMTP 3.0), RFC 37 (ZMTP 3.1), RFC 28 (REQ, REP), RFC 29 (PUB, SUB), RFC 30 (PUSH, PULL) at
//! <https://rfc.zeromq.org>. Only the mechanism NULL is there.

mod address;
mod engine;
pub(crate) mod fuzzing;
mod memory;
mod session;
mod shared;
mod socket;
mod wire;

pub(crate) use address::{Address, EXPECTED};
pub(crate) use memory::Memory;
pub(crate) use session::Parts;
pub(crate) use shared::{Options, Received};
pub(crate) use socket::{Request, Socket};

/// The kind of a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Pub,
    Sub,
    Push,
    Pull,
    Req,
    Rep,
}

impl Role {
    /// Its name in the protocol.
    pub fn name(self) -> &'static str {
        match self {
            Role::Pub => "PUB",
            Role::Sub => "SUB",
            Role::Push => "PUSH",
            Role::Pull => "PULL",
            Role::Req => "REQ",
            Role::Rep => "REP",
        }
    }

    /// Whether a socket of that type may be at the other end.
    fn fits(self, other: &[u8]) -> bool {
        let others: &[&[u8]] = match self {
            Role::Pub => &[b"SUB", b"XSUB"],
            Role::Sub => &[b"PUB", b"XPUB"],
            Role::Push => &[b"PULL"],
            Role::Pull => &[b"PUSH"],
            Role::Req => &[b"REP", b"ROUTER"],
            Role::Rep => &[b"REQ", b"DEALER"],
        };
        others.contains(&other)
    }
}

/// How a peer has broken the protocol.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
struct Breach(String);

impl Breach {
    fn new(problem: impl Into<String>) -> Self {
        Breach(problem.into())
    }
}
