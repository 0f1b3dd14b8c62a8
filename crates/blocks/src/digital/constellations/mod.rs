//! Symbols and constellations, and how good they are.

pub mod binary_slicer;
pub mod chunks_to_symbols;
pub mod constellation;
pub mod constellation_decoder;
pub mod constellation_encoder;
pub mod constellation_soft_decoder;
mod decision;
pub mod diff_decoder;
pub mod diff_encoder;
pub mod diff_phasor;
pub mod map;
pub mod meas_evm;
pub mod mpsk_snr_est;
pub mod probe_mpsk_snr_est;

pub use binary_slicer::BinarySlicer;
pub use chunks_to_symbols::{ChunksToSymbols, TaggedChunksToSymbols};
pub use constellation::{Constellation, Normalization};
pub use constellation_decoder::ConstellationDecoder;
pub use constellation_soft_decoder::ConstellationSoftDecoder;
pub use diff_decoder::DiffDecoder;
pub use diff_encoder::{Coding, DiffEncoder};
pub use diff_phasor::DiffPhasor;
pub use map::Map;
pub use meas_evm::MeasEvm;
pub use mpsk_snr_est::{Estimator, MpskSnrEst, SnrEstimate};
pub use probe_mpsk_snr_est::ProbeMpskSnrEst;
