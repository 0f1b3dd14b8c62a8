//! What can be wrong with the parameters of the ADS-B modules.

use thiserror::Error;

/// An error of the ADS-B modules.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum AdsbError {
    /// The sample rate cannot be demodulated.
    #[error("rate_hz = {got}: a Mode S demodulator needs a whole number of hertz from {lowest} to {highest}")]
    Rate {
        /// The rate asked for, in hertz.
        got: f64,
        /// The lowest rate that works, in hertz.
        lowest: f64,
        /// The highest rate that works, in hertz.
        highest: f64,
    },
    /// The bytes are not as long as their downlink format says.
    #[error("a Mode S message is 7 bytes long (DF0 to DF15) or 14 bytes (DF16 to DF31), not {got}")]
    Length {
        /// The number of bytes given.
        got: usize,
    },
    /// The text is not a message in hexadecimal digits.
    #[error("`{}` is not a message in hexadecimal digits", got.escape_debug())]
    Hex {
        /// The text given.
        got: String,
    },
}
