//! What the workers of a region run, made out of a plan and the graph's blocks.

use std::sync::Arc;

use super::bind::States;
use super::chain::begin::Begin;
use super::chain::{Link, SharedChain};
use super::idle::Idle;
use super::lane::Lane;
use super::seeded::Seeded;
use super::task::Task;
use super::unit::{LaneUnit, Unit};
use crate::block::Step;
use crate::block::runnable::AnyBlock;
use crate::graph::CheckedGraph;
use crate::metrics::Counters;
use crate::plan::Plan;
use crate::plan::options::Options;
use crate::stream::buffer::{Claims, Flow, ReadEnd, ReaderState, WriteEnd};
use crate::stream::port::{AnyIn, AnyOut};
use crate::stream::refs::PortId;
use crate::stream::visit::PortVisitor;

/// Makes what a region runs out of its lanes. The blocks are taken out of the graph's nodes.
pub(super) fn units(
    graph: &mut CheckedGraph,
    plan: &Plan,
    region: usize,
    counters: &[Arc<Counters>],
    options: &Options,
    states: Option<&States>,
) -> Vec<Unit> {
    let lanes = plan.regions[region].lanes.clone();
    lanes.into_iter().map(|lane| unit(graph, plan, lane, counters, options, states)).collect()
}

/// Makes what a region runs out of one lane.
pub(super) fn unit(
    graph: &mut CheckedGraph,
    plan: &Plan,
    lane: usize,
    counters: &[Arc<Counters>],
    options: &Options,
    states: Option<&States>,
) -> Unit {
    let take = |graph: &mut CheckedGraph, block: usize| {
        let node = &mut graph.nodes[block];
        let runnable = std::mem::replace(&mut node.block, AnyBlock::nothing()).0;
        (Arc::<str>::from(node.name.as_str()), runnable)
    };
    let blocks = &plan.lanes[lane].blocks;
    if let Some(chain) = &plan.lanes[lane].chain {
        let (mut input, mut output) = (ReadEnd::None, WriteEnd::None);
        let links: Vec<Link> = blocks
            .iter()
            .filter_map(|&block| {
                let (name, mut runnable) = take(graph, block);
                runnable.visit(&mut TakeRings { input: &mut input, output: &mut output });
                Link::new(block, name, runnable, counters[block].clone())
            })
            .collect();
        let before = before(graph, blocks, states, (input.index(), output.index()));
        let state = |block: &usize| states?.readers.get(&PortId { block: *block, port: 0 });
        let known = |state: Option<&ReaderState>| state.map(|state| state.bytes.clone()).unwrap_or_default();
        let of_source = |place: usize| chain.shape.links[place].in_bytes == 0;
        let position =
            |(place, before): (usize, &(u64, u64))| if of_source(place) { before.1 } else { before.0 };
        let begin = Begin {
            positions: before.iter().enumerate().map(position).collect(),
            origin: if chain.shape.is_source() { before[0].1 } else { input.index() },
            histories: if states.is_some() {
                blocks.iter().map(|b| known(state(b))).collect()
            } else {
                Vec::new()
            },
        };
        let claims = Claims::new(chain.shape.clone(), input, output, begin.origin);
        let region = plan.regions.iter().find(|region| region.lanes.contains(&lane));
        // For those that can run at once; one that has left its claim takes another.
        let (workers, processors) =
            (region.map_or(1, |region| region.workers), plan.machine.cpus.len().max(1));
        let memories = workers.min(processors) + 1;
        let chain = SharedChain::new(links, chain, options.in_place, begin, before, claims, memories);
        return Unit::Chain(Box::new(chain));
    }
    let tasks = blocks
        .iter()
        .map(|&block| {
            let (name, runnable) = take(graph, block);
            let node = &graph.nodes[block];
            Task {
                block,
                name,
                is_source: node.ports.inputs.is_empty() && !node.takes_messages(),
                runnable,
                counters: counters[block].clone(),
                last: if node.ended { Step::Done } else { Step::Ran },
                reads_ring: false,
                idle: Idle::default(),
            }
        })
        .collect();
    let seeded = options
        .seed
        .map(|seed| Seeded::new(seed.wrapping_add(lane as u64), options.strip_items.unwrap_or(4096)));
    let after_batches = after_batches(graph, plan, blocks);
    Unit::Lane(Box::new(LaneUnit::new(Lane::new(tasks, seeded, states.is_some(), after_batches))))
}

/// The place in a lane behind the last block that may give more in one piece than its readers there take at once.
fn after_batches(graph: &CheckedGraph, plan: &Plan, blocks: &[usize]) -> Option<usize> {
    let gives_more = |block: usize| {
        let streams = graph.streams.places_written_by(block).iter().map(|&place| &plan.streams[place]);
        streams
            .filter(|stream| graph.nodes[block].ports.outputs[stream.from.port].1.batch > stream.strip)
            .any(|stream| stream.readers.iter().any(|reader| blocks.contains(&reader.block)))
    };
    blocks.iter().rposition(|&block| gives_more(block)).map(|place| place + 1)
}

/// How many items each block of a chain had taken and given before. Nothing waits inside of the chain.
fn before(
    graph: &CheckedGraph,
    blocks: &[usize],
    states: Option<&States>,
    (input, output): (u64, u64),
) -> Vec<(u64, u64)> {
    let Some(states) = states else { return vec![(0, 0); blocks.len()] };
    let mut taken = input;
    let given = |&block: &usize| {
        let port = PortId { block, port: 0 };
        let bytes = graph.nodes[block].shape.as_ref().map_or(1, |shape| shape.out_bytes.max(1));
        let stream = graph.streams.at_output(port);
        let is_last = blocks.last() == Some(&block);
        let given = if is_last {
            output
        } else {
            stream.map_or(0, |stream| states.written(port, &stream.readers, bytes))
        };
        (std::mem::replace(&mut taken, given), given)
    };
    blocks.iter().map(given).collect()
}

/// Takes the rings at the ends of a chain out of its blocks' ports.
struct TakeRings<'a> {
    input: &'a mut ReadEnd,
    output: &'a mut WriteEnd,
}

impl PortVisitor for TakeRings<'_> {
    fn input(&mut self, _: &str, port: &mut dyn AnyIn) {
        let end = port.raw().end;
        if !matches!(end, ReadEnd::None) {
            *self.input = std::mem::take(end);
        }
    }
    fn output(&mut self, _: &str, port: &mut dyn AnyOut) {
        let end = port.raw().end;
        if !matches!(end, WriteEnd::None) {
            *self.output = std::mem::take(end);
        }
    }
}
