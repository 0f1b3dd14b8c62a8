//! Forward error correction: codes, puncturing, interleaving, error rates.

pub mod ber;
pub mod code;
pub mod depuncture;
pub mod fec_decoder;
pub mod fec_encoder;
pub mod puncture;

pub use ber::Ber;
pub use code::{Code, Frames};
pub use depuncture::Depuncture;
pub use fec_decoder::{FecDecoder, StreamDecoder};
pub use fec_encoder::FecEncoder;
pub use puncture::Puncture;
