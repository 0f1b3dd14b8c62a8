//! What a block is, on three levels. The simplest that fits is the right one: each leaves the runtime more freedom.
//!
//! | level | trait | the runtime may |
//! |---|---|---|
//! | pure | [`Pure`] | cut the input anywhere, run strips in parallel, work in place |
//! | sync | [`SyncBlock`] | cut the input anywhere |
//! | general | [`Work`] | call `work` when the ports' contracts are met |

pub(crate) mod any;
pub(crate) mod domain;
pub(crate) mod erased;
pub(crate) mod framing;
pub(crate) mod levels;
pub(crate) mod packet_block;
pub(crate) mod packet_stream;
pub(crate) mod parameters;
pub(crate) mod ports;
mod probe;
mod run;
pub(crate) mod runnable;
pub(crate) mod shape;
pub(crate) mod streams;
pub(crate) mod watcher;

pub use any::{GeneralLevel, IntoBlock, PureLevel, StreamPorts, SyncLevel};
pub(crate) use levels::{Block, CloseAll, Context, Failed, Pure, Share, Step, SyncBlock, Work};
pub use runnable::{BlockSpec, Level};
pub(crate) use shape::Shape;
pub use streams::{Family, Make, Streams};
pub use watcher::Watcher;
