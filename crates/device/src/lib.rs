//! Device domains: samples that live on an accelerator, and move once.
//!
//! 1. [`Device::new`] with a driver: [`Sim`] is always there.
//! 2. Blocks of the device: those of [`blocks`], or a [`DeviceMap`] of your own.
//! 3. Put them into a graph with any other blocks. Samples move where a stream goes to the device or comes from it, and
//!    nowhere else; both directions and the kernels overlap.
//!
//! [`Backend`] is what a driver for other hardware implements.

#![deny(unsafe_code)]

mod backend;
mod block;
pub mod blocks;
#[cfg(feature = "catalog")]
pub mod catalog;
pub mod conformance;
mod counters;
#[cfg(feature = "cuda")]
#[allow(unsafe_code)]
pub mod cuda;
mod device;
#[cfg(any(feature = "cuda", feature = "opencl", feature = "wgpu"))]
mod driver;
mod kernel;
#[cfg(feature = "opencl")]
#[allow(unsafe_code)]
pub mod opencl;
mod part;
mod ports;
mod region;
mod settings;
pub mod sim;
mod slice;
mod streams;
#[cfg(feature = "wgpu")]
pub mod wgpu;

pub use backend::{
    Backend, Capture, Direct, Flight, Launch, Locked, Pageable, Place, Replay, Span, Timing, Transfer,
};
pub use block::{DeviceBlock, DeviceMap, Queue, Repeat};
pub use counters::{Count, Counters};
pub use device::{Device, DeviceLevel, OnDevice};
#[cfg(any(feature = "cuda", feature = "opencl", feature = "wgpu"))]
pub use driver::{DriverError, Found};
pub use kernel::{HostCall, HostKernel, Language, Source};
pub use settings::Settings;
pub use sim::Sim;
pub use slice::{DevSlice, DevSliceMut};
pub use streams::{DevSlices, DevSlicesMut, Reads, Writes};
