//! WAV files: mono is real, two channels are IQ with I left and Q right.
//!
//! | | read | written |
//! |---|---|---|
//! | container | RIFF, RF64, BW64 | RIFF |
//! | samples | 8-bit unsigned, 16-, 24- and 32-bit integers, 32-bit float | the same |
//! | centre frequency | `auxi` chunk, binary or XML | |
//!
//! The header is checked against the file before a sample is read, so a header that lies is one clear error
//! ([`Error::WavHeader`](crate::Error::WavHeader)); [`WavReader::open_lenient`] reads what is there instead
//! and reports what was wrong.
//!
//! The `hound` library writes files, and code of our own reads them. `hound` does not read RF64, does not skip pad bytes,
//! and gives one number a call. It reads 19 million frames a second against 567 million (`cargo bench -p superhet-io
//! --bench wav`, 8 Mi frames of 16-bit IQ in the page cache, one core of a busy AMD EPYC). The tests compare every encoding
//! with what `hound` reads.
//!
//! **Scale**: 8 bits `(x − 128) / 128` (silence is 128 in WAV, unlike in `cu8`), 16 bits `x / 2¹⁵`, 24 bits
//! `x / 2²³`, 32 bits `x / 2³¹`, float as it is.
//!
//! **Source**: Microsoft and IBM, Multimedia Programming Interface and Data Specifications 1.0 (1991); EBU
//! Tech 3306 (RF64); the `auxi` chunk as SDR#, HDSDR and SDR Console write it.

mod header;
mod reader;
#[cfg(test)]
mod tests;
mod writer;

pub use header::{WavContainer, WavEncoding, WavHeader};
pub use reader::{WavBlocks, WavReader};
pub use writer::WavWriter;
