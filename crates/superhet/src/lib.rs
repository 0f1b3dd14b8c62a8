//! superhet, a software-radio runtime: everything a program that embeds it needs, under one name.
//!
//! | feature | gives | |
//! |---|---|---|
//! | `blocks` | [`blocks`]: the library of blocks | default |
//! | `files` | [`io`]: files and sockets | default |
//! | `graphs` | `flow`: graph files, flowgraphs of GNU Radio Companion, and blocks by their names; the program is compiled with every block then | |
//! | `monitor` | `monitor`: a dashboard in the browser for running graphs | |
//! | `devices` | `device`: blocks on devices; with a driver: `cuda`, `opencl`, `wgpu` | |
//!
//! Without any of them there are [`runtime`], which knows no block, [`channel`]s into a graph and out of it, and [`kernels`].
//!
//! ```
//! use superhet::prelude::*;
//! use superhet::blocks::{math::Saxpy, sources::VectorSource};
//!
//! let mut graph = Graph::new();
//! let source = VectorSource::new(vec![1.0f32, 2.0, 3.0], false)?;
//! let (_, saxpy) = graph.chain((("source", source), ("saxpy", Saxpy::new(2.0, 0.5))));
//! let items = graph.collect(saxpy.output);
//! graph.run()?;
//! assert_eq!(items.take(), [2.5, 4.5, 6.5]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

/// The examples of the front page and of the book.
#[cfg(all(doctest, feature = "graphs", feature = "devices"))]
mod guides {
    #[doc = include_str!("../../../README.md")]
    struct Readme;
    #[doc = include_str!("../README.md")]
    struct OfTheCrate;
    #[doc = include_str!("../../../docs/first-receiver.md")]
    struct FirstReceiver;
    #[doc = include_str!("../../../docs/recipes.md")]
    struct Recipes;
    #[doc = include_str!("../../../docs/blocks-in-rust.md")]
    struct BlocksInRust;
    #[doc = include_str!("../../../docs/tags-messages-packets.md")]
    struct TagsMessagesPackets;
    #[doc = include_str!("../../../docs/many-cores.md")]
    struct ManyCores;
    #[doc = include_str!("../../../docs/devices.md")]
    struct Devices;
}

#[cfg(feature = "blocks")]
pub use superhet_blocks as blocks;
#[cfg(feature = "devices")]
pub use superhet_device as device;
#[cfg(feature = "graphs")]
pub use superhet_flow as flow;
#[cfg(feature = "files")]
pub use superhet_io as io;
pub use superhet_kernels as kernels;
#[cfg(feature = "monitor")]
pub use superhet_monitor as monitor;
pub use superhet_runtime as runtime;
pub use superhet_runtime::channel;

/// What a program that builds graphs and blocks needs.
///
/// ```
/// use superhet::prelude::*;
///
/// /// Gives what it takes.
/// #[derive(Block)]
/// struct Pass {
///     #[port("in")]
///     input: In<f32>,
///     #[port("out")]
///     output: Out<f32>,
/// }
///
/// impl Work for Pass {
///     fn work(&mut self, _: &mut Context<'_>) -> Result<Step, BlockError> {
///         let n = self.input.available().min(self.output.room());
///         self.output.reserve()[..n].copy_from_slice(&self.input.peek()[..n]);
///         self.input.consume(n);
///         self.output.produce(n);
///         Ok(Step::Ran)
///     }
/// }
///
/// let pass = Pass { input: In::new(), output: Out::new() };
/// assert_eq!(superhet::runtime::harness::run(pass, &[1.0, 2.0]), [1.0, 2.0]);
/// ```
pub mod prelude {
    // The runtime's own would name a crate that a program with this one alone does not know.
    pub use superhet_macros::FacadeBlock as Block;
    pub use superhet_runtime::prelude::*;
}

#[cfg(feature = "graphs")]
static MORE: std::sync::Mutex<Vec<&'static [runtime::catalog::Entry]>> = std::sync::Mutex::new(Vec::new());

/// Lets all of the process find other blocks by name, from now on: in graph files, in lists, on the command line. Of blocks that have one
/// name the library's is found.
#[cfg(feature = "graphs")]
pub fn add_blocks(entries: &'static [runtime::catalog::Entry]) {
    MORE.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(entries);
}

/// All blocks by name: those of the library, of the files, of devices where those are there, and what [`add_blocks`] has added.
///
/// ```
/// use superhet::prelude::*;
/// use superhet::runtime::AnyBlock;
/// use superhet::runtime::catalog::{Entry, input};
/// use superhet::runtime::harness::VecSink;
///
/// const MINE: &[Entry] = &[Entry {
///     name: "my_sink",
///     category: "sinks",
///     summary: "Drops what it gets.",
///     params: &[],
///     ports: &[input("in", "C32", "anything")],
///     make: |_| Ok(AnyBlock::new(VecSink::<C32>::new())),
/// }];
///
/// superhet::add_blocks(MINE);
/// assert!(superhet::registry().find("my_sink").is_ok());
/// ```
#[cfg(feature = "graphs")]
pub fn registry() -> flow::Registry {
    let more = MORE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let own = [
        blocks::ENTRIES,
        io::blocks::ENTRIES,
        #[cfg(feature = "devices")]
        device::catalog::ENTRIES,
    ];
    flow::Registry::new(own.into_iter().chain(more.iter().copied()))
}

/// All functions that files can call by name, such as those that design filters.
#[cfg(feature = "graphs")]
pub fn library() -> flow::python::Library {
    flow::python::Library::new(blocks::FUNCTIONS.iter().copied())
}
