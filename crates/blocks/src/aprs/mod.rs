//! APRS, the automatic packet reporting system: positions, messages and telemetry in frames of AX.25.
//!
//! Source: APRS Protocol Reference, version 1.0.1, 2000.

pub mod aprs_decode;
mod mic_e;
mod position;

pub use aprs_decode::AprsDecode;
