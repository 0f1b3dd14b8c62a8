//! The default: lanes cut by cost, chains shared between all workers.

mod balance;
mod cut;

pub use balance::Load;
pub(crate) use cut::{Cut, Piece, cut};

use super::Scheduler;
use crate::data::{ConnectError, suggestion};
use crate::graph::CheckedGraph;
use crate::metrics::Report;
use crate::plan::cost::{Costs, or_mean};
use crate::plan::share::chain_of;
use crate::plan::{Lane, Machine};

/// Some workers for the whole graph: each takes whatever lane has something to do.
///
/// Blocks are cut into lanes by what they cost, so that the workers get through as many samples as possible; chains of
/// pure and sync blocks are shared between all workers. Cheap graphs stay in one lane: handing samples over would cost more than
/// it gains. No hints are needed; those given are kept.
#[derive(Clone, Debug, Default)]
pub struct Adaptive {
    workers: Option<usize>,
    costs: Costs,
    same_lane: Vec<Vec<String>>,
    never_share: Vec<String>,
    pinned: Vec<usize>,
}

/// What reading a byte that another thread has written costs, in seconds: mostly cache lines that change cores.
pub(crate) const SECONDS_PER_BYTE: f64 = 0.12e-9;

/// What taking a byte from one lane to the next costs, in seconds, where a worker carries it: it goes through the level-2 cache,
/// and there is a turn to be waited for.
pub(crate) const SECONDS_PER_CARRIED_BYTE: f64 = 0.025e-9;

/// What taking a byte from one stage of a chain to the next costs, in seconds: it lies in the level-2 cache in between.
pub(crate) const SECONDS_PER_STAGE_BYTE: f64 = 0.001e-9;

/// What taking a message that another lane has sent costs, in seconds, beside the bytes of its packet: the lines of the queue
/// and of what the message refers to change cores.
pub(crate) const SECONDS_PER_MESSAGE: f64 = 0.15e-6;

impl Adaptive {
    /// A worker for each processor.
    pub fn new() -> Self {
        Adaptive::default()
    }

    /// So many workers, at least one.
    pub fn workers(workers: usize) -> Self {
        Adaptive { workers: Some(workers.max(1)), ..Adaptive::default() }
    }

    /// Takes the costs of the blocks from an earlier run of the graph, best one with one worker: there, no block's time
    /// has what it costs to hand samples over in it.
    #[must_use]
    pub fn with_costs(mut self, report: &Report) -> Self {
        self.costs.learn(report);
        self
    }

    /// Keeps these blocks, neighbours on a stream, in one lane.
    #[must_use]
    pub fn same_lane(mut self, blocks: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.same_lane.push(blocks.into_iter().map(Into::into).collect());
        self
    }

    /// Never lets several workers run this block at once, though it has no state.
    #[must_use]
    pub fn never_share(mut self, block: impl Into<String>) -> Self {
        self.never_share.push(block.into());
        self
    }

    /// Binds worker `i` to the processor `cpus[i]`; workers beyond the list are bound to none.
    ///
    /// Without this none is, and the system moves workers as it likes: what else runs on a machine would hold up the worker
    /// that is bound beside it. With a busy loop on one of two processors, filter -> demodulator -> filter went at 118 million
    /// items a second with free workers and at 64 with bound ones; a shared chain of saxpys, which its workers divide by
    /// themselves, at 3.3 and 3.6 thousand million.
    #[must_use]
    pub fn pin(mut self, cpus: impl IntoIterator<Item = usize>) -> Self {
        self.pinned = cpus.into_iter().collect();
        self
    }

    fn find(&self, graph: &CheckedGraph, name: &str) -> Result<usize, ConnectError> {
        let found = graph.nodes.iter().position(|node| node.name == *name);
        found.ok_or_else(|| ConnectError::Unknown {
            what: "block",
            name: name.to_owned(),
            hint: suggestion(name, graph.nodes.iter().map(|node| node.name.as_str())),
        })
    }

    /// The blocks in a row, and what the cut needs to know of each.
    fn pieces(
        &self,
        graph: &CheckedGraph,
        costs: impl FnOnce(&[usize]) -> Vec<f64>,
    ) -> Result<(Vec<usize>, Vec<Piece>), ConnectError> {
        // Blocks with threads of their own take no part.
        let order: Vec<usize> =
            graph.order.iter().copied().filter(|&b| !graph.nodes[b].spec.blocking).collect();
        let costs = costs(&order);
        let place_of = |block: usize| order.iter().position(|&b| b == block);
        let mut pieces: Vec<Piece> = order
            .iter()
            .zip(costs)
            .enumerate()
            .map(|(place, (&block, cost))| {
                let node = &graph.nodes[block];
                let is_measured = self.costs.seconds(&node.name).is_some();
                let reads = graph.streams.iter().filter(|s| s.readers.iter().any(|r| r.block == block));
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
                let taken = graph.streams.iter().find(|s| s.readers.iter().any(|r| r.block == block));
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

/// The lanes of a cut; blocks that wait for the outside world have lanes of their own.
fn lanes_of(graph: &CheckedGraph, order: &[usize], cut: &Cut) -> Vec<Lane> {
    let lane = |segment: &cut::Segment| Lane {
        shared: segment.shared,
        ..Lane::new(order[segment.from..segment.to].to_vec())
    };
    let mut lanes: Vec<Lane> = cut.segments.iter().map(lane).filter(|lane| !lane.blocks.is_empty()).collect();
    let blocking = graph.order.iter().filter(|&&b| graph.nodes[b].spec.blocking);
    lanes.extend(blocking.map(|&block| Lane::new(vec![block])));
    lanes
}

impl Scheduler for Adaptive {
    fn name(&self) -> &'static str {
        "adaptive"
    }

    fn lanes(&self, graph: &CheckedGraph, machine: &Machine) -> Result<Vec<Lane>, ConnectError> {
        if let Some(cpu) = self.pinned.iter().find(|cpu| !machine.cpus.contains(cpu)) {
            return Err(ConnectError::Plan(format!(
                "processor {cpu} is none of those that this process may run on ({})",
                machine.cpus.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
            )));
        }
        let (order, cut) = self.cut(graph, machine)?;
        Ok(lanes_of(graph, &order, &cut))
    }

    fn workers(&self, machine: &Machine) -> Option<usize> {
        Some(self.workers.unwrap_or(machine.cpus.len().max(1)))
    }

    fn better(&self, graph: &CheckedGraph, lanes: &[Lane], load: &Load, workers: usize) -> Option<Vec<Lane>> {
        balance::better(self, graph, lanes, load, workers)
    }

    fn copy(&self) -> Option<Box<dyn Scheduler + Send>> {
        Some(Box::new(self.clone()))
    }

    fn pinned(&self) -> &[usize] {
        &self.pinned
    }
}
