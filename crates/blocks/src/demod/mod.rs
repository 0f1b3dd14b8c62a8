//! Demodulators.

pub mod afsk_demod;
pub mod afsk_hdlc_demod;
pub mod am_demod;
pub mod demodulator;
pub mod fsk_demod;
pub mod fsk_pulse_detector;
pub mod pulse_detector;
pub mod pulse_slicer;
pub mod quadrature_demod;
pub mod symbol_timing;
pub mod vor_decode;

pub use afsk_demod::{Afsk, AfskDemod, AfskDetector};
pub use afsk_hdlc_demod::AfskHdlcDemod;
pub use am_demod::AmDemod;
pub use demodulator::{Demodulator, FrontEnd};
pub use fsk_demod::{Fsk, FskDemod, FskSample};
pub use fsk_pulse_detector::{FskBursts, FskPulseDetector};
pub use pulse_detector::{PulseDetector, Pulses};
pub use pulse_slicer::{Coding as PulseCoding, PulseSlicer, Slicing};
pub use quadrature_demod::QuadratureDemod;
pub use symbol_timing::SymbolTiming;
pub use vor_decode::VorDecode;
