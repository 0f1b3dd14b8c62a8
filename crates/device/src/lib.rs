//! Device domains: samples that live on an accelerator, and move once.

#![deny(unsafe_code)]

mod backend;
#[cfg(feature = "cuda")]
#[allow(unsafe_code)]
pub mod cuda;
#[cfg(any(feature = "cuda", feature = "opencl", feature = "wgpu"))]
mod driver;
mod kernel;
#[cfg(feature = "opencl")]
#[allow(unsafe_code)]
pub mod opencl;
#[cfg(feature = "wgpu")]
pub mod wgpu;

pub use backend::{Backend, Capture, Graph, Launch, Place, Span, Transfer};
#[cfg(any(feature = "cuda", feature = "opencl", feature = "wgpu"))]
pub use driver::{DriverError, Found};
pub use kernel::{HostCall, HostKernel, Language, Source};
