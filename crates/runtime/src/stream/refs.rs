//! References to blocks and ports of a graph: what `connect` takes.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::data::Item;

/// A block of one graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockId {
    pub(crate) place: usize,
    pub(crate) graph: GraphNumber,
}

/// Tells a graph from all others of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct GraphNumber(u64);

impl GraphNumber {
    /// A number that no other graph has.
    pub fn next() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        GraphNumber(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// What kind of port a reference is to, in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PortKind {
    Input,
    Output,
    MessageInput,
    MessageOutput,
}

impl PortKind {
    pub fn name(self) -> &'static str {
        match self {
            PortKind::Input => "input",
            PortKind::Output => "output",
            PortKind::MessageInput => "message input",
            PortKind::MessageOutput => "message output",
        }
    }
}

/// A port, and the graph that it is of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PortOf {
    pub id: PortId,
    pub graph: GraphNumber,
    pub kind: PortKind,
}

/// A port by its block and its place among the block's ports of the same kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct PortId {
    pub block: usize,
    pub port: usize,
}

macro_rules! stream_ref {
    ($(#[$doc:meta])* $name:ident $kind:ident) => {
        $(#[$doc])*
        pub struct $name<T: Item>(pub(crate) PortId, GraphNumber, PhantomData<fn() -> T>);

        impl<T: Item> $name<T> {
            /// The port at place `port` among the block's ports of this kind.
            pub fn new(id: BlockId, port: usize) -> Self {
                $name(PortId { block: id.place, port }, id.graph, PhantomData)
            }

            pub(crate) fn port_of(self) -> PortOf {
                PortOf { id: self.0, graph: self.1, kind: PortKind::$kind }
            }
        }
        impl<T: Item> Clone for $name<T> {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<T: Item> Copy for $name<T> {}
        impl<T: Item> std::fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{}({}, {})", stringify!($name), self.0.block, self.0.port)
            }
        }
    };
}

stream_ref! {
    /// An input of a block in a graph, for items of type `T`.
    InRef Input
}
stream_ref! {
    /// An output of a block in a graph, for items of type `T`.
    OutRef Output
}

macro_rules! message_ref {
    ($(#[$doc:meta])* $name:ident $kind:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name(PortId, GraphNumber);

        impl $name {
            /// The port at place `port` among the block's ports of this kind.
            pub fn new(id: BlockId, port: usize) -> Self {
                $name(PortId { block: id.place, port }, id.graph)
            }

            pub(crate) fn port_of(self) -> PortOf {
                PortOf { id: self.0, graph: self.1, kind: PortKind::$kind }
            }
        }
    };
}

message_ref! {
    /// A message input of a block in a graph.
    MsgInRef MessageInput
}
message_ref! {
    /// A message output of a block in a graph.
    MsgOutRef MessageOutput
}
