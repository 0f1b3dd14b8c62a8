//! Models of what happens to a signal on its way, and in the devices that send and receive it.

pub mod channel_model;
mod fader;
pub mod fading;
pub mod iq_correction;
pub mod iq_imbalance;
pub mod phase_noise;
pub mod selective_fading;

pub use channel_model::ChannelModel;
pub use fading::Fading;
pub use iq_correction::IqCorrection;
pub use iq_imbalance::IqImbalance;
pub use phase_noise::PhaseNoise;
pub use selective_fading::SelectiveFading;
