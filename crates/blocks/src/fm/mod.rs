//! Broadcast FM: stereo and RDS, both ways.
//!
//! The multiplex is what a quadrature demodulator gives, with full deviation, 75 kHz, as 1: L + R up to 15 kHz, a pilot at 19 kHz,
//! L − R around 38 kHz, RDS around 57 kHz.
//!
//! ```text
//! samples -> quadrature_demod -> stereo_decoder -> left, right
//!                             \> rds_demod -> rds_framer -> rds_decode
//! ```
//!
//! Sources: ITU-R BS.450-3 (transmission, pilot-tone system), IEC 62106:2009 (RDS; EN 50067:1998 before it).

mod block_code;
mod clock;
mod pilot;
mod programme;
pub mod rds_decode;
pub mod rds_demod;
pub mod rds_encoder;
pub mod rds_framer;
pub mod rds_modulator;
mod rds_pulse;
mod station;
pub mod stereo_decoder;
pub mod stereo_encoder;
mod text;

pub use rds_decode::RdsDecode;
pub use rds_demod::RdsDemod;
pub use rds_encoder::{Rds, RdsEncoder};
pub use rds_framer::RdsFramer;
pub use rds_modulator::RdsModulator;
pub use stereo_decoder::StereoDecoder;
pub use stereo_encoder::StereoEncoder;

/// The pilot of stereo.
const PILOT_HZ: f64 = 19e3;
/// The subcarrier of RDS.
const RDS_HZ: f64 = 3.0 * PILOT_HZ;
/// Bits of RDS in a second.
const BIT_RATE_HZ: f64 = RDS_HZ / 48.0;
