//! What is counted while a graph runs: cheap enough to be always on.
//!
//! Each number has one writer, the worker that runs the block; readers may see it up to a sweep late.

mod clock;
mod counters;
mod report;

pub(crate) use clock::clock_cost;
pub(crate) use counters::{Counters, Publish, add};
pub use report::{BlockReport, Bottleneck, InputReport, Outcome, OutputReport, Report};
