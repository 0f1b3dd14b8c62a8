//! What runs where: lanes, strips and buffers. A pure function of graph, lanes, machine and options.
//!
//! 1. The scheduler deals the blocks into lanes; blocks that wait for the outside world get lanes of their own.
//! 2. A stream within a lane lies in a scratch; one that leaves its lane, in a ring.
//! 3. A block that can work in place does so where its input and its output are scratches and it is the only reader.
//! 4. Strips are as long as lets all scratches of a lane stay in the level-1 cache, in proportion to the streams' rates.

mod machine;
mod show;

pub use machine::Machine;
pub(crate) use machine::pin_to;

use crate::buffer::{RingSpec, ScratchSpec};
use crate::error::{CheckError, ConnectError};
use crate::graph::{CheckedGraph, PortId};
use crate::port::PortSpec;
use crate::scheduler::{Options, RingFlavour, Scheduler};

/// A thread's share: the blocks that it runs, in this order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lane {
    /// The blocks, by their place in the graph.
    pub blocks: Vec<usize>,
    /// The processor that the thread is bound to.
    pub cpu: Option<usize>,
}

/// What runs where.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    pub(crate) scheduler: &'static str,
    pub(crate) lanes: Vec<Lane>,
    pub(crate) buffers: Vec<BufferPlan>,
    pub(crate) streams: Vec<StreamPlan>,
    pub(crate) names: Vec<BlockNames>,
    pub(crate) machine: Machine,
}

/// What a printed plan says of a block.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BlockNames {
    pub name: String,
    pub level: &'static str,
    pub blocking: bool,
}

/// How one buffer is made.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum BufferPlan {
    Scratch(ScratchSpec),
    Ring(RingSpec),
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

impl Plan {
    /// Plans `graph`.
    ///
    /// # Errors
    /// Where the scheduler's settings do not fit the graph.
    pub fn new(
        graph: &CheckedGraph,
        scheduler: &dyn Scheduler,
        machine: &Machine,
        options: &Options,
    ) -> Result<Self, CheckError> {
        let lanes = scheduler.lanes(graph, machine).map_err(|error| CheckError(vec![error]))?;
        let lanes = own_lanes_for_blocking(graph, lanes);
        validate(graph, &lanes)?;
        let mut lane_of = vec![0; graph.nodes.len()];
        for (index, lane) in lanes.iter().enumerate() {
            lane.blocks.iter().for_each(|&block| lane_of[block] = index);
        }
        let strips = strips(graph, &lane_of, lanes.len(), machine, options);
        let (buffers, streams) = buffers(graph, &lane_of, &strips, options);
        let names = graph
            .nodes
            .iter()
            .map(|node| BlockNames {
                name: node.name.clone(),
                level: node.spec.level.name(),
                blocking: node.spec.blocking,
            })
            .collect();
        Ok(Plan { scheduler: scheduler.name(), lanes, buffers, streams, names, machine: machine.clone() })
    }

    /// The lanes, each with its blocks in the order in which they run.
    pub fn lanes(&self) -> &[Lane] {
        &self.lanes
    }
}

