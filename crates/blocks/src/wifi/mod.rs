//! Wi-Fi: frames of 802.11a, g and p, whose symbols are OFDM.
//!
//! ```text
//! samples ──> wifi_sync ──> wifi_demod ──> wifi_decode ──> receiver_message
//!                                     \──> radiotap ──> pcap_sink
//! frames ──> wifi_encode ──> samples                         wifi_source ──> samples
//! ```

mod bits;
mod carriers;
mod channel;
mod demodulator;
mod finder;
mod mac;
mod modulator;
mod points;
pub mod radiotap;
mod rate;
#[cfg(test)]
mod tests;
mod tracker;
pub mod wifi_decode;
pub mod wifi_demod;
pub mod wifi_encode;
pub mod wifi_source;
pub mod wifi_sync;

pub use radiotap::Radiotap;
pub use wifi_decode::WifiDecode;
pub use wifi_demod::WifiDemod;
pub use wifi_encode::WifiEncode;
pub use wifi_source::{WifiSettings, WifiSource};
pub use wifi_sync::WifiSync;
