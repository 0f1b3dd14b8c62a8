//! Analogue modulation, loops, gain control, squelch.

pub mod agc;
pub mod agc2;
pub mod agc3;
pub mod cpfsk;
pub mod ctcss_squelch;
pub mod dpll;
pub mod feedforward_agc;
pub mod fm_deemph;
pub mod fm_preemph;
pub mod frequency_modulator;
mod gain;
pub mod phase_modulator;
mod pll;
pub mod pll_carriertracking;
pub mod pll_freqdet;
pub mod pll_refout;
pub mod pwr_squelch;
pub mod simple_squelch;
mod squelch;

pub use agc::Agc;
pub use agc2::Agc2;
pub use agc3::Agc3;
pub use cpfsk::Cpfsk;
pub use ctcss_squelch::Tone;
pub use dpll::Dpll;
pub use feedforward_agc::FeedforwardAgc;
pub use frequency_modulator::FrequencyModulator;
pub use gain::Level;
pub use phase_modulator::PhaseModulator;
pub use pll::Pll;
pub use pll_carriertracking::PllCarriertracking;
pub use pll_freqdet::PllFreqdet;
pub use pll_refout::PllRefout;
pub use pwr_squelch::Power;
pub use simple_squelch::SimpleSquelch;
pub use squelch::{Detector, Squelch, SquelchPorts};
