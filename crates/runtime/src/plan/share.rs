//! Lanes that workers share: which blocks can be one, and how much of the stream a worker takes at once.

use super::chain::{ChainPlan, ChainShape, Portions};
use super::options::Options;
use super::streams::{blocks_at, spec_of_output};
use super::strips::{LEAST_STRIP_ITEMS, head_rate, l1_bytes};
use super::{Lane, Machine, RegionPlan};
use crate::block::erased::LinkShape;
use crate::block::shape::LONG_HISTORY;
use crate::data::{CheckError, ConnectError};
use crate::graph::{CheckedGraph, Stream};
use crate::stream::buffer::Flow;

/// Long strips fill one part in so many of the level-2 cache: rings and code lie there, too.
const L2_PART: usize = 6;

/// What a lane may hold back where it is shared, in items at rate 1: it takes whole periods only.
pub(super) fn held_back(graph: &CheckedGraph, lane: &Lane) -> f64 {
    let Some(chain) = &lane.chain else { return 0.0 };
    (chain.shape.period - 1) as f64 / head_rate(graph, lane.blocks[0])
}

/// Buffers grow by no more items than this for what shared chains hold back.
const MOST_HELD_BACK: f64 = (1 << 20) as f64;

/// Leaves chains to one worker each, those that hold back most first, until buffers need not be too large for them.
///
/// Behind a great decimation even a short period is long in items of the source: chains that decimate by 1000 three times hold
/// back a thousand million.
pub(super) fn limit_what_is_held_back(graph: &CheckedGraph, lanes: &mut [Lane]) {
    let fastest = graph.streams.iter().map(|stream| stream.rate).fold(0.0, f64::max);
    while lanes.iter().map(|lane| held_back(graph, lane)).sum::<f64>() * fastest > MOST_HELD_BACK {
        let most = |a: &&mut Lane, b: &&mut Lane| held_back(graph, a).total_cmp(&held_back(graph, b));
        let Some(lane) = lanes.iter_mut().max_by(most) else { return };
        (lane.shared, lane.chain) = (false, None);
    }
}

/// The numbers of a chain that workers share.
pub(super) fn plan_chain(
    graph: &CheckedGraph,
    blocks: &[usize],
    machine: &Machine,
    options: &Options,
) -> Result<ChainPlan, CheckError> {
    let shape = chain_of(graph, blocks).ok_or_else(|| {
        let names: Vec<&str> = blocks.iter().map(|&b| graph.nodes[b].name.as_str()).collect();
        let sentence = format!(
            "{} cannot be shared between workers: not a chain of pure and sync blocks",
            names.join(", ")
        );
        CheckError(vec![ConnectError::Plan(sentence)])
    })?;
    let of_bytes = |bytes: usize| {
        let per_item = shape.footprint(1 << 16, options.in_place) as f64 / f64::from(1 << 16);
        let line = 64 / shape.head_bytes().clamp(1, 64);
        let items = (bytes as f64 / per_item.max(1e-3)) as usize;
        (items / line * line).clamp(1, 1 << 20)
    };
    // Short strips cost calls, but behind a great interpolation even those are more than a cache holds.
    let least = (LEAST_STRIP_ITEMS as usize).min(of_bytes(machine.l2_bytes));
    let strip = options.strip_items.unwrap_or_else(|| of_bytes(l1_bytes(machine) as usize).max(least));
    // Every worker has a strip on its way.
    let head = blocks.first().and_then(|&b| graph.streams.read_by(b).next());
    let rate = head.map_or(1.0, |stream| stream.rate);
    let limit = options.max_latency.map(|latency| (latency.items() as f64 * rate / 4.0) as usize);
    let strip = strip.min(limit.unwrap_or(strip)).max(1);
    let whole = |items: usize| (items - items % shape.period).max(shape.period);
    let strip = whole(strip);
    // What is computed twice at the start of a claim should vanish in it.
    let most = match options.strip_items {
        Some(_) => strip,
        None if options.max_latency.is_some() => strip,
        None => {
            let strips = if shape.has_state() { STRIPS_PER_CLAIM_WITH_TURNS } else { STRIPS_PER_CLAIM };
            let fits = (strips * strip).min(carried(&shape, strip, machine, options));
            fits.max(shape.warm_up * WARM_UP_SHARE)
        }
    };
    // Each item may cost as much as there is history, and a graph that is to stop waits for the end of a call.
    let may_be_longer =
        options.strip_items.is_none() && limit.is_none() && shape.warm_up.max(shape.lead()) < LONG_HISTORY;
    let long =
        if may_be_longer { whole(of_bytes(machine.l2_bytes / L2_PART).min(most)).max(strip) } else { strip };
    Ok(ChainPlan { shape, portions: Portions { strip, long, most } })
}

/// How many items of a chain a worker can carry from stage to stage in its level-2 cache: whole strips.
fn carried(shape: &ChainShape, strip: usize, machine: &Machine, options: &Options) -> usize {
    let stages = shape.stages().unwrap_or_default();
    let boundaries = shape.boundaries(&stages, options.in_place, strip);
    let bytes = |strips: usize| shape.pieces(&boundaries, strips * strip).iter().sum::<usize>();
    // What stages slide down by does not grow with the claim.
    let each = bytes(2) - bytes(1);
    let room = (machine.l2_bytes / L2_PART_OF_STAGES).saturating_sub(bytes(0));
    let fit = room.checked_div(each).unwrap_or(usize::MAX);
    fit.max(1).saturating_mul(strip)
}

