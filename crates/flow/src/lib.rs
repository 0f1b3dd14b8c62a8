//! Graphs as files, and the registry of blocks by name. Knows no concrete block and no thread.
//!
//! [`Registry`] finds blocks and describes them, [`Flow`] is a graph file that has been read: [`Flow::check`] gives the
//! graph ready to run, or a [`FlowError`] with every mistake of the file at once.
//!
//! Flowgraphs of GNU Radio Companion become the same ([`Flow::from_grc_file`]): [`gnuradio`] has the names of their blocks,
//! [`python`] works out their expressions.
//!
//! # Graph files
//!
//! ```toml
//! connections = ["source -> filter -> sink", "filter -> probe"]
//!
//! [graph]                    # optional, as each of its keys is
//! name = "example"
//! description = "What it is for."
//! format = 1                 # the version of this format
//!
//! [variables]                # in any order
//! rate = 2.4e6
//! half = "=rate / 2"
//! station = "${rate}.cf32"
//!
//! [devices.fast]             # what blocks of devices can name as `device = "fast"`
//! backend = "opencl"         # which driver
//! number = 0                 # which of its devices; 0 if it is not there
//! batch = 65536              # optional: these parameters for each block that names it
//! depth = 3
//!
//! [blocks.source]
//! type = "file_source"       # the block's name in the registry
//! path = "=station"
//!
//! [blocks.filter]
//! type = "fir_filter"
//! taps = [0.25, 0.5, 0.25]
//!
//! [blocks.sink]
//! graph = "recorder.toml"    # instead of a type: the blocks of another file
//! rate = "=half"             # sets that file's variable `rate`
//! ```
//!
//! **Values.** Text that begins with `=` is an [`expression`], and `${…}` inside text is replaced by the value of the
//! expression between the braces. `==` at the beginning stands for one `=`, and `$${` for `${`. Dates and times are
//! text. A lone name, `"=taps"`, gives the variable as it is, whatever it is.
//!
//! **Devices.** A block whose parameter `device` names a table `[devices.NAME]` gets `device`, as in `opencl:0`, `batch` and
//! `depth` from there; what it says itself wins. Included files can name the devices of the files around them.
//!
//! **Connections.** `block.port`, or `block` where it has one such port only. `a -> b -> c` is a chain; the last link
//! may lead to several, `a -> b, c`. As `connections` belongs to no table it stands before the first one; where that
//! does not suit, `[[connections]]` with `from` and `to` says the same.
//!
//! **Files in files.** The blocks of an included file are named `sink/NAME`. It names the ports that it shows:
//!
//! ```toml
//! [ports]
//! in = "writer.in"           # always as block.port
//! ```
//!
//! From outside they are `sink.in`, or `sink` where there is one of that direction only. The file is found relative to
//! the folder of the file that names it.
//!
//! **Paths.** A relative path in a block's parameter is relative to the folder of the file in which its beginning is
//! written. A path in a [`Set`] is relative to the current directory. `-` stays what it is.
//!
//! **In a line.** [`Flow::from_line`] reads graphs without a file:
//!
//! ```text
//! rate=2e6; file_source path=x.cu8 -> throttle rate_hz==rate -> t:head items=1k -> null_sink; t.out -> tag_debug
//! ```
//!
//! Parts are separated by semicolons. One of the form `NAME=VALUE` is a variable, each other one a chain. A block is its type with
//! parameters behind it, and a name before it where it needs one, `NAME:TYPE`. Else it is called after its type: `head`, then
//! `head_2`. A word alone is a type, unless a block has that name; `NAME.PORT` is a port of a block. Values are those of a [`Set`]
//! and end at a space, a comma, a semicolon or an arrow outside of quotes and brackets. Paths are relative to the current
//! directory.
//!
//! **Limits.** Files of 4 MiB, 65536 blocks and 262144 connections in all, texts and lines of 64 KiB, 256 included files, at most 16
//! within each other. More is an error, so that no file can use up time or memory.
#![forbid(unsafe_code)]

mod assemble;
mod connections;
mod devices;
mod error;
pub mod expression;
mod flow;
pub mod gnuradio;
mod grc;
mod line;
mod load;
pub mod python;
mod registry;
mod render;
mod resolve;
mod set;
mod split;
mod toml;
mod values;
mod variables;
mod write;

pub use error::{ExpressionError, FlowError, Mistake, Place, UnknownType};
pub use flow::{Flow, Note};
pub use grc::{grc_document, grc_script};
pub use registry::Registry;
pub use set::{Set, value};
pub use split::{BlockPorts, Crossing, LinkEnd, Split};
