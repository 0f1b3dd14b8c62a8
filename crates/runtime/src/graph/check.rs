//! Finds every mistake of a graph before a sample moves.

use std::collections::{BTreeMap, HashMap};

use super::Node;
use super::build::Graph;
use super::checked::{CheckedGraph, Stream};
use super::join::join;
use crate::data::{CheckError, ConnectError};
use crate::stream::refs::PortId;

impl Graph {
    /// Finds every mistake, or gives the graph that can be run.
    ///
    /// # Errors
    /// All mistakes at once, each naming blocks and ports.
    pub fn check(self) -> Result<CheckedGraph, CheckError> {
        let Graph { nodes, streams: mut links, mut messages, mut mistakes, .. } = self;
        let given = links.len() + messages.len();
        links.retain(|&(from, to)| {
            nodes.get(from.block).is_some_and(|node| from.port < node.ports.outputs.len())
                && nodes.get(to.block).is_some_and(|node| to.port < node.ports.inputs.len())
        });
        messages.retain(|&(from, to)| {
            nodes.get(from.block).is_some_and(|node| from.port < node.ports.message_outputs.len())
                && nodes.get(to.block).is_some_and(|node| to.port < node.ports.message_inputs.len())
        });
        for _ in links.len() + messages.len()..given {
            let hint =
                ": its handle is of another graph, or it is `set` of a block without parameters".to_owned();
            let name = "of a connection".to_owned();
            mistakes.push(ConnectError::Unknown { what: "port", name, hint });
        }
        duplicate_names(&nodes, &mut mistakes);
        contracts(&nodes, &mut mistakes);
        connections(&nodes, &links, &mut mistakes);
        message_types(&nodes, &messages, &mut mistakes);
        let streams = gather(&links);
        let (order, cycle) = topological_order(&nodes, &streams);
        if !cycle.is_empty() {
            let path = cycle.iter().chain(cycle.first()).map(|&b| nodes[b].name.as_str());
            mistakes.push(ConnectError::Loop { path: path.collect::<Vec<_>>().join(" -> ") });
        }
        let streams = with_rates(&nodes, streams, &order, &mut mistakes);
        if mistakes.is_empty() {
            join(CheckedGraph { nodes, streams, messages, queues: HashMap::new(), order })
        } else {
            Err(CheckError(mistakes))
        }
    }
}

fn duplicate_names(nodes: &[Node], mistakes: &mut Vec<ConnectError>) {
    let mut counts = BTreeMap::new();
    nodes.iter().for_each(|node| *counts.entry(&node.name).or_insert(0) += 1);
    for (name, count) in counts.into_iter().filter(|(_, count)| *count > 1) {
        mistakes.push(ConnectError::DuplicateName { name: name.clone(), count });
    }
}

fn contracts(nodes: &[Node], mistakes: &mut Vec<ConnectError>) {
    for node in nodes {
        for (name, spec) in node.ports.inputs.iter().chain(&node.ports.outputs) {
            if let Some(problem) = spec.problem() {
                mistakes.push(ConnectError::Contract { port: format!("{}.{name}", node.name), problem });
            }
        }
        if node.spec.ratio.is_some_and(|ratio| ratio.interpolation == 0 || ratio.decimation == 0) {
            let problem = "a ratio with a zero in it".to_owned();
            mistakes.push(ConnectError::Contract { port: node.name.clone(), problem });
        }
    }
}

/// Unconnected ports, inputs with several writers, types that differ.
fn connections(nodes: &[Node], links: &[(PortId, PortId)], mistakes: &mut Vec<ConnectError>) {
    for (block, node) in nodes.iter().enumerate() {
        for (port, (_, spec)) in node.ports.inputs.iter().enumerate() {
            let id = PortId { block, port };
            let writers: Vec<_> = links
                .iter()
                .filter(|(_, to)| *to == id)
                .map(|(from, _)| nodes[from.block].output_name(from.port))
                .collect();
            let name = node.input_name(port);
            match writers.len() {
                0 if !spec.optional => {
                    mistakes.push(ConnectError::UnconnectedInput { port: name, item: spec.item.to_string() });
                }
                0 | 1 => {}
                count => {
                    mistakes.push(ConnectError::ManyWriters {
                        port: name,
                        count,
                        writers: writers.join(", "),
                    });
                }
            }
        }
        for (port, (_, spec)) in node.ports.outputs.iter().enumerate() {
            let id = PortId { block, port };
            if !spec.optional && !links.iter().any(|(from, _)| *from == id) {
                let port = node.output_name(port);
                mistakes.push(ConnectError::UnconnectedOutput { port, item: spec.item.to_string() });
            }
        }
    }
    for (from, to) in links {
        let given = nodes[from.block].ports.outputs[from.port].1.item;
        let taken = nodes[to.block].ports.inputs[to.port].1.item;
        if given != taken {
            mistakes.push(ConnectError::TypeMismatch {
                from: nodes[from.block].output_name(from.port),
                from_item: given.to_string(),
                to: nodes[to.block].input_name(to.port),
                to_item: taken.to_string(),
                hint: String::new(),
            });
        }
    }
}

