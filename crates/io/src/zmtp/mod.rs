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
//! | `engine` | the thread that serves the connections of a socket |
//! | `socket` | what blocks hold: sends, receives, asks and answers |
//!
//! | socket | sends to | a peer that takes nothing |
//! |---|---|---|
//! | PUB | every peer that has subscribed to how the message begins | loses what does not fit into its queue, or all wait |
//! | PUSH | one peer after the other | is passed over; without any, the block waits |
//! | REQ | one peer after the other, the next when the answer has come | the request goes to another when it is gone |
//! | REP | the peer whose request it is | loses the answer when it is gone |
//!
//! A side that connects tries again, every 100 ms, until the other is there and when it has gone. What a peer sends that
//! breaks the protocol costs it the connection and is told in the log, once for each socket; it ends no graph.
//!
//! **Source**: RFC 23 (ZMTP 3.0), RFC 37 (ZMTP 3.1), RFC 28 (REQ, REP), RFC 29 (PUB, SUB), RFC 30 (PUSH, PULL) at
//! <https://rfc.zeromq.org>. Only the mechanism NULL is there.

mod address;
mod engine;
mod session;
mod socket;
mod wire;

pub(crate) use address::{Address, EXPECTED};
pub(crate) use session::Parts;
pub(crate) use socket::{Options, Request, Socket};

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
