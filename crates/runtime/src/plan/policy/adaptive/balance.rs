//! Whether another cut would do better, by what the blocks cost while they run.

use super::cut::{Cut, Segment, cut};
use super::pieces::{lanes_of, places};
use super::settings::Adaptive;
use super::unit::Piece;
use crate::graph::CheckedGraph;
use crate::plan::Lane;
use crate::plan::cost::{
    SECONDS_PER_BYTE, SECONDS_PER_CARRIED_BYTE, SECONDS_PER_MESSAGE, SECONDS_PER_STAGE_BYTE,
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
        let order = graph.order.iter().copied().filter(is_dealt);
        let whole = Segment { from: 0, to: order.clone().count(), shared: false, cost: busy, in_order: busy };
        let one = || lanes_of(graph, &order.collect::<Vec<_>>(), &Cut::new(vec![whole], 1));
        return (busy < IDLE && !is_one).then(one);
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
    (best.period * BETTER < now.period).then(|| lanes_of(graph, &order, &best))
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
