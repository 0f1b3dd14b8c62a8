//! Blocks, ports, tags, messages, buffers, plans, schedulers and metrics. Knows no kernel and no concrete block.
//!
//! A tour, in the order of use:
//!
//! 1. [`block`]: write a block on the simplest level that fits, [`Pure`], [`SyncBlock`] or [`Work`].
//! 2. [`Graph`]: add blocks, connect their ports; [`Graph::check`] finds every mistake at once.
//! 3. [`CheckedGraph::start`] with a [`Scheduler`]: the [`Plan`] says what runs where.
//! 4. [`RunningGraph`]: wait for it, stop it, watch it, send it messages.
//!
//! [`harness`] runs one block alone.

#![deny(unsafe_code)]

// `derive(Block)` names the crate from outside; this makes its output fit inside, too.
extern crate self as superhet_runtime;

// The floors of the house, from the ground up. Each knows only those before it; `tests/house.rs` holds it to that.

mod data;

mod wake;

mod stream;

pub mod block;

mod graph;

mod metrics;

mod plan;

mod exec;

// The roof.

mod arguments;
pub mod catalog;
pub mod channel;
mod collect;
pub mod harness;
mod tunable;

/// Packets: bursts of items with metadata, as messages or in streams, and the blocks that handle them.
pub mod packet {
    pub use crate::block::framing::{Collector, Emitter, Framing, FramingError};
    pub use crate::block::packet_block::{NotThatPacket, PacketBlock, Packets, TaggedPackets};
    pub use crate::block::packet_stream::{PacketsToStream, StreamToPackets};
    pub use crate::data::packet::{AnyPacket, Packet, WrongItems};
}

pub use block::any::{GeneralLevel, IntoBlock, PureLevel, StreamPorts, SyncLevel};
pub use block::domain::{Domain, Feed, Member, MemberError, Resident};
pub use block::framing::Framing;
pub use block::packet_block::PacketBlock;
pub use block::parameters::Desk;
pub use block::runnable::{AnyBlock, BlockSpec, Level};
pub use block::streams::{Family, Make, Streams};
pub use block::watcher::Watcher;
pub use block::{Block, Context, InPlace, InPlaceState, Pure, Shape, Step, SyncBlock, Work};
pub use collect::Items;
pub use data::packet::{AnyPacket, Packet};
pub use data::request::{Request, RequestError};
pub use data::{
    BlockError, C32, C64, CheckError, Complex, ConnectError, Conversion, Declared, FromValue, GapError, Item,
    ItemType, Map, MessageError, MessageType, Pairs, Parameter, ParameterName, ParameterPath, PmtError,
    Ratio, ReconfigureError, RunError, Tag, TagPolicy, TagQueue, Text, Value, Vector, map_index, nearest,
    no_parameter, suggestion,
};
pub use exec::change::edit::{Changed, Edit};
pub use exec::layout::{BlockLayout, Layout, PortPlace, StreamLayout};
pub use exec::run::{Control, RunningGraph};
pub use graph::{Chain, CheckedGraph, Graph, Handle, Hier, Link, OneInput, OneOutput, Part, PortList};
pub use metrics::{BlockReport, Bottleneck, InputReport, Outcome, OutputReport, Report};
pub use plan::options::{MaxLatency, Options, Priority, RingFlavour};
pub use plan::policy::{Adaptive, Pinned, Scheduler, Single, Threads};
pub use plan::{BlockCost, Bound, Lane, LaneCost, Machine, Plan, Prediction};
pub use stream::buffer::{LentItems, LentRoom, StreamMemory, ask_for_large_pages};
pub use stream::clock::{Moment, StreamClock};
pub use stream::gap::{self, Gaps, OnGap};
pub use stream::message::{MsgIn, MsgOut, QueueFull, WhenFull};
pub use stream::port::{AnyIn, AnyOut, In, Out, PortSpec, align_span, forward_tags};
pub use stream::readiness::Readiness;
pub use stream::receipt::Receipt;
pub use stream::refs::{BlockId, InRef, MsgInRef, MsgOutRef, OutRef};
pub use stream::settable::Parameters;
pub use stream::visit::PortVisitor;
pub use superhet_macros::{Block, declare};
pub use tunable::{Tunable, Tuned};

/// What a program that builds graphs and blocks needs.
pub mod prelude {
    pub use crate::{
        Adaptive, Block, BlockError, C32, Context, Declared, Graph, In, Item, MsgIn, MsgOut, Options, Out,
        Pinned, Pure, Ratio, Shape, Single, Step, SyncBlock, Threads, Value, Work, declare,
    };
}
