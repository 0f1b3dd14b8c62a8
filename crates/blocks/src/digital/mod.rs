//! Digital modulation: symbols and constellations, scrambling, framing, synchronisation, OFDM.

pub mod additive_scrambler;
pub mod binary_slicer;
pub mod chunks_to_symbols;
pub mod constellation;
pub mod constellation_decoder;
pub mod constellation_encoder;
pub mod constellation_receiver;
pub mod constellation_soft_decoder;
pub mod costas_loop;
pub mod descrambler;
pub mod diff_decoder;
pub mod diff_encoder;
pub mod diff_phasor;
pub mod glfsr_source;
pub mod lfsr;
pub mod map;
pub mod scrambler;
pub mod tracker;

pub use additive_scrambler::AdditiveScrambler;
pub use binary_slicer::BinarySlicer;
pub use chunks_to_symbols::ChunksToSymbols;
pub use constellation::{Constellation, Normalization};
pub use constellation_decoder::ConstellationDecoder;
pub use constellation_receiver::ConstellationReceiver;
pub use constellation_soft_decoder::ConstellationSoftDecoder;
pub use costas_loop::CostasLoop;
pub use descrambler::Descrambler;
pub use diff_decoder::DiffDecoder;
pub use diff_encoder::{Coding, DiffEncoder};
pub use diff_phasor::DiffPhasor;
pub use glfsr_source::GlfsrSource;
pub use lfsr::Lfsr;
pub use map::Map;
pub use scrambler::Scrambler;
pub use tracker::{Loop, Tracked, Tracker};
