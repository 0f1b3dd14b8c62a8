//! Doors for the fuzz targets, see [`crate::fuzzing`].

use super::session::{Event, Session};
use super::{Memory, Parts, Role, wire};

/// The kinds of sockets that [`zmtp`] knows by number.
pub const ROLES: usize = 6;

/// What a socket has heard from a peer.
#[derive(Debug, Default, PartialEq)]
pub struct Heard {
    /// Whether the handshake was done.
    pub is_open: bool,
    /// The messages that a block would get.
    pub messages: Vec<Vec<Vec<u8>>>,
    /// How the peer has broken the protocol, after which nothing more was read.
    pub breach: Option<String>,
    /// What this side sends: greeting and commands; behind them each message that it got, as it would send it.
    pub sent: Vec<u8>,
}

/// What a socket of a kind hears when a peer sends these pieces, one after the other.
pub fn zmtp<'a>(role: usize, pieces: impl IntoIterator<Item = &'a [u8]>) -> Heard {
    let role = [Role::Pub, Role::Sub, Role::Push, Role::Pull, Role::Req, Role::Rep][role % ROLES];
    let mut session = Session::new(role, &[b"a".to_vec(), Vec::new()], Memory::default().longest());
    let (mut heard, mut echo) = (Heard::default(), Vec::new());
    'pieces: for piece in pieces {
        session.feed(piece);
        loop {
            match session.next() {
                Ok(None) => break,
                Ok(Some(Event::Open)) => heard.is_open = true,
                Ok(Some(Event::Message(parts))) => {
                    put(&mut echo, &parts);
                    heard.messages.push(parts);
                }
                Err(breach) => {
                    heard.breach = Some(breach.to_string());
                    break 'pieces;
                }
            }
        }
    }
    // Memory takes everything.
    let _ = session.write(&mut heard.sent);
    heard.sent.append(&mut echo);
    heard
}

/// Appends a message.
fn put(bytes: &mut Vec<u8>, parts: &Parts) {
    for (place, part) in parts.iter().enumerate() {
        wire::put_part(bytes, place + 1 < parts.len(), &[part]);
    }
}
