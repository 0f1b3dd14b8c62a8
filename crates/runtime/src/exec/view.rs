//! What others can see of a running graph: its blocks by name, their ports, streams and parameters.

use std::sync::Arc;

use super::layout::BlockLayout;
use super::stuck::Wiring;
use crate::graph::parameters::AllParameters;
use crate::graph::{CheckedGraph, Node};
use crate::metrics::Counters;
use crate::stream::message::Queue;
use crate::stream::refs::PortId;

/// What others can see of the graph.
#[derive(Debug, Default)]
pub(super) struct View {
    pub counters: Vec<Arc<Counters>>,
    pub wiring: Wiring,
    /// Per block, the names of its outputs and how many items they will give, where known.
    pub outputs: Vec<Vec<(String, Option<u64>)>>,
    /// The queues of all message inputs by the names of their ports.
    pub message_inputs: Vec<(String, Arc<Queue>)>,
    pub parameters: AllParameters,
    /// The blocks in the order of the counters.
    pub blocks: Vec<BlockLayout>,
    /// The connections for messages.
    pub messages: Vec<(PortId, PortId)>,
}

impl View {
    pub fn new(graph: &mut CheckedGraph, counters: &[Arc<Counters>]) -> Self {
        let port_names = |ports: &[(String, _)]| ports.iter().map(|(name, _)| name.clone()).collect();
        View {
            counters: counters.to_vec(),
            message_inputs: message_inputs(graph),
            parameters: AllParameters::of(&mut graph.nodes),
            blocks: graph.nodes.iter().map(BlockLayout::of).collect(),
            messages: graph.messages.clone(),
            wiring: Wiring::new(
                graph.nodes.iter().map(|node| node.name.as_str().into()).collect(),
                graph.nodes.iter().map(|node| port_names(&node.ports.inputs)).collect(),
                graph.streams.to_vec(),
                graph.nodes.iter().map(Node::takes_messages).collect(),
            ),
            outputs: graph.nodes.iter().map(outputs_of).collect(),
        }
    }
}

fn outputs_of(node: &Node) -> Vec<(String, Option<u64>)> {
    node.ports.outputs.iter().map(|(name, spec)| (name.clone(), spec.expected_items)).collect()
}

/// The queues of all message inputs by the names of their ports.
fn message_inputs(graph: &mut CheckedGraph) -> Vec<(String, Arc<Queue>)> {
    struct Collect<'a>(Option<&'a str>, &'a mut Vec<(String, Arc<Queue>)>);
    impl crate::stream::visit::PortVisitor for Collect<'_> {
        fn message_input(&mut self, name: &str, port: &mut crate::stream::message::MsgIn) {
            let name = self.0.map_or_else(|| name.to_owned(), |block| format!("{block}.{name}"));
            self.1.push((name, port.queue().clone()));
        }
    }
    let mut inputs = Vec::new();
    for node in &mut graph.nodes {
        let prefix = node.joined.is_empty().then_some(node.name.as_str());
        node.block.visit(&mut Collect(prefix, &mut inputs));
    }
    inputs
}
