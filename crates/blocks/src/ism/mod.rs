//! Small devices in the bands at 315, 433, 868 and 915 MHz: their protocols as data, and the blocks that decode them.
//!
//! A protocol is a TOML file; those that are built in are in the folder `protocols`.
//!
//! ```toml
//! name = "Example-TH"          # what messages call it
//! about = "a thermometer"      # which devices
//! source = "…"                 # where the layout is described
//! tested = "no"                # recording: compared with one; round trip: own frames only; no
//! modulation = "ook"           # ook, or fsk: the higher frequency is on, the lower is off
//! coding = "ppm"               # pwm, ppm or pcm
//! zero_us = 1000               # ppm: the gap behind a pulse; pwm: the pulse
//! one_us = 2000
//! pulse_us = 500               # ppm: the pulse; pwm: gap_us, or period_us of pulse and gap; pcm: bit_us
//! row_gap_us = 3500            # a longer gap ends a row of bits
//! bits = 36                    # bits of a frame
//! rows = 2                     # so many equal frames in a burst count; 1 where checks are enough
//! checks = [{ kind = "constant", at = 24, bits = 4, value = 15 }]
//! fields = [
//!     { name = "id", at = 0, bits = 8 },
//!     { name = "temperature_C", at = 12, bits = 12, form = "signed", scale = 0.1, decimals = 1 },
//! ]
//! ```
//!
//! **Widths.** Of PWM and PPM a width may be off by `tolerance_us` (0.45 of the difference of the two), and one that fits neither bit
//! ends the row. With `unit_us = [150, 600]` the widths of PWM are in units, whose length the burst says. `lead_us` is what stands
//! before the bits of a row; only the encoder needs it.
//!
//! **Frames.** A row is one frame, with up to `extra` bits behind it; or frames stand wherever the `preamble` is (`"1010"` or
//! `"0xaa2dd4"`, as it is sent). `layers` say how the bits behind it are sent, the outermost first: `invert`, `twice` (each bit as its
//! opposite, then itself), `manchester` (10 is one), `biphase_mark`, `biphase_space`, `reflect_bytes`, `reflect_nibbles`,
//! `xor_previous`. Bits are counted from 0, behind the layers.
//!
//! With `polarity = "either"` on and off, or the two frequencies, may have changed places.
//!
//! **Places.** `at = 12, bits = 8`, or a list of ranges, the highest bits first: `at = [[12, 4], [8, 4]]`.
//!
//! | check | is |
//! |---|---|
//! | `constant` | always `value` |
//! | `crc` | of bytes `over` these bits: `polynomial`, `initial`, `reflected` |
//! | `sum`, `xor` | of numbers of `unit` bits (8), and `plus` or `first` |
//! | `parity` | even, or `odd = true` |
//! | `digest` | the sum of the keys of ones, the `key` turned with `generator` after each bit |
//! | `ones` | how many ones there are |
//! | `copy` | the same bits again |
//!
//! To each a number `xor` can be added; `complement = true` turns all its bits. All checks and constants of a protocol must hold at least
//! 8 bits, or `rows` be 2 or more.
//!
//! **Fields.** The value is the number times `scale` plus `plus`, with `decimals`. `form` is `unsigned`, `signed`, `bcd`, `hex` or
//! `trits`; `sign` is a bit that is set of negative numbers; `low_first` and `invert` are about bits; `values` are texts instead of
//! numbers; a frame with a value below `least` or above `most` is none; the number `absent` says nothing.
//!
//! Decoding is held against recordings where `tested` says so. The names of fields are those that receivers of such devices commonly
//! give: `temperature_C`, `humidity`, `battery_ok` and so on.

mod analysis;
mod bits;
mod builtin;
mod check;
mod coding;
mod field;
pub mod ism_decoder;
mod layer;
mod parse;
mod protocol;
pub mod pulse_analyzer;
#[cfg(test)]
mod tests;

pub use analysis::Analysis;
pub use builtin::builtin;
pub use coding::Modulation;
pub use ism_decoder::IsmDecoder;
pub use protocol::{Frame, Protocol};
pub use pulse_analyzer::PulseAnalyzer;
