//! Synchronisation: carrier and symbol clock loops, equalisers.

pub mod clock_recovery_mm;
pub mod code_acquisition;
pub mod constellation_receiver;
pub mod costas_loop;
pub mod fll_band_edge;
pub mod gps_code;
pub mod interpolator;
pub mod linear_equalizer;
pub mod pfb_clock_sync;
pub mod symbol_sync;
pub mod tracker;

pub use clock_recovery_mm::ClockRecoveryMm;
pub use code_acquisition::{Acquisition, CodeAcquisition};
pub use constellation_receiver::ConstellationReceiver;
pub use costas_loop::CostasLoop;
pub use fll_band_edge::FllBandEdge;
pub use gps_code::gps_ca_code;
pub use interpolator::{Interpolator, Sample};
pub use linear_equalizer::{Adaptation, LinearEqualizer};
pub use pfb_clock_sync::{Bank, PfbClockSync};
pub use symbol_sync::{Clock, Detector, SymbolSync};
pub use tracker::{Loop, Tracked, Tracker};
