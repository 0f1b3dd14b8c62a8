//! What runs where: lanes, strips and buffers. A pure function of graph, lanes, machine and options.
//!
//! 1. The scheduler deals the blocks into lanes; blocks that wait for the outside world get lanes of their own.
//! 2. A stream within a lane lies in a scratch; one that leaves its lane, in a ring. Streams of a lane take turns in memory where
//!    their blocks leave nothing in them (see `pools.rs`). Within a lane that is shared between
//!    workers, each worker has scratch memory of its own (see `chain/`).
//! 3. A block that can work in place does so where its input and its output are scratches and it is the only reader.
//! 4. Strips are as long as lets all buffers of a lane stay in the level-1 cache, or those of each block where that would
//!    be too short, in proportion to the streams' rates.
//! 5. Workers: one for each lane, or a crew for all lanes together, as the scheduler says.

mod machine;
mod pools;
mod predict;
mod show;
mod strips;

pub use machine::Machine;
pub(crate) use machine::pin_to;
pub(crate) use pools::PoolPlan;
pub use predict::{BlockCost, Bound, LaneCost, Prediction};

use strips::{L1_SHARE, LEAST_STRIP_ITEMS, head_rate};

use crate::buffer::{RingSpec, ScratchSpec};
use crate::chain::{ChainRun, ChainShape, Shape};
use crate::error::{CheckError, ConnectError};
use crate::graph::{CheckedGraph, PortId, Stream};
use crate::port::PortSpec;
use crate::scheduler::{Options, Portions, RingFlavour, Scheduler};

/// Blocks that are run together, in this order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lane {
    /// The blocks, by their place in the graph.
    pub blocks: Vec<usize>,
    /// The processor that the lane's thread is bound to, where it has one of its own.
    pub cpu: Option<usize>,
    /// Whether all workers run the lane at once: a chain of pure blocks.
    pub shared: bool,
    /// What that takes.
    pub(crate) farm: Option<FarmPlan>,
}

impl Lane {
    /// A lane of these blocks that one worker at a time runs.
    pub fn new(blocks: Vec<usize>) -> Self {
        Lane { blocks, ..Lane::default() }
    }

    /// Binds the lane's thread to a processor, where it has a thread of its own.
    #[must_use]
    pub fn pinned_to(self, cpu: usize) -> Self {
        Lane { cpu: Some(cpu), ..self }
    }

    /// Lets all workers run the lane at once: for chains of pure blocks.
    #[must_use]
    pub fn shared(self) -> Self {
        Lane { shared: true, ..self }
    }
}

/// A chain of pure blocks that all workers run at once.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FarmPlan {
    pub shape: ChainShape,
    pub portions: Portions,
}

/// Workers and the lanes that they run together.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CrewPlan {
    /// By their place among the lanes.
    pub lanes: Vec<usize>,
    pub workers: usize,
    /// Workers that have something to do; the others sleep until the graph is planned again.
    pub on_duty: usize,
    /// The processors that the workers are bound to, as far as they are.
    pub cpus: Vec<usize>,
}

/// What runs where.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    pub(crate) scheduler: &'static str,
    pub(crate) lanes: Vec<Lane>,
    pub(crate) crews: Vec<CrewPlan>,
    pub(crate) buffers: Vec<BufferPlan>,
    pub(crate) pools: Vec<PoolPlan>,
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
        Plan::of_lanes(graph, scheduler, lanes, scheduler.workers(machine), machine, options)
    }

    /// Plans `graph` with these lanes, for one crew of `workers` or a worker for each lane.
    pub(crate) fn of_lanes(
        graph: &CheckedGraph,
        scheduler: &dyn Scheduler,
        lanes: Vec<Lane>,
        workers: Option<usize>,
        machine: &Machine,
        options: &Options,
    ) -> Result<Self, CheckError> {
        let mut lanes = own_lanes_for_blocking(graph, lanes);
        validate(graph, &lanes)?;
        named_streams(graph, options)?;
        for lane in lanes.iter_mut().filter(|lane| lane.shared) {
            lane.farm = Some(farm(graph, &lane.blocks, machine, options)?);
        }
        limit_what_is_held_back(graph, &mut lanes);
        let crews = crews(graph, &lanes, workers, scheduler.pinned());
        let mut lane_of = vec![0; graph.nodes.len()];
        for (index, lane) in lanes.iter().enumerate() {
            lane.blocks.iter().for_each(|&block| lane_of[block] = index);
        }
        let (workers_or_one, longest_path) = (workers.unwrap_or(1), longest_path(graph));
        let layout = Layout { graph, lanes: &lanes, lane_of, workers: workers_or_one, options, longest_path };
        let strips = layout.strips(machine);
        let (mut buffers, streams) = layout.buffers(&strips);
        let pools = layout.pools(&mut buffers, &streams);
        let names = graph
            .nodes
            .iter()
            .map(|node| BlockNames {
                name: node.name.clone(),
                level: node.spec.level.name(),
                blocking: node.spec.blocking,
            })
            .collect();
        let scheduler = scheduler.name();
        Ok(Plan { scheduler, lanes, crews, buffers, pools, streams, names, machine: machine.clone() })
    }

    /// The lanes, each with its blocks in the order in which they run.
    pub fn lanes(&self) -> &[Lane] {
        &self.lanes
    }

    /// The blocks' names, by their place in the graph.
    pub fn block_names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|names| names.name.as_str())
    }
}

