//! Streams and messages between blocks: buffers, the ports at their ends, and what is said of both.

pub(crate) mod buffer;
pub(crate) mod clock;
pub mod gap;
pub(crate) mod message;
pub(crate) mod port;
pub(crate) mod readiness;
pub(crate) mod receipt;
pub(crate) mod refs;
pub(crate) mod settable;
pub(crate) mod visit;
