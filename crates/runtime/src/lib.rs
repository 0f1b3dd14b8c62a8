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

pub mod block;
mod buffer;
pub mod catalog;
mod chain;
mod clock;
mod domain;
mod error;
pub mod gap;
mod graph;
pub mod harness;
mod item;
mod message;
mod message_type;
mod metrics;
pub mod packet;
mod parameters;
mod park;
mod plan;
mod port;
mod request;
mod scheduler;
mod stage;
mod streams;
mod sync;
mod tag;
mod value;

pub use block::{Block, Context, Pure, Ratio, Readiness, Step, SyncBlock, Work};
pub use buffer::{LentItems, LentRoom, StreamMemory, ask_for_large_pages};
pub use clock::{Moment, StreamClock};
pub use domain::{Domain, Feed, Member, MemberError, Resident};
pub use error::{
    BlockError, CheckError, ConnectError, GapError, MessageError, PmtError, ReconfigureError, RunError,
};
pub use gap::{Gaps, OnGap};
pub use graph::{
    BlockId, CheckedGraph, Graph, Handle, Hier, InRef, Link, MsgInRef, MsgOutRef, OutRef, PortList,
    PortVisitor, nearest, suggestion,
};
pub use item::{C32, C64, Complex, Item, ItemType};
pub use message::{MsgIn, MsgOut, QueueFull, WhenFull};
pub use message_type::MessageType;
pub use metrics::{BlockReport, Bottleneck, InputReport, Outcome, OutputReport, Report};
pub use packet::{AnyPacket, Framing, Packet, PacketBlock};
pub use parameters::{Desk, Parameters, Receipt, no_parameter};
pub use plan::{BlockCost, Bound, Lane, LaneCost, Machine, Plan, Prediction};
pub use port::{AnyIn, AnyOut, In, Out, PortSpec, align_span, forward_tags};
pub use request::{Request, RequestError};
pub use scheduler::{
    Adaptive, Changed, Control, Edit, MaxLatency, Options, Pinned, Priority, RingFlavour, RunningGraph,
    Scheduler, Single, Threads,
};
pub use stage::{AnyBlock, BlockSpec, GeneralLevel, IntoBlock, Level, PureLevel, StreamPorts, SyncLevel};
pub use streams::{Family, Make, Streams};
pub use superhet_macros::Block;
pub use tag::{Tag, TagPolicy, TagQueue, map_index};
pub use value::{Pairs, Value, Vector};

/// What a program that builds graphs and blocks needs.
pub mod prelude {
    pub use crate::{
        Adaptive, Block, BlockError, C32, Context, Graph, In, Item, MsgIn, MsgOut, Options, Out, Pinned,
        Pure, Ratio, Single, Step, SyncBlock, Threads, Value, Work,
    };
}
