//! Whether another cut would do better, by what the blocks cost while they run.

use super::cut::{Cut, Segment, cut};
use super::pieces::{lanes_of, places};
use super::settings::Adaptive;
use super::unit::Piece;
use crate::graph::CheckedGraph;
use crate::plan::Lane;
use crate::plan::cost::{
    SECONDS_PER_BYTE, SECONDS_PER_CARRIED_BYTE, SECONDS_PER_MESSAGE, SECONDS_PER_STAGE_BYTE,
    SECONDS_PER_STAGE_BYTE_AT_WORST,
};
use crate::plan::policy::Load;
use crate::plan::share::chain_of;

/// Another cut must promise that much more.
const BETTER: f64 = 1.12;
/// A graph that keeps one worker busy for less than this part of the time is run by one: what that adds to a wait is less
/// than what the samples need from one worker to the next.
const IDLE: f64 = 0.3;

/// The lanes of a better cut, if there is one.
pub(super) fn better(
    adaptive: &Adaptive,
    graph: &CheckedGraph,
    lanes: &[Lane],
    load: &Load,
    workers: usize,
) -> Option<Vec<Lane>> {
    let is_dealt = |block: &usize| !graph.nodes[*block].spec.blocking;
    if !load.is_busy(graph) {
        let busy = load.workers_busy(graph);
        // One worker has an easy time with all of it, without waking others and without handing samples over.
        let is_one = lanes.iter().filter(|lane| is_dealt(&lane.blocks[0])).count() == 1;
        let order: Vec<usize> = graph.order.iter().copied().filter(is_dealt).collect();
        return (busy < IDLE && !is_one).then(|| one_lane(graph, &order, busy));
    }
    let (order, mut pieces) =
        adaptive.pieces(graph, |order| order.iter().map(|&block| load.busy[block]).collect()).ok()?;
    let places = places(graph, &order);
    let place_of = |block: usize| places[block];
    let senders = senders(graph);
    for (piece, &block) in pieces.iter_mut().zip(&order) {
        let read = graph.streams.places_read_by(block).iter().map(|&s| (&graph.streams[s], load.items[s]));
        let taken = read.clone().next();
        let in_bytes = graph.nodes[block].shape.as_ref().map_or(0, |shape| shape.in_bytes);
        piece.carrying = taken.map_or(0.0, |(_, items)| items * in_bytes as f64) * SECONDS_PER_STAGE_BYTE;
        piece.reads = read
            .map(|(stream, items)| {
                let item = graph.nodes[stream.from.block].ports.outputs[stream.from.port].1.item;
                let bytes = items * item.size() as f64;
                match place_of(stream.from.block) {
                    Some(place) => (place, bytes * SECONDS_PER_CARRIED_BYTE),
                    None => (usize::MAX, bytes * SECONDS_PER_BYTE),
                }
            })
            .collect();
        // A packet's memory goes back to be used again, too.
        let each = SECONDS_PER_MESSAGE + 2.0 * load.message_bytes[block] * SECONDS_PER_BYTE;
        let cost = load.messages[block] * each / senders[block].len().max(1) as f64;
        let from = senders[block].iter().map(|&from| place_of(from).unwrap_or(usize::MAX));
        piece.reads.extend(from.map(|place| (place, cost)));
    }
    let now = current(&places, &pieces, lanes, workers)?;
    let is_chain = |from: usize, to: usize| chain_of(graph, &order[from..to]).is_some();
    let best = cut(&pieces, workers, &is_chain);
    if best.period * BETTER < now.period {
        return Some(lanes_of(graph, &order, &best));
    }
    may_be_slowed_by_carrying(&pieces, &now).then(|| one_lane(graph, &order, now.all()))
}

/// All blocks that workers run in one lane.
fn one_lane(graph: &CheckedGraph, order: &[usize], cost: f64) -> Vec<Lane> {
    let whole = Segment { from: 0, to: order.len(), shared: false, cost, in_order: cost };
    lanes_of(graph, order, &Cut::new(vec![whole], 1))
}

/// Whether what lies in the level-2 cache between the stages of chains may take half of the time: one worker that takes each strip
/// through all blocks in its level-1 cache is as fast as two then. What a machine takes for that does not show in the blocks' costs.
fn may_be_slowed_by_carrying(pieces: &[Piece], now: &Cut) -> bool {
    let shared = now.segments.iter().filter(|segment| segment.shared && segment.in_order > 0.0);
    let carrying: f64 = shared.map(|segment| carried(&pieces[segment.from..segment.to])).sum();
    carrying / SECONDS_PER_STAGE_BYTE * SECONDS_PER_STAGE_BYTE_AT_WORST > 0.5 * now.all()
}

