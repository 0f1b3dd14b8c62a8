//! Blocks.
mod loopback;
pub use loopback::Loopback;
