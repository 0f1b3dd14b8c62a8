//! Device domains: samples that live on an accelerator, and move once.

#![forbid(unsafe_code)]

mod backend;
mod kernel;
pub mod sim;

pub use backend::{Backend, Launch, Place, Span, Transfer};
pub use kernel::{HostCall, HostKernel, Language, Source};
