//! Which buffer each stream lies in, and how large it is.

use super::layout::{BufferPlan, Layout, StreamPlan};
use super::options::RingFlavour;
use super::share::held_back;
use super::streams::{spec_of_input, spec_of_output};
use crate::graph::Stream;
use crate::stream::buffer::{Flow, RingSpec, ScratchSpec};
use crate::stream::refs::PortId;

impl Layout<'_> {
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

    /// How many strips of so many bytes a ring holds. Every worker may carry a claim through it; at the ends of a row, one
    /// writes or reads at a time.
    fn ring_strips(&self, stream: &Stream, strip_bytes: usize) -> usize {
        let claims = if self.is_crossed_by_claims(stream) { self.workers } else { 2 };
        let strips = (self.l2_bytes / strip_bytes.max(1)).clamp(RING_STRIPS / 2, RING_STRIPS);
        strips.max(claims * self.claim_strips)
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
                let strips = self.ring_strips(first, strip * writer.item.size());
                BufferPlan::Ring(RingSpec {
                    capacity: (strips * strip).max(claimed) + slack,
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

/// Distances between the starts of buffers, modulo a page: two that are used together never lie 64 to 128 bytes apart.
const LEAD_STEP: usize = 512;

/// How many strips a ring holds at least: enough that neither side waits for the other's every move. Long ones would fill the
/// level-2 cache, so that half as many have to do.
const RING_STRIPS: usize = 8;
