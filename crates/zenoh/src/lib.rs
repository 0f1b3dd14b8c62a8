//! Links of superhet over [Zenoh](https://zenoh.io): streams and messages between processes and machines that find each other by a key.
//!
//! | block | |
//! |---|---|
//! | [`ZenohSink`], [`ZenohSource`] | a stream of items with its tags |
//! | [`ZenohMsgSink`], [`ZenohMsgSource`] | messages and packets |
//!
//! [`register`] lets the process find them by name, and radios at `zenoh://KEY`. The program `superhet-zenoh` is the command `superhet`
//! with that.
//!
//! # What goes over Zenoh
//!
//! ```text
//! KEY                                        frames, as links over TCP have them: sink to readers
//! KEY/@superhet/sink/STREAM/ITEM             a token: the sink is there
//! KEY/@superhet/reader/ITEM/BYTES/NAME       a token: a reader is there, whose ring holds so many bytes; 0: it drops what it has no room for
//! KEY/@superhet/used/NAME                    a reader has used what lies before an index
//! ```
//!
//! The frames are those of [`superhet_io::link`], one in each message of Zenoh, but for the checksum of what stands behind a header. They are put
//! with congestion control Block and reliably. Zenoh itself would stop a connection that a reader does not drain, and all that shares it. So a sink sends no reader more than its ring holds, and
//! a reader's ring is never full, but where it drops.
//!
//! | file | has |
//! |---|---|
//! | `place` | where a link is: the key, and how the session finds others |
//! | `feed` | the sink's side: readers, and what each has in hand |
//! | `memory` | frames in memory that is shared, or not |
//! | `tap` | the reader's side: its ring, and where in the stream it is |
//! | `radio` | `zenoh://KEY` |
#![forbid(unsafe_code)]

mod feed;
mod memory;
mod msg_sink;
mod msg_source;
mod place;
mod radio;
mod sink;
mod source;
mod tap;

pub use feed::SinkSettings;
pub use msg_sink::{ZenohMsgSink, ZenohMsgSinkPorts};
pub use msg_source::{ZenohMsgSource, ZenohMsgSourcePorts};
pub use place::Place;
pub use radio::SCHEME;
pub use sink::{ZenohSink, ZenohSinkPorts};
pub use source::{ZenohSource, ZenohSourcePorts};
pub use tap::SourceSettings;

use superhet_runtime::catalog::Entry;

/// Every block of this crate, by name.
pub static ENTRIES: &[Entry] = &[sink::ENTRY, source::ENTRY, msg_sink::ENTRY, msg_source::ENTRY];

/// Lets all of the process find the blocks by their names, and radios at `zenoh://KEY`. Once is enough.
#[cfg(feature = "command")]
pub fn register() {
    superhet::add_blocks(ENTRIES);
    superhet_io::add_scheme(SCHEME);
}
