//! Which buffer each stream lies in, and how large it is.

use super::options::{Options, RingFlavour};
use super::share::{ChainPlan, held_back};
use super::{BufferPlan, Lane, StreamPlan};
use crate::data::{CheckError, ConnectError, suggestion};
use crate::graph::{CheckedGraph, Stream};
use crate::stream::buffer::{Flow, RingSpec, ScratchSpec};
use crate::stream::port::PortSpec;
use crate::stream::refs::PortId;

/// Every stream whose latency is limited exists.
pub(super) fn named_streams(graph: &CheckedGraph, options: &Options) -> Result<(), CheckError> {
    let all =
        || graph.streams.iter().map(|stream| graph.nodes[stream.from.block].output_name(stream.from.port));
    let is_known = |name: &String| {
        all().any(|known| known == *name)
            || graph.nodes.iter().any(|node| node.name == *name && node.ports.outputs.len() == 1)
    };
    let unknown = options.max_stream_latency.iter().map(|(name, _)| name).filter(|name| !is_known(name));
    let mistakes: Vec<ConnectError> = unknown
        .map(|name| {
            let known: Vec<String> = all().collect();
            let hint = suggestion(name, known.iter().map(String::as_str));
            ConnectError::Unknown { what: "stream", name: name.clone(), hint }
        })
        .collect();
    if mistakes.is_empty() { Ok(()) } else { Err(CheckError(mistakes)) }
}

/// How many streams lie one behind the other, at most; at least one.
pub(super) fn longest_path(graph: &CheckedGraph) -> usize {
    let mut before = vec![0usize; graph.nodes.len()];
    for &block in &graph.order {
        for stream in graph.streams.iter().filter(|stream| stream.from.block == block) {
            for reader in &stream.readers {
                before[reader.block] = before[reader.block].max(before[block] + 1);
            }
        }
    }
    before.into_iter().max().unwrap_or(0).max(1)
}

/// Where the blocks of a graph lie, and what follows for its streams.
pub(super) struct Layout<'a> {
    pub graph: &'a CheckedGraph,
    pub lanes: &'a [Lane],
    pub lane_of: Vec<usize>,
    pub workers: usize,
    pub options: &'a Options,
    /// How many streams lie one behind the other, at most.
    pub longest_path: usize,
    /// How many strips a worker carries at once.
    pub claim_strips: usize,
}

