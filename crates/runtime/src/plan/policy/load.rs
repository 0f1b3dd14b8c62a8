//! What a graph's blocks do while they run.

use crate::graph::CheckedGraph;

/// What a graph's blocks have done in some interval.
#[derive(Clone, Debug, Default)]
#[doc(hidden)]
pub struct Load {
    /// Seconds.
    pub(crate) interval: f64,
    /// Per block: seconds in its code.
    pub(crate) busy: Vec<f64>,
    /// Per stream: items written.
    pub(crate) items: Vec<f64>,
    /// Per block: messages that were sent to it.
    pub(crate) messages: Vec<f64>,
    /// Per block: bytes that each of them refers to.
    pub(crate) message_bytes: Vec<f64>,
}

impl Load {
    /// How much the blocks get through: items and messages, per second.
    pub(crate) fn rate(&self) -> f64 {
        (self.items.iter().sum::<f64>() + self.messages.iter().sum::<f64>()) / self.interval
    }

    /// How many workers' time the blocks take that workers run.
    pub(crate) fn workers_busy(&self, graph: &CheckedGraph) -> f64 {
        let is_dealt = |block: usize| !graph.nodes[block].spec.blocking;
        let busy = self.busy.iter().enumerate().filter(|(block, _)| is_dealt(*block));
        busy.map(|(_, busy)| busy).sum::<f64>() / self.interval
    }

    /// Whether the blocks' own time is what bounds the graph's rate.
    pub(crate) fn is_busy(&self, graph: &CheckedGraph) -> bool {
        self.workers_busy(graph) >= BUSY
    }
}

/// A graph whose blocks keep one worker busy for less than this part of the time waits for the outside world: it could
/// not be any faster.
const BUSY: f64 = 0.7;