/// A claim fills one part in so many of the level-2 cache where it lies there between two stages.
const L2_PART_OF_STAGES: usize = 4;

/// Makes the strips of a region's lanes as long as the shortest of them, or as chains need that have to compute much again before
/// each claim; and claims as long as the level-2 cache holds.
pub(super) fn as_long(
    graph: &CheckedGraph,
    lanes: &mut [Lane],
    region: &mut RegionPlan,
    sweeps: &mut [f64],
    lane_of: &[usize],
    (machine, options): (&Machine, &Options),
) {
    let row = &region.lanes;
    let chains = row.iter().filter_map(|&lane| {
        let (chain, rate) = (lanes[lane].chain.as_ref()?, head_rate(graph, lanes[lane].blocks[0]));
        Some((chain.shape.warm_up * WARM_UP_SHARE).max(chain.shape.period) as f64 / rate)
    });
    let least = chains.fold(0.0, f64::max) / STRIPS_PER_ROW_CLAIM as f64;
    let shortest = row.iter().map(|&lane| sweeps[lane]).fold(f64::INFINITY, f64::min);
    // Behind great decimations, what a chain needs is more than caches hold, or memory.
    let strip = shortest.max(least.min(MOST_LONGER * shortest));
    // What goes through rings, those at the ends of the row included, in bytes for each item at rate 1.
    let crosses = |stream: &&Stream| {
        let mut ends = blocks_at(stream).map(|block| lane_of[block]);
        let from = lane_of[stream.from.block];
        ends.clone().any(|lane| lane != from) && ends.any(|lane| row.contains(&lane))
    };
    let bytes = |stream: &Stream| stream.rate * spec_of_output(graph, stream.from).item.size() as f64;
    let crossing: f64 = graph.streams.iter().filter(crosses).map(bytes).sum();
    let fit = machine.l2_bytes as f64 / (crossing * strip).max(1.0);
    let least = (fit as usize).clamp(1, STRIPS_PER_ROW_CLAIM);
    region.claim_strips = ((fit / L2_PART_OF_CLAIM) as usize).clamp(least, MOST_STRIPS_PER_ROW_CLAIM);
    for &lane in row {
        sweeps[lane] = strip;
        let rate = head_rate(graph, lanes[lane].blocks[0]);
        if let Some(ChainPlan { shape, portions }) = &mut lanes[lane].chain {
            let items = (strip * rate) as usize;
            portions.strip = (items - items % shape.period).max(shape.period);
            let fits = carried(shape, portions.strip, machine, options);
            portions.most =
                (region.claim_strips * portions.strip).min(fits).max(shape.warm_up * WARM_UP_SHARE);
            portions.long = portions.long.clamp(portions.strip, portions.most);
        }
    }
}

/// Strips of a row get longer than the shortest by so much at most.
const MOST_LONGER: f64 = 16.0;

/// A claim of a worker that carries it through several lanes may have so many strips, as long as they fit the level-2 cache.
pub(super) const STRIPS_PER_ROW_CLAIM: usize = 4;
/// It may have more where little goes from lane to lane: a part of the level-2 cache, and no more than this.
const L2_PART_OF_CLAIM: f64 = 4.0;
const MOST_STRIPS_PER_ROW_CLAIM: usize = 64;

/// A chain that workers share has so many blocks at most: each claim takes memory for every stage of it.
const MOST_LINKS: usize = 512;

/// The numbers of the chain that these blocks make, if they make one that workers can share: pure and sync blocks, each the only
/// reader of the one before.
pub(crate) fn chain_of(graph: &CheckedGraph, blocks: &[usize]) -> Option<ChainShape> {
    if blocks.len() > MOST_LINKS {
        return None;
    }
    let link = |&b: &usize| {
        graph.nodes[b].shape.clone().map(|shape| LinkShape { base: graph.nodes[b].base, ..shape })
    };
    let links: Option<Vec<_>> = blocks.iter().map(link).collect();
    let follows = |pair: &[usize]| {
        let mut streams = graph.streams.written_by(pair[0]);
        streams.next().is_some_and(|stream| matches!(stream.readers[..], [reader] if reader.block == pair[1]))
    };
    // An output may stay unconnected: then the chain has nobody to give to.
    let last = *blocks.last()?;
    let has_reader =
        graph.nodes[last].ports.outputs.is_empty() || graph.streams.written_by(last).next().is_some();
    let reads_itself = graph.streams.read_by(blocks[0]).any(|stream| blocks.contains(&stream.from.block));
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
/// The same of a chain with states: each turn of a claim costs as much as some thousand items.
const STRIPS_PER_CLAIM_WITH_TURNS: usize = 32;

/// A claim is at least so many times as long as what a worker has to compute again before it.
const WARM_UP_SHARE: usize = 16;

impl CheckedGraph {
    /// Whether these blocks, by their place in the graph, can be shared between workers: a chain of pure and sync blocks of one
    /// input and one output at most, each the only reader of the one before.
    pub fn is_chain(&self, blocks: &[usize]) -> bool {
        !blocks.is_empty() && chain_of(self, blocks).is_some()
    }
}
