//! Which streams of a lane take turns in memory.
//!
//! Pure and sync blocks take all that they can of their input, so a stream between such blocks is mostly empty between two
//! sweeps. It needs memory only from where its writer runs to where its last reader does. Streams of about the same size share
//! pieces of memory then, and what a lane takes of the cache is what is alive at once, not the sum of all its streams.
//!
//! Streams with a history or a preload keep items, and those of general blocks may, as these take what they like.

use std::collections::HashMap;

use super::layout::{BufferPlan, Layout, StreamPlan};
use super::streams::{spec_of_input, spec_of_output};
use crate::block::runnable::Level;
use crate::graph::CheckedGraph;

/// Memory that streams of one lane take turns in.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PoolPlan {
    /// One for each stream, for the case that all hold items at once.
    pub pieces: usize,
    /// The size of a piece.
    pub bytes: usize,
}

impl Layout<'_> {
    /// Whether the streams of a group, which share one buffer, leave nothing in it between two sweeps.
    pub(super) fn is_passing(&self, group: &[usize]) -> bool {
        let graph: &CheckedGraph = self.graph;
        let is_general = |block: usize| graph.nodes[block].spec.level == Level::General;
        group.iter().map(|&s| &graph.streams[s]).all(|stream| {
            spec_of_output(graph, stream.from).preload == 0
                && !is_general(stream.from.block)
                && stream.readers.iter().all(|reader| !is_general(reader.block))
                && stream.readers.iter().all(|&reader| spec_of_input(graph, reader).history == 0)
        }) && self.is_scratch(group[0])
    }

    /// Deals the streams that leave nothing behind into pools: those of one lane that are of about the same size.
    pub(super) fn pools(&self, buffers: &mut [BufferPlan], streams: &[StreamPlan]) -> Vec<PoolPlan> {
        let mut places: HashMap<(usize, usize), usize> = HashMap::new();
        let mut pools: Vec<PoolPlan> = Vec::new();
        for group in self.in_place_groups().iter().filter(|group| self.is_passing(group)) {
            let first = &streams[group[0]];
            let BufferPlan::Scratch { spec, pool } = &mut buffers[first.buffer] else { continue };
            let bytes = spec.items().saturating_mul(first.item_bytes);
            let class = (self.lane_of[first.from.block], bytes.next_power_of_two());
            let place = *places.entry(class).or_insert_with(|| {
                pools.push(PoolPlan { pieces: 0, bytes: 0 });
                pools.len() - 1
            });
            pools[place].pieces += 1;
            pools[place].bytes = pools[place].bytes.max(bytes);
            *pool = Some(place);
        }
        pools
    }
}
