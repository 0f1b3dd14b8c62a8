//! superhet, a software-radio runtime: everything a program that embeds it needs, under one name.
//!
//! ```
//! use superhet::prelude::*;
//! use superhet::blocks::{math::Saxpy, sinks::VectorSink, sources::VectorSource};
//!
//! let mut graph = Graph::new();
//! let source = graph.add("source", VectorSource::new(vec![1.0f32, 2.0, 3.0], false)?);
//! let saxpy = graph.add("saxpy", Saxpy { gain: 2.0, offset: 0.5 });
//! let sink = VectorSink::<f32>::new();
//! let items = sink.items();
//! let sink = graph.add("sink", sink);
//! graph.connect(source.output, saxpy.input);
//! graph.connect(saxpy.output, sink.input);
//! graph.run()?;
//! assert_eq!(items.take(), [2.5, 4.5, 6.5]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

/// The examples of the front page.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

pub use superhet_blocks as blocks;
pub use superhet_device as device;
pub use superhet_flow as flow;
pub use superhet_io as io;
pub use superhet_kernels as kernels;
pub use superhet_runtime as runtime;

/// What a program that builds graphs and blocks needs.
pub mod prelude {
    pub use superhet_runtime::prelude::*;
}

/// All blocks by name: those of the library, of the files, and of devices.
pub fn registry() -> flow::Registry {
    flow::Registry::new([blocks::ENTRIES, io::blocks::ENTRIES, device::catalog::ENTRIES])
}

/// All functions that files can call by name, such as those that design filters.
pub fn library() -> flow::python::Library {
    flow::python::Library::new(blocks::FUNCTIONS.iter().copied())
}
