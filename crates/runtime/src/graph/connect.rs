//! Typed references to ports: what `connect` takes.

use super::build::Graph;
use crate::data::{ConnectError, Item};
use crate::stream::refs::{InRef, MsgInRef, MsgOutRef, OutRef, PortId, PortKind, PortOf};

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
    #[doc(hidden)]
    fn unlink(self, to: To, graph: &mut Graph);
}

impl Graph {
    /// Connects an output to an input of the same kind. An output may feed any number of inputs.
    ///
    /// [`Graph::check`] reports ports of other graphs.
    pub fn connect<To, From: Link<To>>(&mut self, from: From, to: To) {
        from.link(to, self);
    }

    /// Takes the connection of an output to an input away; [`Graph::check`] reports one that is not there.
    pub fn disconnect<To, From: Link<To>>(&mut self, from: From, to: To) {
        from.unlink(to, self);
    }

    /// Both ports, where both are of this graph; notes a mistake for each that is not.
    fn own(&mut self, from: PortOf, to: PortOf) -> Option<(PortId, PortId)> {
        let are_own = [from, to].map(|port| port.graph == self.number);
        for (port, other, is_own, other_is_own) in
            [(from, to, are_own[0], are_own[1]), (to, from, are_own[1], are_own[0])]
        {
            if !is_own {
                let other = if other_is_own { self.port_name(other) } else { place_in_words(other) };
                let used = format!("in a connection with {other}");
                self.mistakes.push(ConnectError::OtherGraph { port: place_in_words(port), used });
            }
        }
        (are_own == [true; 2]).then_some((from.id, to.id))
    }

    /// The name of a port, as `block.port`; notes a mistake where it is of another graph.
    pub(crate) fn name_of_own(&mut self, port: PortOf, used: &str) -> Option<String> {
        if port.graph == self.number {
            return Some(self.port_name(port));
        }
        self.mistakes.push(ConnectError::OtherGraph { port: place_in_words(port), used: used.to_owned() });
        None
    }

    /// The name of a port of this graph, as `block.port`.
    fn port_name(&self, port: PortOf) -> String {
        let Some(node) = self.nodes.get(port.id.block) else { return place_in_words(port) };
        let name = match port.kind {
            PortKind::Input => node.ports.inputs.get(port.id.port).map(|(name, _)| name),
            PortKind::Output => node.ports.outputs.get(port.id.port).map(|(name, _)| name),
            PortKind::MessageInput => node.ports.message_inputs.get(port.id.port).map(|(name, _)| name),
            PortKind::MessageOutput => node.ports.message_outputs.get(port.id.port).map(|(name, _)| name),
        };
        name.map_or_else(|| place_in_words(port), |name| format!("{}.{name}", node.name))
    }

    fn take_link(&mut self, from: PortOf, to: PortOf) {
        let Some(link) = self.own(from, to) else { return };
        let links = if from.kind == PortKind::Output { &mut self.streams } else { &mut self.messages };
        let before = links.len();
        links.retain(|known| *known != link);
        if links.len() == before {
            let name = format!("{} -> {}", self.port_name(from), self.port_name(to));
            self.mistakes.push(ConnectError::Unknown { what: "connection", name, hint: String::new() });
        }
    }
}

/// A port of which the name is not known.
fn place_in_words(port: PortOf) -> String {
    format!("{} {} of block {}", port.kind.name(), port.id.port, port.id.block)
}

impl<T: Item> Link<InRef<T>> for OutRef<T> {
    fn link(self, to: InRef<T>, graph: &mut Graph) {
        let link = graph.own(self.port_of(), to.port_of());
        graph.streams.extend(link);
    }
    fn unlink(self, to: InRef<T>, graph: &mut Graph) {
        graph.take_link(self.port_of(), to.port_of());
    }
}

impl Link<MsgInRef> for MsgOutRef {
    fn link(self, to: MsgInRef, graph: &mut Graph) {
        let link = graph.own(self.port_of(), to.port_of());
        graph.messages.extend(link);
    }
    fn unlink(self, to: MsgInRef, graph: &mut Graph) {
        graph.take_link(self.port_of(), to.port_of());
    }
}