/// What carrying costs between the stages of a chain.
fn carried(pieces: &[Piece]) -> f64 {
    let is_boundary = |pair: &&[Piece]| pair[0].has_state || pair[1].has_state;
    pieces.windows(2).filter(is_boundary).map(|pair| pair[1].carrying).sum()
}

/// Per block, those that send it messages: once for each connection.
fn senders(graph: &CheckedGraph) -> Vec<Vec<usize>> {
    let mut senders = vec![Vec::new(); graph.nodes.len()];
    graph.messages.iter().for_each(|(from, to)| senders[to.block].push(from.block));
    senders
}

/// The cut that is in force, by today's costs.
fn current(places: &[Option<usize>], pieces: &[Piece], lanes: &[Lane], workers: usize) -> Option<Cut> {
    let mut segments = Vec::new();
    for lane in lanes.iter().filter(|lane| lane.blocks.iter().all(|&block| places[block].is_some())) {
        let from = places[*lane.blocks.first()?]?;
        let to = from + lane.blocks.len();
        let cost = |piece: &Piece| {
            let entering = piece.reads.iter().filter(|(writer, _)| *writer < from || *writer >= to);
            piece.cost + entering.map(|(_, cost)| cost).sum::<f64>()
        };
        let pieces = pieces.get(from..to)?;
        let cost = pieces.iter().map(cost).sum();
        let states = pieces.iter().filter(|piece| piece.has_state).map(|piece| piece.cost);
        let in_order = if lane.shared { states.fold(0.0, f64::max) } else { cost };
        segments.push(Segment { from, to, shared: lane.shared, cost, in_order });
    }
    // Workers that find all lanes taken do nothing.
    let is_shared = segments.iter().any(|segment| segment.shared);
    let workers = if is_shared { workers } else { workers.min(segments.len()).max(1) };
    Some(Cut::new(segments, workers))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::Scheduler;
    use crate::block::{Pure, SyncBlock};
    use crate::graph::Graph;
    use crate::plan::Machine;

    struct Zeros;
    impl Pure for Zeros {
        type In = ();
        type Out = f32;
        fn map(&self, _: (), y: &mut [f32]) {
            y.fill(0.0);
        }
    }

    struct Count(u64);
    impl SyncBlock for Count {
        type In = f32;
        type Out = f32;
        fn process(&mut self, x: &[f32], y: &mut [f32]) {
            self.0 += x.len() as u64;
            y.copy_from_slice(x);
        }
    }

    struct Drop;
    impl SyncBlock for Drop {
        type In = f32;
        type Out = ();
        fn process(&mut self, _: &[f32], (): ()) {}
    }

    /// What two workers that share a chain of blocks with states do after a second in which each stream had so many items.
    fn after_a_second(items: f64) -> Option<Vec<bool>> {
        let mut graph = Graph::new();
        let mut stream = graph.add("zeros", Zeros).output;
        for name in ["a", "b", "c"] {
            let count = graph.add(name, Count(0));
            graph.connect(stream, count.input);
            stream = count.output;
        }
        let drop = graph.add("drop", Drop);
        graph.connect(stream, drop.input);
        let graph = graph.check().unwrap();
        let adaptive = Adaptive::workers(2);
        let mut lanes = adaptive.lanes(&graph, &Machine::detect()).unwrap();
        lanes.iter_mut().for_each(|lane| lane.shared = true);
        let blocks = graph.nodes.len();
        let load = Load {
            interval: 1.0,
            busy: vec![2.0 / blocks as f64; blocks],
            items: vec![items; graph.streams.len()],
            messages: vec![0.0; blocks],
            message_bytes: vec![0.0; blocks],
        };
        let lanes = better(&adaptive, &graph, &lanes, &load, 2)?;
        Some(lanes.iter().map(|lane| lane.shared).collect())
    }

    #[test]
    fn one_lane_is_tried_where_carrying_may_take_half_of_the_time() {
        assert_eq!(after_a_second(6e9), Some(vec![false]), "0.3 ns an item, and 16 bytes carried");
        assert_eq!(after_a_second(1e9), None, "2 ns an item");
    }
}
