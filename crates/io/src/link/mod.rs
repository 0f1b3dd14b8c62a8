//! Links: streams and messages from one process to others, as frames, over TCP or through memory that both share.
//!
//! A sink listens, any number of readers connect to it. Each says who it is by a name, and where in the stream it wants to go on:
//!
//! ```text
//!  sink ── challenge: a number ─────────────────────────────────> reader
//!       <─ hello: name, item type, stream, next index, proof ────
//!       ── welcome: stream, first index, proof; or refusal ─────>
//!       ── items or messages, items, …, end ────────────────────>
//!       <─ acknowledgement: used up to an index, …, farewell ────
//! ```
//!
//! The sink keeps what a reader has not acknowledged, in a ring for each reader. A connection that breaks costs nothing: the
//! reader connects again, says which index it wants next, and gets that, as long as the ring still has it. Items have numbers. So what
//! was lost is known to the item, whoever has lost it.
//!
//! | file | has |
//! |---|---|
//! | `frame` | [`Header`], [`Frames`]: what goes over the wire |
//! | `token` | [`Token`]: a secret of both ends |
//! | `handshake` | what is said before a stream |
//! | `place` | where a link is: `tcp://`, `tls://` or `shm://` |
//! | `door`, `line` | what a sink listens at, and a connection there |
//! | `shared` | the memory through which frames go on one machine |
//! | `items` | [`Packer`], [`Unpacker`]: items of a stream as frames and out of them |
//! | `payload` | items with tags, and messages, as the bytes of a frame |
//! | `ring` | what a reader has not acknowledged |
//! | `server` | the sink's side: strangers, and the places of readers |
//! | `connection` | the reader's side of one connection |
//!
//! At `tls://HOST:PORT` all of it goes over TLS: see [`tls`](crate::tls). Strangers are those who have not said hello, whatever they
//! have encrypted.
//!
//! At `shm://NAME` the same goes over a Unix socket, and the sink hands over a file without a name with its welcome. Frames that are long lie
//! there, and a notice says where.
//!
//! # Peers that nobody knows
//!
//! - Whoever connects is a stranger until it has said a proper hello. There are 64 strangers at most, for 10 s each; one more
//!   parts with one, as the module `standing` says. A stranger's frames have 1 KiB at most.
//! - With a token, only those that know it are let in, and readers know that the sink has it, too.
//! - There are 64 readers at most. One more parts with one that is away, or else with one at the address with most of them, the one that
//!   does least. What they all have not acknowledged is never more than one and a half times the sink's memory.
//! - Without a token, whoever can connect can hold up a stream whose sink waits for its readers, and can take a reader's place.
//! - A frame whose checksum is wrong ends the connection, not the stream.
//! - While a stream is given, a sink looks for newcomers once a millisecond.

pub(crate) mod connection;
pub(crate) mod door;
mod frame;
pub(crate) mod fuzzing;
pub(crate) mod handshake;
mod items;
mod line;
pub(crate) mod payload;
pub(crate) mod place;
mod ring;
pub(crate) mod server;
mod shared;
mod token;

pub use frame::{Breach, FrameKind, Frames, HEADER, Header, MOST_BODY, MOST_ITEMS, MOST_TAGS};
pub use items::{Given, Packed, Packer, Unpacker, pack_messages};
pub use payload::{MOST_DECODED, read_messages};
pub use server::Policy;
pub use token::{NONCE, Token, nonce};

/// The types that items can have on a link, by their names; the first has the code 1.
const ITEMS: [&str; 15] =
    ["C32", "f32", "u8", "i8", "i16", "i32", "cu8", "cs8", "cs16", "C64", "f64", "u16", "u32", "i64", "u64"];

/// The number that stands for a type of items in [`Header::item`], by its name; `None` of one that links do not carry.
///
/// 1 to 15 are `C32`, `f32`, `u8`, `i8`, `i16`, `i32`, `cu8`, `cs8`, `cs16`, `C64`, `f64`, `u16`, `u32`, `i64` and `u64`, all
/// little-endian. 0 stands for messages.
///
/// ```
/// assert_eq!(superhet_io::link::item_code("C32"), Some(1));
/// assert_eq!(superhet_io::link::item_code("symbol"), None);
/// ```
pub fn item_code(name: &str) -> Option<u8> {
    let place = ITEMS.iter().position(|known| *known == name)?;
    u8::try_from(place).ok()?.checked_add(1)
}

/// The name of what a number of [`item_code`] stands for.
pub fn item_name(code: u8) -> &'static str {
    match usize::from(code).checked_sub(1) {
        None => "messages",
        Some(place) => ITEMS.get(place).copied().unwrap_or("an unknown type"),
    }
}
