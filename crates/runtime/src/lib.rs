//! Blocks, ports, tags, messages, buffers, plans, schedulers and metrics. Knows no kernel and no concrete block.
//!
//! A tour, in the order of use:
//!
//! 1. [`block`]: write a block on the simplest level that fits, [`Pure`], [`SyncBlock`] or [`Work`].
//! 2. [`Graph`]: add blocks, connect their ports; [`Graph::check`] finds every mistake at once.
//! 3. [`CheckedGraph::start`] with a [`Scheduler`]: the [`Plan`](plan::Plan) says what runs where.
//! 4. [`RunningGraph`]: wait for it, stop it, watch it, send it messages.
//!
//! [`harness`] runs one block alone.
//!
//! The root has what most programs name, and [`prelude`] the most usual of it. All else is in a module for each subject.

#![deny(unsafe_code)]

// `derive(Block)` names the crate from outside; this makes its output fit inside, too.
extern crate self as superhet_runtime;

// The floors of the house, from the ground up. Each knows only those before it; `tests/house.rs` holds it to that.

mod data;

mod wake;

mod stream;

pub mod block;

pub mod graph;

mod metrics;

pub mod plan;

mod exec;

// The roof.

mod arguments;
pub mod catalog;
pub mod channel;
mod collect;
pub mod harness;
mod tunable;

// In the root is what most programs name, and all else in a module for each subject; `tests/house.rs` keeps it so.

pub use block::levels::{Block, Context, InPlace, InPlaceState, Pure, Step, SyncBlock, Work};
pub use block::runnable::AnyBlock;
pub use block::shape::Shape;
pub use collect::Items;
pub use data::packet::Packet;
pub use data::{BlockError, C32, C64, Complex, Item, Ratio, RunError, Tag, Text, Value};
pub use exec::run::RunningGraph;
pub use graph::build::Graph;
pub use graph::checked::CheckedGraph;
pub use metrics::Report;
pub use plan::options::Options;
pub use plan::policy::{Adaptive, Pinned, Scheduler, Single, Threads};
pub use stream::message::{MsgIn, MsgOut};
pub use stream::port::{In, Out};
pub use stream::readiness::Readiness;
pub use superhet_macros::Block;
pub use tunable::{Tunable, Tuned};

/// ```
/// use superhet_runtime::{Graph, Pure, declare, harness};
///
/// /// Multiplies.
/// #[derive(Clone)]
/// struct Amp {
///     gain: f32,
/// }
///
/// #[declare(summary = "Multiplies.", category = "math", ports(input("in", "f32", "x"), output("out", "f32", "gain · x")))]
/// impl Amp {
///     /// Multiplies by `gain`.
///     pub fn new(
///         /// The factor.
///         #[param(live, range = 0.0..=10.0, default = 1.0)]
///         gain: f32,
///     ) -> Self {
///         Amp { gain }
///     }
/// }
///
/// #[declare]
/// impl Pure for Amp {
///     type In = f32;
///     type Out = f32;
///     fn map(&self, x: &[f32], y: &mut [f32]) {
///         y.iter_mut().zip(x).for_each(|(y, x)| *y = self.gain * x);
///     }
/// }
///
/// assert_eq!(harness::run(Amp::new(2.0), &[1.0, 2.0]), [2.0, 4.0]);
/// assert_eq!((ENTRY.name, ENTRY.params[0].default), ("amp", Some("1.0")));
/// assert!(Amp::new(1.0).with_parameter("gain", &11.into()).is_err());
/// # let _ = Amp::GAIN;
/// ```
pub use superhet_macros::declare;

pub use stream::gap;

/// The memory of streams: items and room that others use for a while, kinds of rings, large pages.
pub mod buffer {
    pub use crate::plan::options::RingFlavour;
    pub use crate::stream::buffer::{LentItems, LentRoom, StreamMemory, ask_for_large_pages};
}

/// When an item was taken, by what tags say of time and rate.
pub mod clock {
    pub use crate::stream::clock::{Moment, StreamClock};
}

/// Blocks whose samples live elsewhere, such as in the memory of a device.
pub mod domain {
    pub use crate::block::domain::{Domain, Feed, Member, MemberError, Resident};
}

/// What can be wrong with a graph, a message or a change, and the name that was meant instead.
pub mod error {
    pub use crate::data::request::RequestError;
    pub use crate::data::{
        CheckError, ConnectError, GapError, MessageError, PmtError, ReconfigureError, nearest, suggestion,
    };
}

/// Messages: what a port carries, requests that are answered, and queues that are full.
pub mod message {
    pub use crate::data::MessageType;
    pub use crate::data::request::Request;
    pub use crate::stream::message::{QueueFull, WhenFull};
}

/// Packets: bursts of items with metadata, as messages or in streams, and the blocks that handle them.
pub mod packet {
    pub use crate::block::framing::{Collector, Emitter, Framing, FramingError};
    pub use crate::block::packet_block::{NotThatPacket, PacketBlock, PacketItems, Packets, TaggedPackets};
    pub use crate::block::packet_stream::{PacketsToStream, StreamToPackets};
    pub use crate::data::packet::{AnyPacket, WrongItems};
}

/// What of a block can be set and asked while it runs.
pub mod parameter {
    pub use crate::block::parameters::Desk;
    pub use crate::data::{Declared, Parameter, ParameterName, ParameterPath, no_parameter};
    pub use crate::stream::receipt::Receipt;
    pub use crate::stream::settable::Parameters;
}

/// What ports of all types have in common, what they ask of their streams, and references to them for connecting.
pub mod port {
    pub use crate::stream::port::{AnyIn, AnyOut, PortSpec, align_span};
    pub use crate::stream::refs::{BlockId, InRef, MsgInRef, MsgOutRef, OutRef};
    pub use crate::stream::visit::PortVisitor;
}

/// The parts of a [`Report`]: what each block has done, and what held the graph up.
pub mod report {
    pub use crate::metrics::{BlockReport, Bottleneck, InputReport, Outcome, OutputReport};
}

/// A graph while it runs: handles to it, what it looks like, and changes of its blocks and streams.
pub mod running {
    pub use crate::exec::change::edit::{Changed, Edit};
    pub use crate::exec::layout::{BlockLayout, Layout, PortPlace, StreamLayout};
    pub use crate::exec::run::Control;
}

/// How tags pass a block, and where they come out.
pub mod tag {
    pub use crate::data::{Conversion, TagPolicy, TagQueue, map_index};
    pub use crate::stream::port::forward_tags;
}

/// What values are made of, and what can be made of them; types of items that are known only at run time.
pub mod value {
    pub use crate::data::{FromValue, ItemType, Map, Pairs, Vector};
}

/// What a program that builds graphs and blocks needs.
pub mod prelude {
    pub use crate::parameter::Declared;
    pub use crate::{
        Adaptive, Block, BlockError, C32, Context, Graph, In, Item, MsgIn, MsgOut, Options, Out, Pinned,
        Pure, Ratio, Shape, Single, Step, SyncBlock, Threads, Value, Work, declare,
    };
}
