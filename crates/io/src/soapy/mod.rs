//! Radios that modules of [SoapySDR](https://github.com/pothosware/SoapySDR) drive, where its library is there when the program runs.
//!
//! Nothing of it is needed to build a program or to start it. [`devices`] looks for radios, with each module in a process of its own, as
//! modules may crash or hang; [`answer`] is what that process does. [`blocks`](crate::blocks) has the blocks `soapy_source` and
//! `soapy_sink`.
//!
//! | file | is |
//! |---|---|
//! | `api.rs` | the library's functions |
//! | `radio.rs` | a device that is set and streams |
//! | `probe.rs` | what there is, asked in other processes |

pub(crate) mod api;
mod probe;
pub(crate) mod radio;

pub use probe::{Asked, PROBE_TIME, answer, describe, devices};
