//! What blocks cost, before they run.

use std::collections::HashMap;

use crate::graph::CheckedGraph;

/// Seconds per second of signal, or at least in proportion to it, for each block of `order`.
pub(super) fn costs_of(graph: &CheckedGraph, order: &[usize], known: &HashMap<String, f64>) -> Vec<f64> {
    let rate_of_input = |block: usize| {
        let reads = |stream: &&crate::graph::Stream| stream.readers.iter().any(|r| r.block == block);
        graph.streams.iter().find(reads).map_or(1.0, |stream| stream.rate)
    };
    let costs: Vec<Option<f64>> = order
        .iter()
        .map(|&block| {
            let node = &graph.nodes[block];
            known.get(&node.name).copied().or_else(|| Some(node.block.0.probe()? * rate_of_input(block)))
        })
        .collect();
    let timed: Vec<f64> = costs.iter().flatten().copied().collect();
    let mean = if timed.is_empty() { 1.0 } else { timed.iter().sum::<f64>() / timed.len() as f64 };
    costs.into_iter().map(|cost| cost.unwrap_or(mean)).collect()
}