/// Takes the blocks that wait for the outside world out of their lanes.
fn own_lanes_for_blocking(graph: &CheckedGraph, lanes: Vec<Lane>) -> Vec<Lane> {
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

/// One crew for all lanes, or for each lane one of its own; blocks that wait for the outside world always have theirs.
fn crews(graph: &CheckedGraph, lanes: &[Lane], workers: Option<usize>, pinned: &[usize]) -> Vec<CrewPlan> {
    let waits = |lane: &Lane| lane.blocks.iter().all(|&b| graph.nodes[b].spec.blocking);
    let alone = |lane: usize| CrewPlan {
        lanes: vec![lane],
        workers: 1,
        on_duty: 1,
        cpus: lanes[lane].cpu.into_iter().collect(),
    };
    let Some(workers) = workers else { return (0..lanes.len()).map(alone).collect() };
    let (apart, together): (Vec<usize>, Vec<usize>) = (0..lanes.len()).partition(|&lane| waits(&lanes[lane]));
    // More workers than can ever run at once would only be woken for nothing.
    let is_shared = together.iter().any(|&lane| lanes[lane].shared);
    let on_duty = if is_shared { workers } else { workers.min(together.len()) };
    let cpus = pinned.iter().copied().take(workers).collect();
    let mut crews = Vec::new();
    if !together.is_empty() {
        crews.push(CrewPlan { lanes: together, workers, on_duty, cpus });
    }
    crews.extend(apart.into_iter().map(alone));
    crews
}

/// Every stream whose latency is limited exists.
fn named_streams(graph: &CheckedGraph, options: &Options) -> Result<(), CheckError> {
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
            let hint = crate::graph::suggestion(name, known.iter().map(String::as_str));
            ConnectError::Unknown { what: "stream", name: name.clone(), hint }
        })
        .collect();
    if mistakes.is_empty() { Ok(()) } else { Err(CheckError(mistakes)) }
}

