//! Blocks without stream inputs.

pub mod message_burst;
pub mod message_strobe;
pub mod null_source;
pub mod vector_source;

pub use message_burst::MessageBurst;
pub use message_strobe::MessageStrobe;
pub use null_source::NullSource;
pub use vector_source::VectorSource;
