//! A dashboard for running graphs: a page in the browser, and an interface for programs, `PROTOCOL.md`.
//!
//! [`Monitor`] serves it. Metrics come from the runtime's counters. Samples come through taps, blocks that are added to a stream
//! while somebody looks. Spectra and all else that is drawn are computed on the dashboard's own thread, which gives way to those
//! of graphs. A viewer of a spectrum and a waterfall at 25 rows a second takes about 1 % of a core.
#![forbid(unsafe_code)]

mod api;
mod error;
mod frame;
mod metrics;
mod monitor;
mod openapi;
mod options;
mod prometheus;
mod record;
mod server;
mod shape;
mod tap;
mod view;
mod watched;

pub use api::View;
pub use error::MonitorError;
pub use monitor::{GraphId, Monitor};
pub use options::Options;
pub use watched::Watch;
