//! Forward error correction: codes on streams and on packets, puncturing, error rates.

pub mod ber;
pub mod code;
pub mod depuncture;
pub mod fec_decoder;
pub mod fec_encoder;
pub mod fec_packet_decoder;
pub mod fec_packet_encoder;
pub mod puncture;

pub use ber::Ber;
pub use code::{Code, Decoding, Design, Frames, Ldpc, Polar};
pub use depuncture::Depuncture;
pub use fec_decoder::{FecDecoder, StreamDecoder};
pub use fec_encoder::FecEncoder;
pub use fec_packet_decoder::FecPacketDecoder;
pub use fec_packet_encoder::FecPacketEncoder;
pub use puncture::Puncture;
