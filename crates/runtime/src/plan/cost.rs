//! What blocks cost: as far as a run has shown, else timed on made-up data. And what it costs to hand items over.

use std::collections::HashMap;

use crate::graph::{CheckedGraph, Stream};
use crate::metrics::Report;

/// What reading a byte that another thread has written costs, in seconds: mostly cache lines that change cores.
pub(crate) const SECONDS_PER_BYTE: f64 = 0.12e-9;

/// What taking a byte from one lane to the next costs, in seconds, where a worker carries it: it goes through the level-2 cache,
/// and there is a turn to be waited for.
pub(crate) const SECONDS_PER_CARRIED_BYTE: f64 = 0.025e-9;

/// What taking a byte from one stage of a chain to the next costs, in seconds: it lies in the level-2 cache in between.
pub(crate) const SECONDS_PER_STAGE_BYTE: f64 = 0.001e-9;

/// The same on machines whose level-2 cache is slow beside the blocks: two cores of an Intel Xeon whose other threads were in use.
pub(crate) const SECONDS_PER_STAGE_BYTE_AT_WORST: f64 = 0.02e-9;

/// What taking a message that another lane has sent costs, in seconds, beside the bytes of its packet: the lines of the queue
/// and of what the message refers to change cores.
pub(crate) const SECONDS_PER_MESSAGE: f64 = 0.15e-6;

/// What is known from earlier runs of a graph.
///
/// All that a plan compares has one unit: seconds for each item that the graph's source gives. So do the costs of handing
/// items over, which are counted from the streams' rates.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Costs {
    /// Per block, seconds for each item of the source.
    seconds: HashMap<String, f64>,
    /// Per block and output, items for each item of the source.
    rates: HashMap<String, Vec<f64>>,
}

impl Costs {
    /// Takes what a run has shown; nothing, if its source gave no items.
    pub fn learn(&mut self, report: &Report) {
        let Some(source) = report.source() else { return };
        let base = source.outputs[0].items as f64;
        for block in &report.blocks {
            self.seconds.insert(block.name.clone(), block.busy.as_secs_f64() / base);
            let rates = block.outputs.iter().map(|output| output.items as f64 / base);
            self.rates.insert(block.name.clone(), rates.collect());
        }
    }

    /// Seconds for each item of the source.
    pub fn seconds(&self, block: &str) -> Option<f64> {
        self.seconds.get(block).copied()
    }

    /// Items of an output for each item of the source.
    pub fn rate(&self, block: &str, output: usize) -> Option<f64> {
        self.rates.get(block)?.get(output).copied()
    }

    /// Items of a stream for each item of the source; as the ports tell, where it has not run yet.
    pub fn rate_of(&self, graph: &CheckedGraph, stream: &Stream) -> f64 {
        let name = &graph.nodes[stream.from.block].name;
        self.rate(name, stream.from.port).unwrap_or(stream.rate)
    }

    /// Seconds for each item of the source, for each block of `order`; `None` for one that has not run and cannot be timed.
    pub fn of(&self, graph: &CheckedGraph, order: &[usize]) -> Vec<Option<f64>> {
        let rate_of_input = |block: usize| {
            graph.streams.read_by(block).next().map_or(1.0, |stream| self.rate_of(graph, stream))
        };
        let cost = |&block: &usize| {
            let node = &graph.nodes[block];
            self.seconds(&node.name).or_else(|| Some(node.block.0.probe()? * rate_of_input(block)))
        };
        order.iter().map(cost).collect()
    }
}

/// The costs, where a block of which nothing is known counts as the mean of the others.
pub(crate) fn or_mean(costs: Vec<Option<f64>>) -> Vec<f64> {
    let known: Vec<f64> = costs.iter().flatten().copied().collect();
    let mean = if known.is_empty() { 1.0 } else { known.iter().sum::<f64>() / known.len() as f64 };
    costs.into_iter().map(|cost| cost.unwrap_or(mean)).collect()
}