/// How many streams lie one behind the other, at most; at least one.
fn longest_path(graph: &CheckedGraph) -> usize {
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

/// Long strips fill one part in so many of the level-2 cache: rings and code lie there, too.
const L2_PART: usize = 6;

/// What a lane may hold back where it is shared, in items at rate 1: it takes whole periods only.
fn held_back(graph: &CheckedGraph, lane: &Lane) -> f64 {
    let Some(farm) = &lane.farm else { return 0.0 };
    (farm.shape.period - 1) as f64 / head_rate(graph, lane.blocks[0])
}

/// Buffers grow by no more items than this for what shared chains hold back.
const MOST_HELD_BACK: f64 = (1 << 20) as f64;

/// Leaves chains to one worker each, those that hold back most first, until buffers need not be too large for them.
///
/// Behind a great decimation even a short period is long in items of the source: chains that decimate by 1000 three times hold
/// back a thousand million.
fn limit_what_is_held_back(graph: &CheckedGraph, lanes: &mut [Lane]) {
    let fastest = graph.streams.iter().map(|stream| stream.rate).fold(0.0, f64::max);
    while lanes.iter().map(|lane| held_back(graph, lane)).sum::<f64>() * fastest > MOST_HELD_BACK {
        let most = |a: &&mut Lane, b: &&mut Lane| held_back(graph, a).total_cmp(&held_back(graph, b));
        let Some(lane) = lanes.iter_mut().max_by(most) else { return };
        (lane.shared, lane.farm) = (false, None);
    }
}

/// The numbers of a chain that workers share.
fn farm(
    graph: &CheckedGraph,
    blocks: &[usize],
    machine: &Machine,
    options: &Options,
) -> Result<FarmPlan, CheckError> {
    let shape = chain_of(graph, blocks).ok_or_else(|| {
        let names: Vec<&str> = blocks.iter().map(|&b| graph.nodes[b].name.as_str()).collect();
        let sentence =
            format!("{} cannot be shared between workers: not a chain of pure blocks", names.join(", "));
        CheckError(vec![ConnectError::Plan(sentence)])
    })?;
    let l1 = (machine.l1_bytes as f64 * L1_SHARE) as usize;
    let of_bytes = |bytes: usize| {
        let per_item = ChainRun::footprint(&shape, 1 << 16, options.in_place) as f64 / f64::from(1 << 16);
        let line = 64 / shape.head_bytes().clamp(1, 64);
        let items = (bytes as f64 / per_item.max(1e-3)) as usize;
        (items / line * line).clamp(1, 1 << 20)
    };
    let strip = options.strip_items.unwrap_or_else(|| of_bytes(l1).max(LEAST_STRIP_ITEMS as usize));
    // Every worker has a strip on its way.
    let head =
        blocks.first().and_then(|&b| graph.streams.iter().find(|s| s.readers.iter().any(|r| r.block == b)));
    let rate = head.map_or(1.0, |stream| stream.rate);
    let limit = options.max_latency.map(|latency| (latency.items() as f64 * rate / 4.0) as usize);
    let strip = strip.min(limit.unwrap_or(strip)).max(1);
    let whole = |items: usize| (items - items % shape.period).max(shape.period);
    let strip = whole(strip);
    // What is computed twice at the start of a claim should vanish in it.
    let most = match options.strip_items {
        Some(_) => strip,
        None if options.max_latency.is_some() => strip,
        None => (STRIPS_PER_CLAIM * strip).max(shape.warm_up * WARM_UP_SHARE),
    };
    let may_be_longer = options.strip_items.is_none() && limit.is_none();
    let long =
        if may_be_longer { whole(of_bytes(machine.l2_bytes / L2_PART).min(most)).max(strip) } else { strip };
    Ok(FarmPlan { shape, portions: Portions { strip, long, most } })
}

/// The numbers of the chain that these blocks make, if they make one that workers can share: pure blocks, each the only
/// reader of the one before.
pub(crate) fn chain_of(graph: &CheckedGraph, blocks: &[usize]) -> Option<ChainShape> {
    let link =
        |&b: &usize| graph.nodes[b].shape.clone().map(|shape| Shape { base: graph.nodes[b].base, ..shape });
    let links: Option<Vec<_>> = blocks.iter().map(link).collect();
    let follows = |pair: &[usize]| {
        let mut streams = graph.streams.iter().filter(|stream| stream.from.block == pair[0]);
        streams.next().is_some_and(|stream| matches!(stream.readers[..], [reader] if reader.block == pair[1]))
    };
    // An output may stay unconnected: then the chain has nobody to give to.
    let last = *blocks.last()?;
    let has_reader = graph.nodes[last].ports.outputs.is_empty()
        || graph.streams.iter().any(|stream| stream.from.block == last);
    let reads_itself = graph.streams.iter().any(|stream| {
        blocks.contains(&stream.from.block) && stream.readers.iter().any(|r| r.block == blocks[0])
    });
    let rest = blocks.get(1..).unwrap_or_default();
    let is_apart =
        blocks.iter().any(|&b| graph.nodes[b].ended) || rest.iter().any(|&b| graph.nodes[b].has_waiting);
    if !blocks.windows(2).all(follows) || !has_reader || reads_itself || is_apart {
        return None;
    }
    let shape = ChainShape::new(links?)?;
    // A ring that stays as it is must fit.
    let fits = graph.nodes[blocks[0]]
        .kept_input
        .is_none_or(|(history, least)| shape.lead() <= history && shape.period <= least);
    let given = shape.given(shape.period);
    fits.then_some(shape).filter(|_| graph.nodes[last].kept_output.is_none_or(|least| given <= least))
}

/// A worker claims at most so many strips at once: where they lie in rings, no more than a cache holds.
const STRIPS_PER_CLAIM: usize = 16;

/// A claim is at least so many times as long as what a worker has to compute again before it.
const WARM_UP_SHARE: usize = 16;

/// Where the blocks of a graph lie, and what follows for its streams.
struct Layout<'a> {
    graph: &'a CheckedGraph,
    lanes: &'a [Lane],
    lane_of: Vec<usize>,
    workers: usize,
    options: &'a Options,
    /// How many streams lie one behind the other, at most.
    longest_path: usize,
}

