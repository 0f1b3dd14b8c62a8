//! A graph without mistakes, and its streams.

use std::collections::HashMap;
use std::sync::Arc;

use super::Node;
use super::parameters::AllParameters;
use super::streams::Streams;
use crate::data::{MessageError, ParameterName};
use crate::stream::message::Queue;
use crate::stream::receipt::Receipt;
use crate::stream::refs::{GraphNumber, PortId};

/// A graph without mistakes: it can be planned and run.
#[derive(Debug)]
pub struct CheckedGraph {
    /// As that of the graph that was checked, where its blocks have kept their places.
    pub(crate) number: GraphNumber,
    pub(crate) nodes: Vec<Node>,
    pub(crate) streams: Streams,
    pub(crate) messages: Vec<(PortId, PortId)>,
    /// The queues of the message inputs, once the graph is set to work.
    pub(crate) queues: HashMap<PortId, Arc<Queue>>,
    /// The blocks in topological order: each comes after the blocks that feed it. A loop starts after a preloaded output.
    pub(crate) order: Vec<usize>,
}

impl CheckedGraph {
    /// A graph without blocks.
    pub(crate) fn empty() -> Self {
        CheckedGraph {
            number: GraphNumber::next(),
            nodes: Vec::new(),
            streams: Streams::default(),
            messages: Vec::new(),
            queues: HashMap::new(),
            order: Vec::new(),
        }
    }

    /// Marks the streams that stay as they are when the graph is changed: those of blocks that wait for the outside world.
    pub(crate) fn keep_streams(&mut self) {
        let waits = |block: usize| self.nodes[block].spec.blocking;
        self.streams.keep(|stream| {
            waits(stream.from.block) || stream.readers.iter().any(|reader| waits(reader.block))
        });
    }

    /// The blocks by their place in the graph, in topological order: each comes after the blocks that feed it.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// The name of a block by its place in the graph.
    pub fn block_name(&self, block: usize) -> &str {
        &self.nodes[block].name
    }

    /// Sets the parameter `block.parameter` at item `index` of the block's input: before the start no item is too early.
    /// Otherwise as [`RunningGraph::set_at`](crate::RunningGraph::set_at).
    ///
    /// # Errors
    /// Where there is no such parameter, or its block does not take the value.
    pub fn set_at<V, P: ParameterName<V>>(
        &mut self,
        parameter: P,
        value: V,
        index: u64,
    ) -> Result<Receipt, MessageError> {
        AllParameters::of(&mut self.nodes).set(parameter.path(), P::value(value), Some(index))
    }
}
