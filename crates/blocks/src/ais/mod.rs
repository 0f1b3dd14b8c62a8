//! AIS, the automatic identification of ships: ITU-R M.1371.

pub mod ais_decode;
mod fields;
mod nmea;

pub use ais_decode::AisDecode;
