//! Blocks without stream inputs.

pub mod fastnoise_source;
pub mod message_burst;
pub mod message_strobe;
pub mod noise_source;
pub mod null_source;
pub(crate) mod random;
pub mod random_uniform_source;
pub mod signal_source;
pub mod vector_source;

pub use fastnoise_source::FastnoiseSource;
pub use message_burst::MessageBurst;
pub use message_strobe::MessageStrobe;
pub use noise_source::{Noise, NoiseSource};
pub use null_source::NullSource;
pub use random_uniform_source::RandomUniformSource;
pub use signal_source::{SignalSource, Waveform};
pub use vector_source::VectorSource;
