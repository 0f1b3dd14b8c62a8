//! The blocks of a graph in a row, what a cut needs to know of each, and the lanes that a cut makes of them.

use super::cut::{Cut, Segment, cut};
use super::settings::Adaptive;
use super::unit::Piece;
use crate::data::{ConnectError, suggestion};
use crate::graph::CheckedGraph;
use crate::plan::cost::{SECONDS_PER_BYTE, SECONDS_PER_CARRIED_BYTE, SECONDS_PER_STAGE_BYTE, or_mean};
use crate::plan::share::chain_of;
use crate::plan::{Lane, Machine};

impl Adaptive {
    fn find(&self, graph: &CheckedGraph, name: &str) -> Result<usize, ConnectError> {
        let found = graph.nodes.iter().position(|node| node.name == *name);
        found.ok_or_else(|| ConnectError::Unknown {
            what: "block",
            name: name.to_owned(),
            hint: suggestion(name, graph.nodes.iter().map(|node| node.name.as_str())),
        })
    }

    /// The blocks in a row, and what the cut needs to know of each.
    pub(super) fn pieces(
        &self,
        graph: &CheckedGraph,
        costs: impl FnOnce(&[usize]) -> Vec<f64>,
    ) -> Result<(Vec<usize>, Vec<Piece>), ConnectError> {
        // Blocks with threads of their own take no part.
        let order: Vec<usize> =
            graph.order.iter().copied().filter(|&b| !graph.nodes[b].spec.blocking).collect();
        let costs = costs(&order);
        let places = places(graph, &order);
        let place_of = |block: usize| places[block];
        let mut pieces: Vec<Piece> = order
            .iter()
            .zip(costs)
            .enumerate()
            .map(|(place, (&block, cost))| {
                let node = &graph.nodes[block];
                let is_measured = self.costs.seconds(&node.name).is_some();
                let reads = graph.streams.read_by(block);
                let reads: Vec<(usize, f64)> = reads
                    .map(|stream| {
                        let item = graph.nodes[stream.from.block].ports.outputs[stream.from.port].1.item;
                        let bytes = self.costs.rate_of(graph, stream) * item.size() as f64;
                        match place_of(stream.from.block) {
                            Some(place) => (place, bytes * SECONDS_PER_CARRIED_BYTE),
                            // Always in another lane: that is in the time that was measured.
                            None if is_measured => (usize::MAX, 0.0),
                            None => (usize::MAX, bytes * SECONDS_PER_BYTE),
                        }
                    })
                    .collect();
                let follows = place > 0
                    && chain_of(graph, &[order[place - 1], block]).is_some_and(|_| reads.len() == 1);
                let shape = node.shape.as_ref();
                let taken = graph.streams.read_by(block).next();
                let bytes = taken.map_or(0.0, |stream| {
                    self.costs.rate_of(graph, stream) * shape.map_or(0, |shape| shape.in_bytes) as f64
                });
                Piece {
                    cost,
                    is_link: shape.is_some(),
                    has_state: shape.is_some_and(|shape| shape.has_state),
                    carrying: bytes * SECONDS_PER_STAGE_BYTE,
                    follows,
                    reads,
                    ..Piece::default()
                }
            })
            .collect();
        for name in &self.never_share {
            let block = self.find(graph, name)?;
            if let Some(place) = place_of(block) {
                pieces[place].never_share = true;
            }
        }
        for group in &self.same_lane {
            let mut places = Vec::new();
            for name in group {
                places.extend(place_of(self.find(graph, name)?));
            }
            places.sort_unstable();
            if let Some(gap) = places.windows(2).find(|pair| pair[1] != pair[0] + 1) {
                let name = |place: usize| graph.nodes[order[place]].name.as_str();
                return Err(ConnectError::Plan(format!(
                    "{} and {} cannot be kept in one lane: {} comes between them",
                    name(gap[0]),
                    name(gap[1]),
                    name(gap[0] + 1)
                )));
            }
            places.iter().skip(1).for_each(|&place| pieces[place].tied = true);
        }
        Ok((order, pieces))
    }

    /// The best cut of the graph's blocks, with the blocks in the row that it cuts.
    pub(crate) fn cut(
        &self,
        graph: &CheckedGraph,
        machine: &Machine,
    ) -> Result<(Vec<usize>, Cut), ConnectError> {
        let mut is_unknown = false;
        let costs = |order: &[usize]| {
            let costs = self.costs.of(graph, order);
            is_unknown = costs.iter().all(Option::is_none);
            or_mean(costs)
        };
        let (order, mut pieces) = self.pieces(graph, costs)?;
        if is_unknown {
            // Nobody knows what the blocks cost, or whether that is more than to hand items and messages over. Together they
            // show it once the graph runs.
            pieces.iter_mut().skip(1).for_each(|piece| piece.tied = true);
        }
        let is_chain = |from: usize, to: usize| chain_of(graph, &order[from..to]).is_some();
        let workers = self.workers.unwrap_or(machine.cpus.len().max(1));
        let cut = cut(&pieces, workers, &is_chain);
        Ok((order, cut))
    }
}

/// Per block, its place in the row.
pub(super) fn places(graph: &CheckedGraph, order: &[usize]) -> Vec<Option<usize>> {
    let mut places = vec![None; graph.nodes.len()];
    order.iter().enumerate().for_each(|(place, &block)| places[block] = Some(place));
    places
}

/// The lanes of a cut; blocks that wait for the outside world have lanes of their own.
pub(super) fn lanes_of(graph: &CheckedGraph, order: &[usize], cut: &Cut) -> Vec<Lane> {
    let lane = |segment: &Segment| Lane {
        shared: segment.shared,
        ..Lane::new(order[segment.from..segment.to].to_vec())
    };
    let mut lanes: Vec<Lane> = cut.segments.iter().map(lane).filter(|lane| !lane.blocks.is_empty()).collect();
    let blocking = graph.order.iter().filter(|&&b| graph.nodes[b].spec.blocking);
    lanes.extend(blocking.map(|&block| Lane::new(vec![block])));
    lanes
}
