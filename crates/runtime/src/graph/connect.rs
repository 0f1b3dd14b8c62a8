//! Typed references to ports: what `connect` takes.

use std::marker::PhantomData;

use super::build::Graph;
use super::{BlockId, PortId};
use crate::item::Item;

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

/// An output that can feed an input of type `To`: a stream of the same items, or messages.
///
/// Ports of different items do not compile:
///
/// ```compile_fail
/// use superhet_runtime::{Graph, harness::{VecSink, VecSource}};
/// let mut graph = Graph::new();
/// let source = graph.add("source", VecSource::new(vec![0u8]));
/// let sink = graph.add("sink", VecSink::<f32>::new());
/// graph.connect(source.output, sink.input);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot feed `{To}`: the two ports carry different things",
    note = "a conversion block between them turns one item type into the other"
)]
pub trait Link<To> {
    #[doc(hidden)]
    fn link(self, to: To, graph: &mut Graph);
}

impl<T: Item> Link<InRef<T>> for OutRef<T> {
    fn link(self, to: InRef<T>, graph: &mut Graph) {
        graph.streams.push((self.0, to.0));
    }
}

impl Link<MsgInRef> for MsgOutRef {
    fn link(self, to: MsgInRef, graph: &mut Graph) {
        graph.messages.push((self.0, to.0));
    }
}
