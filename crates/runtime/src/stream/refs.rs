//! References to blocks and ports of a graph: what `connect` takes.

use std::marker::PhantomData;

use crate::data::Item;

/// A block of one graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockId(pub(crate) usize);

/// A port by its block and its place among the block's ports of the same kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct PortId {
    pub block: usize,
    pub port: usize,
}

macro_rules! stream_ref {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        pub struct $name<T: Item>(pub(crate) PortId, PhantomData<fn() -> T>);

        impl<T: Item> $name<T> {
            /// The port at place `port` among the block's ports of this kind.
            pub fn new(id: BlockId, port: usize) -> Self {
                $name(PortId { block: id.0, port }, PhantomData)
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
    InRef
}
stream_ref! {
    /// An output of a block in a graph, for items of type `T`.
    OutRef
}

/// A message input of a block in a graph.
#[derive(Clone, Copy, Debug)]
pub struct MsgInRef(pub(crate) PortId);
/// A message output of a block in a graph.
#[derive(Clone, Copy, Debug)]
pub struct MsgOutRef(pub(crate) PortId);

impl MsgInRef {
    /// The port at place `port` among the block's message inputs.
    pub fn new(id: BlockId, port: usize) -> Self {
        MsgInRef(PortId { block: id.0, port })
    }
}

impl MsgOutRef {
    /// The port at place `port` among the block's message outputs.
    pub fn new(id: BlockId, port: usize) -> Self {
        MsgOutRef(PortId { block: id.0, port })
    }
}
