//! The lanes of a policy, and the regions whose workers run them.

use super::share::STRIPS_PER_ROW_CLAIM;
use super::{Lane, RegionPlan};
use crate::data::{CheckError, ConnectError};
use crate::graph::CheckedGraph;

/// Takes the blocks that wait for the outside world out of their lanes.
pub(super) fn own_lanes_for_blocking(graph: &CheckedGraph, lanes: Vec<Lane>) -> Vec<Lane> {
    let mut own = Vec::new();
    let mut others = Vec::new();
    for mut lane in lanes {
        if lane.blocks.len() > 1 {
            let (blocking, rest) = lane.blocks.iter().partition(|&&b| graph.nodes[b].spec.blocking);
            own.extend(Vec::into_iter(blocking).map(|block| Lane::new(vec![block])));
            lane.blocks = rest;
        }
        if !lane.blocks.is_empty() {
            others.push(lane);
        }
    }
    others.extend(own);
    others
}

/// Every block is in exactly one lane.
pub(super) fn validate(graph: &CheckedGraph, lanes: &[Lane]) -> Result<(), CheckError> {
    let mut mistakes = Vec::new();
    let mut times = vec![0; graph.nodes.len()];
    for &block in lanes.iter().flat_map(|lane| &lane.blocks) {
        match times.get_mut(block) {
            Some(times) => *times += 1,
            None => {
                mistakes.push(ConnectError::Plan(format!("a lane names block {block}, which does not exist")))
            }
        }
    }
    for (node, times) in graph.nodes.iter().zip(&times).filter(|(_, times)| **times != 1) {
        mistakes.push(ConnectError::Plan(format!("block {} is in {times} lanes instead of one", node.name)));
    }
    if mistakes.is_empty() { Ok(()) } else { Err(CheckError(mistakes)) }
}

/// One region for all lanes, or for each lane one of its own; blocks that wait for the outside world always have theirs.
pub(super) fn regions(
    graph: &CheckedGraph,
    lanes: &[Lane],
    workers: Option<usize>,
    pinned: &[usize],
) -> Vec<RegionPlan> {
    let waits = |lane: &Lane| lane.blocks.iter().all(|&b| graph.nodes[b].spec.blocking);
    let alone = |lane: usize| RegionPlan {
        lanes: vec![lane],
        workers: 1,
        on_duty: 1,
        cpus: lanes[lane].cpu.into_iter().collect(),
        claim_strips: STRIPS_PER_ROW_CLAIM,
    };
    let Some(workers) = workers else { return (0..lanes.len()).map(alone).collect() };
    let (apart, together): (Vec<usize>, Vec<usize>) = (0..lanes.len()).partition(|&lane| waits(&lanes[lane]));
    // More workers than can ever run at once would only be woken for nothing.
    let is_shared = together.iter().any(|&lane| lanes[lane].shared);
    let on_duty = if is_shared { workers } else { workers.min(together.len()) };
    let cpus = pinned.iter().copied().take(workers).collect();
    let mut regions = Vec::new();
    if !together.is_empty() {
        regions.push(RegionPlan {
            lanes: together,
            workers,
            on_duty,
            cpus,
            claim_strips: STRIPS_PER_ROW_CLAIM,
        });
    }
    regions.extend(apart.into_iter().map(alone));
    regions
}
