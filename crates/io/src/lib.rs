//! Files: raw samples, WAV, SigMF, PCAP; and sockets.
//!
//! Everything here turns bytes into samples with full scale = 1.0 (`f32`, or [`C32`] for IQ) and back, a
//! block at a time; no file is loaded whole. It needs no graph, but for [`blocks`], which feed one.
//!
//! | to | use |
//! |---|---|
//! | name a format, or find it from a name or path | [`SampleFormat`] |
//! | read rate, centre frequency and time out of a file's name | [`NameHints`] |
//! | turn bytes into samples, cut anywhere | [`Decoder`], [`decode`] |
//! | turn samples into bytes | [`encode`] |
//! | read a raw file or stream | [`SampleReader`] |
//! | read and write WAV | [`wav`] |
//! | read, write and annotate SigMF | [`sigmf`] |
//! | read and write packets in PCAP files | [`pcap`] |
//! | use a radio behind a network, or offer one | [`blocks`], [`rtl_tcp`] |
//! | use a radio that SoapySDR drives | [`blocks`], [`soapy`] |
//! | encrypt connections | [`tls`] |
//! | feed a graph from any of them, and keep what it gives | [`blocks`] |
//!
//! What a header claims is believed only after the file's length has confirmed it, so that a lying header
//! costs an error and never memory. Every error is on one page, [`Error`].
//!
//! # Example
//!
//! ```
//! use superhet_io::{C32, SampleFormat, SampleReader};
//!
//! # fn main() -> Result<(), superhet_io::Error> {
//! let path = "g001_433.92M_250k.cu8";
//! let format = SampleFormat::from_path(path)?;
//! let mut reader = SampleReader::new(&[0u8, 255, 255, 0][..], path, format);
//! let mut iq = [C32::default(); 16];
//! let n = reader.read_c32(&mut iq)?;
//! assert_eq!(&iq[..n], &[C32::new(-1.0, 1.0), C32::new(1.0, -1.0)]);
//! # Ok(())
//! # }
//! ```
#![deny(unsafe_code)]

pub mod blocks;
mod broker;
mod connecting;
pub mod decode;
pub mod encode;
mod error;
mod format;
mod format_names;
#[doc(hidden)]
pub mod fuzzing;
pub mod link;
mod listening;
mod name;
mod notices;
pub mod pcap;
mod raw;
pub mod rtl_tcp;
pub mod rtlsdr;
pub mod sigmf;
pub mod soapy;
mod sound;
mod spyserver;
mod standing;
pub mod tls;
mod uri;
mod vita49;
pub mod wav;
mod zmtp;

pub use decode::{Decoder, Progress};
pub use error::Error;
pub use format::{Endian, Number, SampleFormat, Shape};
pub use name::NameHints;
pub use raw::SampleReader;
pub use uri::{FileUri, RadioUri, SCHEMES, Scheme, SoapyUri, add_scheme, schemes};

/// One IQ sample: `re` is I, `im` is Q, full scale = 1.0.
pub type C32 = num_complex::Complex<f32>;