impl Layout<'_> {
    /// The chain of a block's lane, where that is shared.
    fn farm_of(&self, block: usize) -> Option<&FarmPlan> {
        self.lanes[self.lane_of[block]].farm.as_ref()
    }

    /// Whether both ends of a stream are in one shared lane.
    fn is_inside(&self, stream: usize) -> bool {
        let stream = &self.graph.streams[stream];
        let lane = self.lane_of[stream.from.block];
        self.lanes[lane].farm.is_some() && stream.readers.iter().all(|r| self.lane_of[r.block] == lane)
    }

    fn is_scratch(&self, stream: usize) -> bool {
        let stream = &self.graph.streams[stream];
        let writer = stream.from.block;
        let lane = self.lane_of[writer];
        // A scratch moves items down when its writer looks for room: a block that reads its own output may be looking
        // at them just then, so that its stream is a ring.
        self.lanes[lane].farm.is_none()
            && !stream.kept
            && stream.readers.iter().all(|r| self.lane_of[r.block] == lane && r.block != writer)
    }

    /// The streams that share one buffer, in the order in which blocks work on them in place. Most stand alone.
    fn in_place_groups(&self) -> Vec<Vec<usize>> {
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
    fn held_back(&self) -> f64 {
        self.lanes.iter().map(|lane| held_back(self.graph, lane)).sum()
    }

    /// What one reader asks of its stream's buffer: history, least span, items that may be on their way at once.
    fn demand(&self, reader: PortId) -> (usize, usize, usize) {
        let spec = spec_of_input(self.graph, reader);
        match self.farm_of(reader.block) {
            Some(farm) => (farm.shape.lead(), farm.shape.period, self.on_their_way(farm.portions.most)),
            None => (spec.history, spec.needed(), 2 * spec.batch),
        }
    }

    /// Every worker has a claim, and one more is there to be claimed.
    fn on_their_way(&self, claim: usize) -> usize {
        (self.workers + 1) * claim
    }

    fn buffers(&self, strips: &[usize]) -> (Vec<BufferPlan>, Vec<StreamPlan>) {
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
            let (writer_min, written_at_once) = match self.farm_of(first.from.block) {
                Some(farm) => {
                    let given = |items: usize| farm.shape.given(items).max(1);
                    (given(farm.shape.period), self.on_their_way(given(farm.portions.most)))
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
                    capacity: (RING_STRIPS * strip).max(claimed) + slack,
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
fn blocks_at(stream: &Stream) -> impl Iterator<Item = usize> {
    stream.readers.iter().map(|reader| reader.block).chain([stream.from.block])
}

fn spec_of_output(graph: &CheckedGraph, port: PortId) -> &PortSpec {
    &graph.nodes[port.block].ports.outputs[port.port].1
}

fn spec_of_input(graph: &CheckedGraph, port: PortId) -> &PortSpec {
    &graph.nodes[port.block].ports.inputs[port.port].1
}

/// Distances between the starts of buffers, modulo a page: two that are used together never lie 64 to 128 bytes apart.
const LEAD_STEP: usize = 512;

/// How many strips a ring holds: enough that neither side waits for the other's every move.
const RING_STRIPS: usize = 8;

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::harness::{VecSink, VecSource};
    use crate::{Graph, Pure, Ratio};

    struct Keep;

    impl Pure for Keep {
        type In = f32;
        type Out = f32;
        fn ratio(&self) -> Ratio {
            Ratio::decimate(1000)
        }
        fn map(&self, x: &[f32], y: &mut [f32]) {
            y.iter_mut().zip(x.chunks(1000)).for_each(|(y, x)| *y = x[0]);
        }
    }

    /// Shares every block that can be.
    struct Shares;

    impl Scheduler for Shares {
        fn name(&self) -> &'static str {
            "shares"
        }
        fn lanes(&self, graph: &CheckedGraph, _: &Machine) -> Result<Vec<Lane>, ConnectError> {
            let lane = |&block: &usize| Lane { shared: graph.is_chain(&[block]), ..Lane::new(vec![block]) };
            Ok(graph.order().iter().map(lane).collect())
        }
        fn workers(&self, _: &Machine) -> Option<usize> {
            Some(2)
        }
    }

    #[test]
    fn a_chain_behind_great_decimations_makes_no_buffer_larger_than_memory() {
        let mut graph = Graph::new();
        let mut stream = graph.add("source", VecSource::new(vec![0f32; 10])).output;
        for place in 0..3 {
            let keep = graph.add(format!("keep{place}"), Keep);
            graph.connect(stream, keep.input);
            stream = keep.output;
        }
        let sink = graph.add("sink", VecSink::<f32>::new());
        graph.connect(stream, sink.input);
        let (graph, machine) = (graph.check().unwrap(), Machine::detect());
        let plan = Plan::new(&graph, &Shares, &machine, &crate::Options::default()).unwrap();
        let shared = |name: &str| {
            let block = plan.block_names().position(|known| known == name).unwrap();
            plan.lanes().iter().any(|lane| lane.shared && lane.blocks == [block])
        };
        assert!(shared("keep0") && !shared("keep2"));
        for buffer in &plan.buffers {
            if let BufferPlan::Ring(ring) = buffer {
                assert!(ring.capacity < 1 << 22, "{} items", ring.capacity);
            }
        }
    }
}
