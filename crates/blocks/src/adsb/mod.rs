//! ADS-B and Mode S: from samples to aircraft.
//!
//! ```text
//!    samples ─▶ Receiver
//!               channel
//!                  ▼
//!    channel ─▶ ChannelDemodulator
//!               marks · carrier
//!                             │
//!                             ▼
//! magnitudes ─▶ Demodulator ─▶ Frame ─▶ decode ─▶ Message ─▶ Tracker ─▶ Aircraft
//!               halves · preamble       altitude             cpr
//!               slicer · crc · known    extended
//!               reading · response      comm_b
//! ```
//!
//! Only the blocks know the runtime: [`AdsbBlock`], which is all of this, and its parts [`AdsbChannel`], [`AdsbPreambles`],
//! [`AdsbChannelDemod`], [`AdsbDecode`] and [`AdsbPrint`]. [`Receiver`] is
//! the one for what comes from a radio; [`Demodulator`] is for streams that are magnitudes already. Everything is a function
//! of the samples and their indices, never of the clock or of how the stream is cut.
//!
//! **Source**: ICAO Annex 10 Vol. IV; ICAO Doc 9871; RTCA DO-260B.

pub mod adsb_channel;
pub mod adsb_channel_demod;
pub mod adsb_decode;
pub mod adsb_demod;
pub mod adsb_preambles;
pub mod adsb_print;
pub mod adsb_receiver;
mod aircraft;
mod altitude;
mod carrier;
mod channel;
mod channel_demod;
mod comm_b;
pub mod cpr;
mod crc;
mod decode;
mod decoder;
mod demod;
mod doubled;
mod error;
mod extended;
mod field;
mod frame;
mod halves;
mod known;
mod marks;
mod nearest;
mod phased;
mod preamble;
mod reading;
mod receiver;
mod response;
mod slicer;
#[cfg(test)]
mod tests;

pub use adsb_channel::AdsbChannel;
pub use adsb_channel_demod::AdsbChannelDemod;
pub use adsb_decode::AdsbDecode;
pub use adsb_demod::{AdsbBlock, AdsbDemod, Detector};
pub use adsb_preambles::AdsbPreambles;
pub use adsb_print::{AdsbPrint, MessageCount, Style, text_line};
pub use adsb_receiver::AdsbReceiver;
pub use aircraft::{Aircraft, Tracker};
pub use altitude::{Altitude, altitude_12, altitude_13, squawk};
pub use channel_demod::ChannelDemodulator;
pub use comm_b::CommB;
pub use cpr::{Cpr, Position};
pub use crc::{remainder, single_bit_error};
pub use decode::{CommD, Message, decode};
pub use decoder::AircraftTable;
pub use demod::{Demodulator, Settings};
pub use error::AdsbError;
pub use extended::{Extended, Motion, Source};
pub use field::{Field, Fields};
pub use frame::{Frame, Parity};
pub use receiver::Receiver;