impl Layout<'_> {
    /// The chain of a block's lane, where that is shared.
    pub(super) fn chain_plan_of(&self, block: usize) -> Option<&ChainPlan> {
        self.lanes[self.lane_of[block]].chain.as_ref()
    }

    /// Whether both ends of a stream are in one shared lane.
    pub(super) fn is_inside(&self, stream: usize) -> bool {
        let stream = &self.graph.streams[stream];
        let lane = self.lane_of[stream.from.block];
        self.lanes[lane].chain.is_some() && stream.readers.iter().all(|r| self.lane_of[r.block] == lane)
    }

    pub(super) fn is_scratch(&self, stream: usize) -> bool {
        let stream = &self.graph.streams[stream];
        let writer = stream.from.block;
        let lane = self.lane_of[writer];
        // A scratch moves items down when its writer looks for room: a block that reads its own output may be looking
        // at them just then, so that its stream is a ring.
        self.lanes[lane].chain.is_none()
            && !stream.kept
            && stream.readers.iter().all(|r| self.lane_of[r.block] == lane && r.block != writer)
    }

    /// The streams that share one buffer, in the order in which blocks work on them in place. Most stand alone.
    pub(super) fn in_place_groups(&self) -> Vec<Vec<usize>> {
        let graph = self.graph;
        let output_of = |block: usize| graph.streams.iter().position(|stream| stream.from.block == block);
        // The stream that lies on top of stream `s`.
        let on_top = |s: usize| {
            let stream = &graph.streams[s];
            let [reader] = stream.readers[..] else { return None };
            let next = output_of(reader.block)?;
            let possible = self.options.in_place
                && graph.nodes[reader.block].spec.in_place
                && next != s
                && self.is_scratch(s)
                && self.is_scratch(next)
                && spec_of_output(graph, graph.streams[next].from).preload == 0
                && spec_of_output(graph, stream.from).preload == 0;
            possible.then_some(next)
        };
        let tops: Vec<Option<usize>> = (0..graph.streams.len()).map(on_top).collect();
        (0..graph.streams.len())
            .filter(|s| !tops.contains(&Some(*s)))
            .map(|s| std::iter::successors(Some(s), |&s| tops[s]).collect())
            .collect()
    }

    /// What shared chains may hold back, in items at rate 1. Where two paths meet again, the other path's buffers must hold
    /// as much.
    pub(super) fn held_back(&self) -> f64 {
        self.lanes.iter().map(|lane| held_back(self.graph, lane)).sum()
    }

    /// What one reader asks of its stream's buffer: history, least span, items that may be on their way at once.
    pub(super) fn demand(&self, reader: PortId) -> (usize, usize, usize) {
        let spec = spec_of_input(self.graph, reader);
        match self.chain_plan_of(reader.block) {
            Some(chain) => (chain.shape.lead(), chain.shape.period, self.on_their_way(chain.portions.most)),
            None => (spec.history, spec.needed(), 2 * spec.batch),
        }
    }

    /// How many strips a ring holds: every worker may carry a claim through it.
    fn ring_strips(&self) -> usize {
        RING_STRIPS.max(self.workers * self.claim_strips)
    }

    /// Every worker has a claim.
    pub(super) fn on_their_way(&self, claim: usize) -> usize {
        self.workers * claim
    }

    pub(super) fn buffers(&self, strips: &[usize]) -> (Vec<BufferPlan>, Vec<StreamPlan>) {
        let graph = self.graph;
        let mut buffers = Vec::new();
        let mut streams: Vec<Option<StreamPlan>> = vec![None; graph.streams.len()];
        for (buffer, group) in self.in_place_groups().into_iter().enumerate() {
            let readers: Vec<_> = group
                .iter()
                .flat_map(|&s| &graph.streams[s].readers)
                .map(|&reader| self.demand(reader))
                .collect();
            let first = &graph.streams[group[0]];
            let writer = spec_of_output(graph, first.from);
            let history = readers.iter().map(|demand| demand.0).max().unwrap_or(0);
            let reader_min = readers.iter().map(|demand| demand.1).max().unwrap_or(1).max(1);
            let (writer_min, written_at_once) = match self.chain_plan_of(first.from.block) {
                Some(chain) => {
                    let given = |items: usize| chain.shape.given(items).max(1);
                    (given(chain.shape.period), self.on_their_way(given(chain.portions.most)))
                }
                None => (writer.needed().max(1), 2 * writer.batch),
            };
            let strip = group.iter().map(|&s| strips[s]).min().unwrap_or(1);
            let reads = group.iter().flat_map(|&s| &graph.streams[s].readers);
            let wished =
                reads.map(|&reader| spec_of_input(graph, reader).batch).fold(writer.batch, usize::max);
            let slack = (self.held_back() * first.rate).ceil() as usize;
            let lead = buffer * LEAD_STEP % 4096;
            let last = &graph.streams[group[group.len() - 1]];
            for (stage, &s) in group.iter().enumerate() {
                let stream = &graph.streams[s];
                let item_bytes = spec_of_output(graph, stream.from).item.size();
                streams[s] = Some(StreamPlan {
                    from: stream.from,
                    readers: stream.readers.clone(),
                    item_bytes,
                    buffer,
                    strip,
                    stage,
                });
            }
            buffers.push(if first.kept {
                BufferPlan::Kept
            } else if self.is_inside(group[0]) {
                BufferPlan::Inside
            } else if self.is_scratch(group[0]) {
                // A reader that cannot run leaves fewer than `reader_min` items: there is room for the writer all the
                // same.
                let spec = ScratchSpec {
                    history,
                    capacity: strip.max(writer_min).max(wished) + reader_min - 1 + slack,
                    writer_min,
                    in_place: group.len() - 1,
                    readers: last.readers.len(),
                    preload: writer.preload,
                    lead,
                };
                BufferPlan::Scratch { spec, pool: None }
            } else {
                let claimed = readers.iter().map(|demand| demand.2).max().unwrap_or(0).max(written_at_once);
                BufferPlan::Ring(RingSpec {
                    capacity: (self.ring_strips() * strip).max(claimed) + slack,
                    most: self.share_of_latency(first).map(|most| most + slack),
                    writer_min,
                    histories: last.readers.iter().map(|&r| self.demand(r).0).collect(),
                    reader_min,
                    preload: writer.preload,
                    mirrored: self.options.rings == RingFlavour::Mirrored,
                    lead,
                })
            });
        }
        (buffers, streams.into_iter().flatten().collect())
    }
}

/// The blocks at the ends of a stream.
pub(super) fn blocks_at(stream: &Stream) -> impl Iterator<Item = usize> + Clone {
    stream.readers.iter().map(|reader| reader.block).chain([stream.from.block])
}

pub(super) fn spec_of_output(graph: &CheckedGraph, port: PortId) -> &PortSpec {
    &graph.nodes[port.block].ports.outputs[port.port].1
}

pub(super) fn spec_of_input(graph: &CheckedGraph, port: PortId) -> &PortSpec {
    &graph.nodes[port.block].ports.inputs[port.port].1
}

/// Distances between the starts of buffers, modulo a page: two that are used together never lie 64 to 128 bytes apart.
const LEAD_STEP: usize = 512;

/// How many strips a ring holds at least: enough that neither side waits for the other's every move.
const RING_STRIPS: usize = 8;
