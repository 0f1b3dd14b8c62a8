//! Typed references to ports: what `connect` takes.

use super::build::Graph;
use crate::data::Item;
use crate::stream::refs::{InRef, MsgInRef, MsgOutRef, OutRef};

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

impl Graph {
    /// Connects an output to an input of the same kind. An output may feed any number of inputs.
    pub fn connect<To, From: Link<To>>(&mut self, from: From, to: To) {
        from.link(to, self);
    }
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
