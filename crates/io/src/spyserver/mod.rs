//! The protocol of SpyServer: a radio of Airspy or another one, shared over TCP. Here is the client's side.
//!
//! ```text
//! client -> server   command u32 · bytes of the body u32 · body
//! server -> client   version u32 · message u16 · gain u16 · stream u32 · sequence u32 · bytes of the body u32 · body
//! ```
//!
//! All numbers are little endian. The client says hello with its version and its name. The server answers with what its radio is
//! and what the client may do, and sends samples as soon as they are enabled, in messages that are counted.
//!
//! **Source**: the numbers of `spyserver_protocol.h`, as clients of others have them.

pub(crate) mod client;
pub(crate) mod fuzzing;
pub(crate) mod message;

/// Where a server is found, if nothing else is said.
pub(crate) const PORT: u16 = 5555;