/// Takes the blocks that wait for the outside world out of their lanes.
fn own_lanes_for_blocking(graph: &CheckedGraph, lanes: Vec<Lane>) -> Vec<Lane> {
    let mut own = Vec::new();
    let mut others = Vec::new();
    for mut lane in lanes {
        if lane.blocks.len() > 1 {
            let (blocking, rest) = lane.blocks.iter().partition(|&&b| graph.nodes[b].spec.blocking);
            own.extend(Vec::into_iter(blocking).map(|block| Lane { blocks: vec![block], cpu: None }));
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
fn validate(graph: &CheckedGraph, lanes: &[Lane]) -> Result<(), CheckError> {
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

/// The part of the level-1 cache that strips fill; the rest is for the blocks' own data and the stack.
const L1_SHARE: f64 = 0.75;
/// Strips shorter than this cost more in calls than they gain in cache hits.
const SHORT_STRIP_ITEMS: f64 = 2048.0;

/// The largest span of each stream, in items.
fn strips(
    graph: &CheckedGraph,
    lane_of: &[usize],
    lanes: usize,
    machine: &Machine,
    options: &Options,
) -> Vec<usize> {
    let groups = in_place_groups(graph, lane_of, options);
    let item_bytes = |s: usize| spec_of_output(graph, graph.streams[s].from).item.size() as f64;
    let mut per_lane = vec![(0.0, 0.0f64); lanes];
    for group in &groups {
        let first = &graph.streams[group[0]];
        let mut touched: Vec<usize> = first.readers.iter().map(|r| lane_of[r.block]).collect();
        touched.push(lane_of[first.from.block]);
        touched.sort_unstable();
        touched.dedup();
        for lane in touched {
            per_lane[lane].0 += first.rate * item_bytes(group[0]);
            per_lane[lane].1 = per_lane[lane].1.max(first.rate);
        }
    }
    // Items at rate 1 that a lane takes in one sweep.
    let base: Vec<f64> = per_lane
        .iter()
        .map(|&(bytes, fastest)| {
            let fits = |cache: f64| cache / bytes.max(1.0);
            let (l1, l2) = (machine.l1_bytes as f64 * L1_SHARE, machine.l2_bytes as f64 / 2.0);
            fits(l1).max(fits(l2).min(SHORT_STRIP_ITEMS / fastest.max(f64::MIN_POSITIVE)))
        })
        .collect();
    graph
        .streams
        .iter()
        .map(|stream| {
            let lanes = stream.readers.iter().map(|r| lane_of[r.block]).chain([lane_of[stream.from.block]]);
            let items = lanes.map(|lane| base[lane] * stream.rate).fold(f64::MAX, f64::min);
            let line = 64 / spec_of_output(graph, stream.from).item.size().clamp(1, 64);
            let whole_lines = (items as usize).clamp(1, 1 << 20) / line * line;
            options.strip_items.unwrap_or(whole_lines).max(1)
        })
        .collect()
}

fn spec_of_output(graph: &CheckedGraph, port: PortId) -> &PortSpec {
    &graph.nodes[port.block].ports.outputs[port.port].1
}

fn spec_of_input(graph: &CheckedGraph, port: PortId) -> &PortSpec {
    &graph.nodes[port.block].ports.inputs[port.port].1
}

fn is_scratch(graph: &CheckedGraph, lane_of: &[usize], stream: usize) -> bool {
    let stream = &graph.streams[stream];
    let writer = stream.from.block;
    // A scratch moves items down when its writer looks for room: a block that reads its own output may be looking at
    // them just then, so that its stream is a ring.
    stream.readers.iter().all(|reader| lane_of[reader.block] == lane_of[writer] && reader.block != writer)
}

/// The streams that share one buffer, in the order in which blocks work on them in place. Most stand alone.
fn in_place_groups(graph: &CheckedGraph, lane_of: &[usize], options: &Options) -> Vec<Vec<usize>> {
    let output_of = |block: usize| graph.streams.iter().position(|stream| stream.from.block == block);
    // The stream that lies on top of stream `s`.
    let on_top = |s: usize| {
        let stream = &graph.streams[s];
        let [reader] = stream.readers[..] else { return None };
        let next = output_of(reader.block)?;
        let possible = options.in_place
            && graph.nodes[reader.block].spec.in_place
            && next != s
            && is_scratch(graph, lane_of, s)
            && is_scratch(graph, lane_of, next)
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

/// Distances between the starts of buffers, modulo a page: two that are used together never lie 64 to 128 bytes apart.
const LEAD_STEP: usize = 512;

fn buffers(
    graph: &CheckedGraph,
    lane_of: &[usize],
    strips: &[usize],
    options: &Options,
) -> (Vec<BufferPlan>, Vec<StreamPlan>) {
    let mut buffers = Vec::new();
    let mut streams: Vec<Option<StreamPlan>> = vec![None; graph.streams.len()];
    for (buffer, group) in in_place_groups(graph, lane_of, options).into_iter().enumerate() {
        let all_readers = || group.iter().flat_map(|&s| &graph.streams[s].readers);
        let reader_specs = || all_readers().map(|&reader| spec_of_input(graph, reader));
        let writer = spec_of_output(graph, graph.streams[group[0]].from);
        let history = reader_specs().map(|spec| spec.history).max().unwrap_or(0);
        let reader_min = reader_specs().map(PortSpec::needed).max().unwrap_or(1).max(1);
        let writer_min = writer.needed().max(1);
        let strip = group.iter().map(|&s| strips[s]).min().unwrap_or(1);
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
        buffers.push(if is_scratch(graph, lane_of, group[0]) {
            // A reader that cannot run leaves fewer than `reader_min` items: there is room for the writer all the same.
            BufferPlan::Scratch(ScratchSpec {
                history,
                capacity: strip.max(writer_min) + reader_min - 1,
                writer_min,
                in_place: group.len() - 1,
                readers: last.readers.len(),
                preload: writer.preload,
                lead,
            })
        } else {
            BufferPlan::Ring(RingSpec {
                capacity: RING_STRIPS * strip,
                writer_min,
                histories: last.readers.iter().map(|&r| spec_of_input(graph, r).history).collect(),
                reader_min,
                preload: writer.preload,
                mirrored: options.rings == RingFlavour::Mirrored,
                lead,
            })
        });
    }
    (buffers, streams.into_iter().flatten().collect())
}

/// How many strips a ring holds: enough that neither side waits for the other's every move.
const RING_STRIPS: usize = 8;
