//! Forward error correction: codes on streams and on packets, codes of blocks on packets, puncturing, error rates; codes that are finite state machines.

pub mod ber;
pub mod block;
pub mod code;
pub mod cyclic_decode;
pub mod cyclic_encode;
pub mod depuncture;
pub mod fec_decoder;
pub mod fec_encoder;
pub mod fec_packet_decoder;
pub mod fec_packet_encoder;
pub mod puncture;
pub mod reed_solomon_decode;
pub mod reed_solomon_encode;
pub mod trellis;

pub use ber::Ber;
pub use block::{Corrected, Cyclic, Field, ReedSolomon, RsSettings};
pub use code::{Code, Decoding, Design, Frames, Generator, Ldpc, Polar, Product, Turbo};
pub use cyclic_decode::CyclicDecode;
pub use cyclic_encode::CyclicEncode;
pub use depuncture::Depuncture;
pub use fec_decoder::{FecDecoder, StreamDecoder};
pub use fec_encoder::FecEncoder;
pub use fec_packet_decoder::FecPacketDecoder;
pub use fec_packet_encoder::FecPacketEncoder;
pub use puncture::Puncture;
pub use reed_solomon_decode::ReedSolomonDecode;
pub use reed_solomon_encode::ReedSolomonEncode;
