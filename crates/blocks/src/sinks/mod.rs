//! Blocks without stream outputs.

pub mod lines;
pub mod message_debug;
pub mod null_sink;
pub mod tag_debug;
pub mod vector_sink;

pub use lines::{Lines, Text};
pub use message_debug::MessageDebug;
pub use null_sink::NullSink;
pub use tag_debug::TagDebug;
pub use vector_sink::{Items, VectorSink};
