//! Scrambling, sequences and checksums.

pub mod additive_scrambler;
pub mod crc;
pub mod crc32;
pub mod crc_append;
pub mod crc_catalogue;
pub mod crc_check;
pub mod descrambler;
pub mod g3ruh_descrambler;
pub mod g3ruh_scrambler;
pub mod glfsr_source;
pub mod lfsr;
pub mod nrzi_decode;
pub mod nrzi_encode;
pub mod scrambler;

pub use additive_scrambler::AdditiveScrambler;
pub use crc::{Crc, CrcSettings};
pub use crc_append::AppendCrc;
pub use crc_check::CheckCrc;
pub use crc32::Crc32;
pub use descrambler::Descrambler;
pub use glfsr_source::GlfsrSource;
pub use lfsr::Lfsr;
pub use scrambler::Scrambler;