/// Message ports that can never fit.
fn message_types(nodes: &[Node], messages: &[(PortId, PortId)], mistakes: &mut Vec<ConnectError>) {
    for (from, to) in messages {
        let (output, given) = &nodes[from.block].ports.message_outputs[from.port];
        let (input, taken) = &nodes[to.block].ports.message_inputs[to.port];
        if !given.fits(*taken) {
            mistakes.push(ConnectError::TypeMismatch {
                from: format!("{}.{output}", nodes[from.block].name),
                from_item: given.to_string(),
                to: format!("{}.{input}", nodes[to.block].name),
                to_item: taken.to_string(),
                hint: String::new(),
            });
        }
    }
}

/// The streams: links of one output put together.
fn gather(links: &[(PortId, PortId)]) -> Vec<Stream> {
    let mut streams: Vec<Stream> = Vec::new();
    for &(from, to) in links {
        match streams.iter_mut().find(|stream| stream.from == from) {
            Some(stream) => stream.readers.push(to),
            None => streams.push(Stream { from, readers: vec![to], rate: 1.0, kept: false }),
        }
    }
    streams
}

/// The blocks in topological order: each comes after the blocks that feed it. The order follows each path as far as it
/// goes, so that neighbours in it are neighbours on a stream. Streams that begin with items may point backwards.
///
/// Besides the order, the blocks of a cycle in which no stream begins with items; empty where there is none.
fn topological_order(nodes: &[Node], streams: &[Stream]) -> (Vec<usize>, Vec<usize>) {
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    let mut waiting = vec![0usize; nodes.len()];
    for stream in streams {
        if nodes[stream.from.block].ports.outputs[stream.from.port].1.preload == 0 {
            for reader in &stream.readers {
                after[stream.from.block].push(reader.block);
                waiting[reader.block] += 1;
            }
        }
    }
    let mut ready: Vec<usize> = (0..nodes.len()).rev().filter(|&b| waiting[b] == 0).collect();
    let mut order = Vec::with_capacity(nodes.len());
    while let Some(block) = ready.pop() {
        order.push(block);
        for &next in after[block].iter().rev() {
            waiting[next] -= 1;
            if waiting[next] == 0 {
                ready.push(next);
            }
        }
    }
    if order.len() == nodes.len() {
        return (order, Vec::new());
    }
    // Every block left waits for another one left: walking backwards must meet a block twice.
    let left = |b: usize| waiting[b] > 0;
    let before = |b: usize| (0..nodes.len()).find(|&a| left(a) && after[a].contains(&b));
    let mut path = vec![(0..nodes.len()).find(|&b| left(b)).unwrap_or(0)];
    loop {
        let Some(previous) = path.last().and_then(|&last| before(last)) else { return (order, path) };
        if let Some(start) = path.iter().position(|&b| b == previous) {
            let mut cycle = path.split_off(start);
            cycle.reverse();
            return (order, cycle);
        }
        path.push(previous);
    }
}

/// A rate relative to the output that it comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Rate {
    origin: PortId,
    up: u128,
    down: u128,
}

impl Rate {
    fn new(origin: PortId) -> Self {
        Rate { origin, up: 1, down: 1 }
    }

    fn times(self, up: usize, down: usize) -> Option<Self> {
        let (up, down) = (self.up.checked_mul(up as u128)?, self.down.checked_mul(down as u128)?);
        let common = gcd(up, down);
        Some(Rate { up: up / common, down: down / common, ..self })
    }
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a.max(1) } else { gcd(b, a % b) }
}

/// Fills in the streams' rates, and finds blocks whose inputs have one origin but different rates.
fn with_rates(
    nodes: &[Node],
    mut streams: Vec<Stream>,
    order: &[usize],
    mistakes: &mut Vec<ConnectError>,
) -> Vec<Stream> {
    let mut rates: Vec<Option<Rate>> = vec![None; streams.len()];
    for &block in order {
        let node = &nodes[block];
        let inputs: Vec<(usize, Rate)> = streams
            .iter()
            .zip(&rates)
            .flat_map(|(stream, rate)| stream.readers.iter().map(move |reader| (reader, rate)))
            .filter(|(reader, _)| reader.block == block)
            .filter_map(|(reader, rate)| rate.map(|rate| (reader.port, rate)))
            .collect();
        if let (Some(_), Some(&(first_port, first))) = (node.spec.ratio, inputs.first()) {
            for &(port, rate) in &inputs[1..] {
                if rate.origin == first.origin && rate != first {
                    let words =
                        |port, rate: Rate| format!("{}/{} on {}", rate.up, rate.down, node.input_name(port));
                    mistakes.push(ConnectError::RateConflict {
                        block: node.name.clone(),
                        origin: nodes[first.origin.block].name.clone(),
                        first: words(first_port, first),
                        second: words(port, rate),
                    });
                }
            }
        }
        let one_origin =
            inputs.first().filter(|(_, first)| inputs.iter().all(|(_, r)| r.origin == first.origin));
        let inherited = node
            .spec
            .ratio
            .zip(one_origin)
            .and_then(|(ratio, (_, rate))| rate.times(ratio.interpolation, ratio.decimation));
        for (stream, rate) in streams.iter().zip(&mut rates).filter(|(stream, _)| stream.from.block == block)
        {
            *rate = Some(inherited.unwrap_or_else(|| Rate::new(stream.from)));
        }
    }
    for (stream, rate) in streams.iter_mut().zip(&rates) {
        stream.rate = rate.map_or(1.0, |rate| rate.up as f64 / rate.down as f64);
    }
    streams
}
