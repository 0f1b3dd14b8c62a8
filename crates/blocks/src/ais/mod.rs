//! AIS, the automatic identification of ships: ITU-R M.1371.

pub mod ais_decode;
pub mod ais_demod;
mod fields;
mod gate;
mod nmea;
mod sequence;

pub use ais_decode::AisDecode;
pub use ais_demod::AisDemod;
