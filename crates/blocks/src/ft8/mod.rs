//! FT8 and FT4, the modes of amateur radio for weak signals.

mod code;
mod decoder;
mod demod;
pub mod ft8_decode;
pub mod ft8_source;
mod message;
mod mode;
mod search;
mod signal;
mod waveform;

pub use ft8_decode::Ft8Decode;
pub use ft8_source::Ft8Source;
pub use mode::{Mode, ModeName};
