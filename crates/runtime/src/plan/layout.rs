//! Where the blocks of a graph lie, and which of its streams lie in one buffer.

use super::chain::ChainPlan;
use super::lane::Lane;
use super::options::Options;
use super::streams::spec_of_output;
use crate::graph::{CheckedGraph, Stream};
use crate::stream::buffer::{RingSpec, ScratchSpec};
use crate::stream::refs::PortId;

/// How one buffer is made.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum BufferPlan {
    Scratch {
        spec: ScratchSpec,
        /// The pool that it takes its memory from, by its place in the plan.
        pool: Option<usize>,
    },
    Ring(RingSpec),
    /// Inside of a shared lane: each worker has its own.
    Inside,
    /// The ring that is there already.
    Kept,
}

/// Where one stream lies.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StreamPlan {
    pub from: PortId,
    pub readers: Vec<PortId>,
    pub item_bytes: usize,
    pub buffer: usize,
    /// The largest span, in items.
    pub strip: usize,
    /// How many in-place blocks of the buffer come before this stream's writer, itself included.
    pub stage: usize,
}

/// Where the blocks of a graph lie, and what follows for its streams.
pub(super) struct Layout<'a> {
    pub graph: &'a CheckedGraph,
    pub lanes: &'a [Lane],
    pub lane_of: Vec<usize>,
    /// The region of each lane.
    pub region_of: Vec<usize>,
    pub workers: usize,
    /// Level-2 cache of one core, in bytes.
    pub l2_bytes: usize,
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

    /// Whether workers carry their claims through this stream, from lane to lane.
    pub(super) fn is_crossed_by_claims(&self, stream: &Stream) -> bool {
        let region = |block: usize| self.region_of[self.lane_of[block]];
        stream.readers.iter().any(|reader| region(reader.block) == region(stream.from.block))
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
        // The stream that lies on top of stream `s`.
        let on_top = |s: usize| {
            let stream = &graph.streams[s];
            let [reader] = stream.readers[..] else { return None };
            let next = *graph.streams.places_written_by(reader.block).first()?;
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
        let mut is_top = vec![false; tops.len()];
        tops.iter().flatten().for_each(|&s| is_top[s] = true);
        (0..graph.streams.len())
            .filter(|&s| !is_top[s])
            .map(|s| std::iter::successors(Some(s), |&s| tops[s]).collect())
            .collect()
    }
}
